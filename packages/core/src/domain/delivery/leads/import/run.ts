import { setImmediate } from 'node:timers/promises'
import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { oneTenant } from '../../../../kernel/scope.ts'
import { transact } from '../../../../kernel/transact.ts'
import { lockTenant } from '../../../accounts/tenants/status.ts'
import { type CsvFormat, LeadImport } from '../entities.ts'
import { importBatch } from './batch.ts'
import { createBatchSize } from './batch-size.ts'
import { CsvFault } from './csv-fault.ts'
import { noteGrowth } from './insert-queries.ts'
import { tidyImportJob } from './jobs.ts'
import { abandonedImports } from './queries.ts'
import type { ReadRow } from './rows.ts'
import { textKey } from './start.ts'

/** How much text is read at a time. */
const partBytes = 128 * 1_024

/** When so many leads were written, and whenever there are so many times as many, the database takes note of it. */
const fewestNoted = 400
const growth = 5

/** Parts of one tenant that wait for a thread. */
const mostWaiting = 100

/**
 * Handles `lead.import` jobs: makes leads of the rows that were not read yet. Each transaction holds some leads and how far the text has
 * been read with them, so that a process that dies leaves nothing twice and nothing out.
 */
export async function runImport(
  ctx: Ctx,
  { importId }: { importId: string },
  signal: AbortSignal,
): Promise<void> {
  const found = await transact(ctx, (txn) =>
    txn.em.findOne(LeadImport, { id: importId, status: 'processing' }),
  )
  if (!found) return
  const { tenantId, format } = found
  const own: Ctx = { ...ctx, scope: [tenantId] }
  const text = await ctx.services.blobs.get(textKey(tenantId, importId))
  if (!text) return end(own, importId, 'The file is gone from the store. Upload it again.')
  let place: Place = { at: found.readBytes, line: found.nextLine }
  const size = createBatchSize()
  const batches = readBatches(own, { tenantId, text, format, ...place }, size, signal)
  let [written, noted] = [0, fewestNoted]
  try {
    let next = batches.next()
    for (let batch = await next; !batch.done; batch = await next) {
      signal.throwIfAborted()
      const { rows, after } = batch.value
      // Read while the rows of this one are written.
      next = batches.next()
      next.catch(() => undefined)
      const from = place
      if (!(await size.timed(rows.length, () => store(own, importId, from, batch.value)))) return
      place = after
      written += rows.length
      if (written >= noted * growth) {
        noted = written
        await noteGrowth(own)
      }
      await setImmediate()
    }
  } catch (error) {
    if (error instanceof CsvFault) return end(own, importId, error.message)
    throw error
  }
  await end(own, importId)
}

/** A row's beginning: bytes of the text, and the line there. */
interface Place {
  at: number
  line: number
}

interface Part {
  /** Those that were not taken yet. */
  chunks: string[]
  /** Where the rows begin. */
  from: Place
  after: Place
  /** Undefined at the end of the text. */
  next: Place | undefined
}

interface FileText extends Place {
  tenantId: string
  text: Uint8Array
  format: CsvFormat
}

/** Rows for one transaction. */
interface Batch {
  rows: readonly ReadRow[]
  after: Place
}

/** The rows of a text from a place on, as many at a time as `size` says. */
async function* readBatches(
  ctx: Ctx,
  file: FileText,
  size: { readonly rows: number },
  signal: AbortSignal,
): AsyncGenerator<Batch, void, undefined> {
  const read = (from: Place) => readPart(ctx, { ...file, ...from }, signal)
  let part = await read(file)
  while (part) {
    const following = part.next ? read(part.next) : undefined
    following?.catch(() => undefined)
    while (part.chunks.length > 0) {
      const rows = await nextRows(part.chunks, size.rows)
      const after = part.chunks.length === 0 ? part.after : placeAfter(part, rows.at(-1) as ReadRow)
      yield { rows, after }
    }
    part = await following
  }
}

async function readPart({ services }: Ctx, file: FileText, signal: AbortSignal): Promise<Part | undefined> {
  const { tenantId, text, format, at, line } = file
  if (at >= text.byteLength) return undefined
  for (let size = partBytes; ; size *= 4) {
    const isWhole = at + size >= text.byteLength
    // A copy of its own: the whole text would go to the thread otherwise.
    const part = text.slice(at, at + size)
    const owner = { owner: `leads:${tenantId}`, maxWaiting: mostWaiting, signal }
    const { chunks, end, lines } = await services.threads.run(
      'readLeads',
      { text: part, format, line, isWhole },
      owner,
    )
    if (end === 0 && !isWhole) continue
    const after = { at: at + end, line: line + lines }
    return { chunks, from: { at, line }, after, next: isWhole ? undefined : after }
  }
}

/** Takes the rows of so many chunks that they are `wanted` or a little more. Others are answered between two. */
async function nextRows(chunks: string[], wanted: number): Promise<ReadRow[]> {
  const rows: ReadRow[] = []
  while (chunks.length > 0 && rows.length < wanted) {
    rows.push(...(JSON.parse(chunks.shift() as string) as ReadRow[]))
    await setImmediate()
  }
  return rows
}

/** Where a row of a part ends. */
const placeAfter = ({ from }: Part, last: ReadRow): Place => ({ at: from.at + last.end, line: last.nextLine })

/** @returns false when someone else goes on with the import, or it is over */
function store(ctx: Ctx, importId: string, from: Place, { rows, after }: Batch): Promise<boolean> {
  return transact(
    ctx,
    async (txn) => {
      // In the order in which new leads lock.
      await lockTenant(txn, oneTenant(txn))
      const row = await lockImport(txn, importId)
      if (row?.status !== 'processing' || row.readBytes !== from.at) return false
      const counts = await importBatch(txn, row, rows)
      row.imported += counts.imported
      row.updated += counts.updated
      row.skipped += counts.skipped
      Object.assign(row, { readBytes: after.at, nextLine: after.line })
      return true
    },
    { inThread: true },
  )
}

const lockImport = (txn: Transaction, id: string) =>
  txn.em.findOne(LeadImport, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })

/** @param reason why it has failed */
function end(ctx: Ctx, importId: string, reason?: string): Promise<void> {
  return transact(ctx, async (txn) => {
    const row = await lockImport(txn, importId)
    if (row?.status !== 'processing') return
    const status = reason === undefined ? 'completed' : 'failed'
    Object.assign(row, { status, reason: reason ?? null, finishedOn: txn.clock.date() })
    txn.enqueue(tidyImportJob, { tenantId: row.tenantId, payload: { tenantId: row.tenantId, importId } })
  })
}

/** Ends imports that no one goes on with: their job was given up, or is gone. Any number of processes may do it. */
export async function giveUpImports(ctx: Ctx): Promise<void> {
  for (const { id, tenantId } of await abandonedImports(ctx)) {
    await transact({ ...ctx, scope: [tenantId] }, async (txn) => {
      // It may have ended since.
      if ((await abandonedImports(txn, id)).length === 0) return
      await end(
        txn,
        id,
        'The import could not be finished, and several tries have failed. Import the file again.',
      )
    })
  }
}
