import type { Ctx } from '../../../kernel/context.ts'
import { byteOrderMark, toCsvLine } from './csv.ts'
import { faultsAfter, findImport } from './import/queries.ts'
import { leadsAfter } from './queries.ts'
import type { LeadFilter, LeadItem } from './schemas.ts'

/** How many leads are read at a time. */
const batch = 500

/** The columns of an export; an import understands all but the last three. */
const columns: ReadonlyArray<readonly [string, (lead: LeadItem) => string]> = [
  ['id', ({ id }) => id],
  ['firstName', ({ firstName }) => firstName],
  ['lastName', ({ lastName }) => lastName],
  ['email', ({ email }) => email ?? ''],
  ['phone', ({ phone }) => phone ?? ''],
  ['company', ({ company }) => company ?? ''],
  ['status', ({ status }) => status],
  ['score', ({ score }) => `${score ?? ''}`],
  ['tags', ({ tags }) => tags.join(';')],
  ['source', ({ source, sourceRef }) => (sourceRef === undefined ? source : `${source}: ${sourceRef}`)],
  ['assignedTo', ({ assignedTo }) => assignedTo?.name ?? ''],
  ['createdOn', ({ createdOn }) => createdOn.toISOString()],
]

/** The leads of the context's tenant as a CSV file, the oldest first. Serves `GET /dashboard/v1/leads/export`. */
export async function* exportLeads(ctx: Ctx, filter: LeadFilter): AsyncGenerator<Uint8Array> {
  yield Buffer.from(byteOrderMark + toCsvLine(columns.map(([name]) => name)))
  let after: number | undefined
  for (;;) {
    const { leads, last } = await leadsAfter(ctx, filter, after, batch)
    const lines = leads.map((lead) => toCsvLine(columns.map(([, value]) => value(lead))))
    if (lines.length > 0) yield Buffer.from(lines.join(''))
    after = last
    if (leads.length < batch) return
  }
}

/**
 * The lines of an import that became no leads, as they stood in the file, with their numbers and reasons: once they are put right, the
 * file can be imported. Serves `GET /dashboard/v1/leads/imports/:importId/errors`.
 * @throws DomainError `NOT_FOUND`
 */
export async function importErrors(ctx: Ctx, importId: string): Promise<AsyncGenerator<Uint8Array>> {
  const { format } = await findImport(ctx, importId)
  return errorLines(ctx, importId, format.header)
}

async function* errorLines(
  ctx: Ctx,
  importId: string,
  header: readonly string[],
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(byteOrderMark + toCsvLine([...header, 'row', 'reason']))
  let after = 0
  for (;;) {
    const faults = await faultsAfter(ctx, importId, after, batch)
    const lines = faults.map(({ line, reason, cells }) => {
      const values = header.map((_, n) => asWritten(cells[n] ?? ''))
      return toCsvLine([...values, `${line}`, reason])
    })
    if (lines.length > 0) yield Buffer.from(lines.join(''))
    after = faults.at(-1)?.line ?? after
    if (faults.length < batch) return
  }
}

/** A cell that had its apostrophe in the file gets no second one. */
const asWritten = (cell: string) => cell.replace(/^'(?='*[=+\-@\t\r])/, '')
