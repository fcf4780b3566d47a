import { z } from 'zod'
import { isoDate, ulid } from '../../../platform/wire.ts'

/**
 * What agents and answers weigh meaning with: as a default it must not find less than words alone do, also with a weak model
 * (docs/benchmarks.md).
 */
export const carefulAlpha = 0.3

export const KnowledgeSearch = z.object({
  query: z.string().trim().min(1).max(1_000),
  datasetIds: z.array(ulid).min(1).max(20),
  topK: z.int().min(1).max(20).default(5),
  /** 0 is by words only, 1 by vectors only. Without vectors, or a model for the query, it is by words. */
  hybridAlpha: z.number().min(0).max(1).default(0.7),
  minScore: z.number().min(0).max(1).optional(),
  /** Has a configured model rank the best; without one it changes nothing. */
  rerank: z.boolean().optional(),
})
export type KnowledgeSearch = z.output<typeof KnowledgeSearch>

const KnowledgeResult = z.object({
  chunkId: ulid,
  fileId: ulid,
  fileName: z.string(),
  datasetId: ulid,
  content: z.string(),
  score: z.number().min(0).max(1),
  rankSource: z.enum(['vector', 'keyword', 'hybrid']),
  metadata: z.object({
    pageNumber: z.int().optional(),
    heading: z.string().optional(),
    url: z.string().optional(),
    publishedAt: isoDate.optional(),
  }),
})
export type KnowledgeResult = z.output<typeof KnowledgeResult>

export const KnowledgeResults = z.object({ results: z.array(KnowledgeResult), searchMs: z.number() })
export type KnowledgeResults = z.output<typeof KnowledgeResults>
