import { actorName, type Ctx } from '../../../../kernel/context.ts'
import { DomainError, invalid } from '../../../../kernel/errors.ts'
import { inThread } from '../../../../kernel/in-thread.ts'
import { toNewJob } from '../../../../kernel/jobs.ts'
import { oneTenant } from '../../../../kernel/scope.ts'
import { preview } from '../../../../kernel/text.ts'
import { transact } from '../../../../kernel/transact.ts'
import type { WrittenFile } from '../../../../platform/blobs/blobs.ts'
import { requireRoom } from '../../../accounts/tenants/quota-queries.ts'
import { lockTenant } from '../../../accounts/tenants/status.ts'
import { LeadImport } from '../entities.ts'
import { importLeadsJob, tidyImportJob } from './jobs.ts'
import type { ImportPreview, ImportReceipt, NewImport } from './schemas.ts'

/** A file as it was uploaded; one on the disk is removed afterwards with all that lies beside it. */
interface ImportFile {
  name: string
  content: Uint8Array | WrittenFile
}
type Files = { file: readonly ImportFile[] }

/** An upload that has not been noted by then never will be, milliseconds. */
const noteMs = 3_600_000

/** How much of the name of a file stands for what its leads came from, characters. */
const longestLabel = 100

/** How many imports of a tenant are under way at a time. */
const mostImports = 5

/** Where the text of a file is until its import has ended. */
export const textKey = (tenantId: string, importId: string) => `tenants/${tenantId}/lead-imports/${importId}`

/**
 * Takes a CSV file, whose lines become leads afterwards. Serves `POST /dashboard/v1/leads/import`.
 * @throws DomainError `VALIDATION_ERROR` on `file`, with the line, for a file that cannot be read or has no known columns;
 *   `PAYLOAD_TOO_LARGE` when a quota is used up; `UNPROCESSABLE` when too many imports are under way; `THROTTLED`
 */
export async function startImport(
  ctx: Ctx,
  { source, duplicates }: NewImport,
  files: Files,
): Promise<ImportReceipt> {
  const tenantId = oneTenant(ctx)
  const file = only(files)
  const opened = await inThread(ctx, 'openLeads', file.content)
  if ('fault' in opened) throw invalid('file', opened.fault)
  const { text, format, start, line, total } = opened
  await requireRoom(ctx, tenantId, 'path' in text ? text.size : text.byteLength)
  const id = ctx.newId()
  // Should this process die before the row is there, the text is removed all the same.
  await ctx.services.jobs.add([
    toNewJob(tidyImportJob, {
      tenantId,
      payload: { tenantId, importId: id },
      runAt: new Date(ctx.clock.now() + noteMs),
    }),
  ])
  const { size } = await ctx.services.blobs.put(textKey(tenantId, id), text)
  return transact(ctx, async (txn) => {
    await lockTenant(txn, tenantId)
    if ((await txn.em.count(LeadImport, { tenantId, status: 'processing' })) >= mostImports)
      throw new DomainError('UNPROCESSABLE', `${mostImports} imports are under way; wait until one has ended`)
    await requireRoom(txn, tenantId, size)
    const fileName = file.name
    const label = source ?? preview(fileName, longestLabel)
    txn.em.create(LeadImport, {
      id,
      tenantId,
      label,
      fileName,
      sizeBytes: size,
      duplicates,
      format,
      status: 'processing',
      total,
      imported: 0,
      updated: 0,
      skipped: 0,
      readBytes: start,
      nextLine: line,
      reason: null,
      undo: null,
      removed: 0,
      kept: 0,
      createdById: txn.actor.id,
      createdByName: actorName(txn),
      createdOn: txn.clock.date(),
      finishedOn: null,
    })
    txn.enqueue(importLeadsJob, {
      tenantId,
      payload: { importId: id },
      uniqueKey: `${importLeadsJob.kind}:${id}`,
    })
    txn.audit({
      tenantId,
      resourceType: 'lead_import',
      resourceId: id,
      after: { source: label, fileName, total, duplicates },
    })
    return { importId: id, total, status: 'processing' as const }
  })
}

/**
 * What an import would make of a file. Serves `POST /dashboard/v1/leads/import/preview`.
 * @throws DomainError `VALIDATION_ERROR` on `file`; `THROTTLED`
 */
export async function previewImport(ctx: Ctx, files: Files): Promise<ImportPreview> {
  const preview = await inThread(ctx, 'previewLeads', only(files).content)
  if ('fault' in preview) throw invalid('file', preview.fault)
  const { format, rows, ...counts } = preview
  return {
    ...counts,
    delimiter: format.delimiter,
    columns: format.header.map((header, n) => ({ header, field: format.columns[n] ?? null })),
    rows: rows.map(({ row, lead: { id: _id, ...lead } }) => ({ row, lead })),
  }
}

function only({ file: [file] }: Files): ImportFile {
  if (!file) throw invalid('file', 'An import is a file')
  return file
}

/** Handles `lead.tidy_import` jobs: removes the text of an import that has ended or never began. */
export async function tidyImport(
  ctx: Ctx,
  { tenantId, importId }: { tenantId: string; importId: string },
): Promise<void> {
  const running = await transact(ctx, (txn) =>
    txn.em.count(LeadImport, { id: importId, status: 'processing' }),
  )
  if (running === 0) await ctx.services.blobs.remove(textKey(tenantId, importId))
}
