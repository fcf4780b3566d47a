import { LockMode } from '@mikro-orm/core'
import { actorName } from '../actor.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, invalid, notFound } from '../errors.ts'
import { oneTenant } from '../scope.ts'
import { requireRoom } from '../tenants/quota-queries.ts'
import { lockTenant } from '../tenants/status.ts'
import { contentTypeOf } from './content-type.ts'
import { Document, type DocumentRow } from './entities.ts'
import { getDocument, placeOf } from './queries.ts'
import type { DocumentItem, NewDocument } from './schemas.ts'

/** A file as it was uploaded. */
export interface DocumentFile {
  name: string
  bytes(): Promise<Uint8Array>
}

export const tidyJob = 'document.tidy'

/** More than this many a tenant cannot have. */
const mostDocuments = 1_000

/** An upload that has not been noted by then never will be, milliseconds. */
const noteMs = 3_600_000

/**
 * Takes a file of the context's tenant. Serves `POST /tenant/v1/documents`.
 * @throws DomainError `VALIDATION_ERROR` on `file` for what is neither a text, an image, a PDF nor an office document;
 *   `UNPROCESSABLE` when there are too many; `PAYLOAD_TOO_LARGE` when a quota is used up, with `details.quota`
 */
export async function addDocument(
  ctx: Ctx,
  { description }: NewDocument,
  files: { file: readonly DocumentFile[] },
): Promise<DocumentItem> {
  const tenantId = oneTenant(ctx)
  const [file] = files.file
  if (!file) throw invalid('file', 'A document is a file')
  const bytes = await file.bytes()
  const mimeType = contentTypeOf(bytes, file.name)
  if (!mimeType)
    throw invalid('file', 'Its content is neither a text, an image, a PDF nor an office document')
  await requireRoom(ctx, tenantId, bytes.byteLength)
  const id = ctx.newId()
  // Should this process die before the row is there, the bytes are removed all the same.
  await ctx.services.jobs.add([
    { kind: tidyJob, tenantId, payload: { tenantId, id }, runAt: new Date(ctx.clock.now() + noteMs) },
  ])
  const { size, sha256 } = await ctx.services.blobs.put(keyOf(tenantId, id), bytes)
  return command(ctx, async (cmd) => {
    await lockTenant(cmd, tenantId)
    if ((await cmd.em.count(Document, { tenantId })) >= mostDocuments)
      throw new DomainError('UNPROCESSABLE', `There are ${mostDocuments} documents already; delete one`)
    await requireRoom({ ...cmd, sql: cmd.tx }, tenantId, size)
    const document = cmd.em.create(Document, {
      id,
      tenantId,
      name: file.name.slice(0, 255),
      description: description || null,
      mimeType,
      sizeBytes: size,
      sha256,
      createdById: cmd.actor.id,
      createdByName: actorName(cmd),
      createdOn: cmd.clock.date(),
    })
    record(cmd, document, { after: view(document) })
    await cmd.em.flush()
    return getDocument({ ...cmd, sql: cmd.tx }, id)
  })
}

/**
 * The bytes of a document, with its name. Serves `GET /tenant/v1/documents/:documentId/content`.
 * @throws DomainError `NOT_FOUND`
 */
export async function readDocument(ctx: Ctx, id: string): Promise<{ name: string; bytes: Uint8Array }> {
  const { tenantId, name } = await placeOf(ctx, id)
  const bytes = await ctx.services.blobs.get(keyOf(tenantId, id))
  if (!bytes) throw notFound('document')
  return { name, bytes }
}

/** Deletes a document with its bytes. Serves `DELETE /tenant/v1/documents/:documentId`. @throws DomainError `NOT_FOUND` */
export function deleteDocument(ctx: Ctx, id: string): Promise<void> {
  return command(ctx, async (cmd) => {
    const document = await cmd.em.findOne(Document, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!document) throw notFound('document')
    const { tenantId } = document
    record(cmd, document, { before: view(document) })
    cmd.em.remove(document)
    cmd.enqueue({ kind: tidyJob, tenantId, payload: { tenantId, id } })
  })
}

/** Removes bytes that belong to no document: the job `document.tidy`. */
export async function tidyDocument(
  ctx: Ctx,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<void> {
  const known = await command(ctx, (cmd) => cmd.em.count(Document, { id }))
  if (known === 0) await ctx.services.blobs.remove(keyOf(tenantId, id))
}

const keyOf = (tenantId: string, id: string) => `tenants/${tenantId}/documents/${id}`

function view({ name, description, mimeType, sizeBytes, sha256 }: DocumentRow) {
  return { name, description, mimeType, sizeBytes, sha256 }
}

function record(
  cmd: Command,
  { id, tenantId }: DocumentRow,
  what: { before?: unknown; after?: unknown },
): void {
  cmd.audit({ tenantId, resourceType: 'document', resourceId: id, ...what })
}
