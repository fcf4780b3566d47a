import { z } from 'zod'
import { isoDate, ulid } from '../../../platform/wire.ts'

export const ParseType = z.enum(['NAIVE', 'MARKDOWN', 'MANUAL'])
export type ParseType = z.output<typeof ParseType>
export const ParserEngine = z.enum(['NATIVE', 'ADVANCED'])
export type ParserEngine = z.output<typeof ParserEngine>

/** The largest file, bytes. */
export const maxFileBytes = 50 * 1024 * 1024
/** All files of one upload together, bytes. */
export const maxBatchBytes = 200 * 1024 * 1024
/** Files of one upload. */
export const maxFiles = 20

const chunkSize = z.int().min(128).max(2_048)
const chunkOverlap = z.int().min(0).max(512)

export const FileStatus = z.enum(['pending', 'parsing', 'embedding', 'indexed', 'error', 'disabled'])
export type FileStatus = z.output<typeof FileStatus>
export const FileSource = z.enum(['upload', 'website_crawl', 'published_content', 'competitor_research'])
export type FileSource = z.output<typeof FileSource>

const DatasetSummary = z.object({
  id: ulid,
  name: z.string(),
  description: z.string().nullable(),
  /** `building` while a file is being ingested; `error` when all ingestions have failed. */
  status: z.enum(['active', 'building', 'error']),
  totalFiles: z.int(),
  totalChunks: z.int(),
  /** Null where no embeddings are configured: it is searched by words. */
  embeddingModel: z.string().nullable(),
  allowedAgentRoles: z.array(z.string()),
  createdOn: isoDate,
})
export type DatasetSummary = z.output<typeof DatasetSummary>
export const DatasetList = z.object({ data: z.array(DatasetSummary) })
export type DatasetList = z.output<typeof DatasetList>

/** The same for those who see several tenants. */
export const ReviewerDatasetList = z.object({
  data: z.array(DatasetSummary.extend({ tenantId: ulid, tenantName: z.string() })),
})
export type ReviewerDatasetList = z.output<typeof ReviewerDatasetList>

export const KnowledgeFileItem = z.object({
  id: ulid,
  fileName: z.string(),
  mimeType: z.string(),
  fileSizeBytes: z.int(),
  status: FileStatus,
  chunksCount: z.int(),
  source: FileSource,
  enabled: z.boolean(),
  errorMessage: z.string().nullable(),
  createdOn: isoDate,
})
export type KnowledgeFileItem = z.output<typeof KnowledgeFileItem>

export const DatasetDetail = DatasetSummary.extend({
  embeddingProvider: z.string().nullable(),
  vectorSize: z.int().nullable(),
  chunkSize: z.int(),
  chunkOverlap: z.int(),
  parseType: ParseType,
  parserEngine: ParserEngine,
  vectorCollection: z.string(),
  /** The newest first, at most 1,000. */
  files: z.array(KnowledgeFileItem),
})
export type DatasetDetail = z.output<typeof DatasetDetail>

export const ReviewerDatasetQuery = z.object({ tenantId: ulid.optional() })

/** What a dataset can be told. */
export const DatasetConfig = z.object({
  name: z.string().trim().min(1).max(120).optional(),
  description: z.string().trim().max(1_000).nullable().optional(),
  chunkSize: chunkSize.optional(),
  /** Less than the chunk size. */
  chunkOverlap: chunkOverlap.optional(),
  parseType: ParseType.optional(),
  parserEngine: ParserEngine.optional(),
  allowedAgentRoles: z.array(z.string().min(1).max(80)).max(100).optional(),
})
export type DatasetConfig = z.output<typeof DatasetConfig>

const digits = z
  .string()
  .regex(/^\d{1,6}$/, 'Must be a whole number')
  .transform(Number)

/** How the files of an upload are to be ingested; a form sends its numbers as text. */
export const UploadOptions = z.object({
  chunkSize: digits.pipe(chunkSize).optional(),
  chunkOverlap: digits.pipe(chunkOverlap).optional(),
  parseType: ParseType.optional(),
  parserEngine: ParserEngine.optional(),
})
export type UploadOptions = z.output<typeof UploadOptions>

export const UploadReceipt = z.object({
  uploadedFiles: z.array(
    z.object({ id: ulid, fileName: z.string(), status: z.literal('pending'), jobId: z.string() }),
  ),
})
export type UploadReceipt = z.output<typeof UploadReceipt>

export const FileChange = z.object({ enabled: z.boolean().optional(), reIngest: z.boolean().optional() })
export type FileChange = z.output<typeof FileChange>

export const FileProgress = z.object({
  fileId: ulid,
  status: FileStatus,
  progress: z.int().min(0).max(100),
  chunksCount: z.int(),
  errorMessage: z.string().nullable(),
})
export type FileProgress = z.output<typeof FileProgress>

export const FileDeletion = z.object({ deleted: z.literal(true), chunksRemoved: z.int() })
export type FileDeletion = z.output<typeof FileDeletion>

export const ReindexReceipt = z.object({ jobsQueued: z.int(), estimatedMinutes: z.int() })
export type ReindexReceipt = z.output<typeof ReindexReceipt>

/** The largest file that the terminal sends, bytes. */
export const maxTerminalBytes = 10 * 1024 * 1024

/** The fields beside the file that the terminal sends. */
export const TerminalUpload = z.object({
  datasetSlug: z
    .enum(['client-documents', 'website-content', 'competitor-research'])
    .default('client-documents'),
  /** Otherwise the file waits until it is ingested by hand. */
  parseOnUpload: z
    .enum(['true', 'false'])
    .default('true')
    .transform((value) => value === 'true'),
  parser: z.enum(['builtin', 'advanced']).default('builtin'),
  /** Due where no header names the tenant. */
  tenantId: ulid.optional(),
})
export type TerminalUpload = z.output<typeof TerminalUpload>
