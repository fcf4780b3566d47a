import { z } from 'zod'
import { isoDate, page, pageQuery, ulid } from '../../../platform/wire.ts'

/** The largest file, bytes. */
export const maxDocumentBytes = 25 * 1024 * 1024

export const NewDocument = z.object({ description: z.string().trim().max(1_000).optional() })
export type NewDocument = z.output<typeof NewDocument>

export const DocumentItem = z.object({
  id: ulid,
  name: z.string(),
  description: z.string().nullable(),
  /** By what is in the file. */
  mimeType: z.string(),
  sizeBytes: z.int(),
  /** SHA-256 of the content, lower-case hex. */
  sha256: z.string(),
  createdBy: z.object({ id: z.string(), name: z.string() }),
  createdOn: isoDate,
})
export type DocumentItem = z.output<typeof DocumentItem>
export const DocumentPage = page(DocumentItem)
export const DocumentQuery = pageQuery.extend({ tenantId: ulid.optional() })
export type DocumentQuery = z.output<typeof DocumentQuery>
