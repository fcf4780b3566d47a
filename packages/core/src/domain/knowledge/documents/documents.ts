import { LockMode } from '@mikro-orm/core'
import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { toNewJob } from '../../../kernel/jobs.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { requireRoom } from '../../accounts/tenants/quota-queries.ts'
import { lockTenant } from '../../accounts/tenants/status.ts'
import { contentTypeOf } from './content-type.ts'
import { Document, type DocumentRow } from './entities.ts'
import { tidyDocumentJob } from './jobs.ts'
import { getDocument, storedDocument } from './queries.ts'
import type { DocumentItem, NewDocument } from './schemas.ts'

/** A file as it was uploaded. */
export interface DocumentFile {
  name: string
  bytes(): Promise<Uint8Array>
}

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
    toNewJob(tidyDocumentJob, {
      tenantId,
      payload: { tenantId, id },
      runAt: new Date(ctx.clock.now() + noteMs),
    }),
  ])
  const { size, sha256 } = await ctx.services.blobs.put(keyOf(tenantId, id), bytes)
  return transact(ctx, async (txn) => {
    await lockTenant(txn, tenantId)
    if ((await txn.em.count(Document, { tenantId })) >= mostDocuments)
      throw new DomainError('UNPROCESSABLE', `There are ${mostDocuments} documents already; delete one`)
    await requireRoom(txn, tenantId, size)
    const document = txn.em.create(Document, {
      id,
      tenantId,
      name: file.name.slice(0, 255),
      description: description || null,
      mimeType,
      sizeBytes: size,
      sha256,
      createdById: txn.actor.id,
      createdByName: actorName(txn),
      createdOn: txn.clock.date(),
    })
    record(txn, document, { after: view(document) })
    await txn.em.flush()
    return getDocument(txn, id)
  })
}

/**
 * The bytes of a document, with its name. Serves `GET /tenant/v1/documents/:documentId/content`.
 * @throws DomainError `NOT_FOUND`
 */
export async function readDocument(ctx: Ctx, id: string): Promise<{ name: string; bytes: Uint8Array }> {
  const { tenantId, name } = await storedDocument(ctx, id)
  const bytes = await ctx.services.blobs.get(keyOf(tenantId, id))
  if (!bytes) throw notFound('document')
  return { name, bytes }
}

/** Deletes a document with its bytes. Serves `DELETE /tenant/v1/documents/:documentId`. @throws DomainError `NOT_FOUND` */
export function deleteDocument(ctx: Ctx, id: string): Promise<void> {
  return transact(ctx, async (txn) => {
    const document = await txn.em.findOne(Document, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!document) throw notFound('document')
    const { tenantId } = document
    record(txn, document, { before: view(document) })
    txn.em.remove(document)
    txn.enqueue(tidyDocumentJob, { tenantId, payload: { tenantId, id } })
  })
}

/** Removes bytes that belong to no document: the job `document.tidy`. */
export async function tidyDocument(
  ctx: Ctx,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<void> {
  const known = await transact(ctx, (txn) => txn.em.count(Document, { id }))
  if (known === 0) await ctx.services.blobs.remove(keyOf(tenantId, id))
}

const keyOf = (tenantId: string, id: string) => `tenants/${tenantId}/documents/${id}`

function view({ name, description, mimeType, sizeBytes, sha256 }: DocumentRow) {
  return { name, description, mimeType, sizeBytes, sha256 }
}

function record(
  txn: Transaction,
  { id, tenantId }: DocumentRow,
  what: { before?: unknown; after?: unknown },
): void {
  txn.audit({ tenantId, resourceType: 'document', resourceId: id, ...what })
}
