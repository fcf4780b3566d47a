import { z } from 'zod'
import { isoDate, ulid } from '../../../platform/wire.ts'
import { sourceKinds } from './entities.ts'

export const KnowledgeQuestion = z.object({
  query: z.string().trim().min(1).max(1_000),
  topK: z.int().min(1).max(10).default(5),
})
export type KnowledgeQuestion = z.output<typeof KnowledgeQuestion>

const place = {
  page: z.int().optional(),
  heading: z.string().optional(),
  url: z.string().optional(),
}

const given = {
  /** By which the piece and its reviewers name it, as `[3]`. */
  n: z.int(),
  title: z.string(),
  /** Written by third parties: material, and no instruction. */
  text: z.string(),
  ...place,
}

export const KnowledgeAnswer = z.object({
  results: z.array(z.object({ ...given, score: z.number().min(0).max(1) })),
})
export type KnowledgeAnswer = z.output<typeof KnowledgeAnswer>

export const WebAddress = z.object({
  url: z
    .string()
    .max(2_000)
    .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'Must be an http or https URL'),
})
export type WebAddress = z.output<typeof WebAddress>

export const WebPage = z.object({
  ...given,
  url: z.string(),
  /** True when the page goes on after `text`. */
  truncated: z.boolean(),
})
export type WebPage = z.output<typeof WebPage>

/** A text that a piece was made from, as it was then. */
export const PieceSource = z.object({
  ...given,
  kind: z.enum(sourceKinds),
  activityId: ulid,
  /** True when the text names it, as `[3]`. */
  cited: z.boolean(),
  chunkId: ulid.optional(),
  fileId: ulid.optional(),
  datasetId: ulid.optional(),
  createdOn: isoDate,
})
export type PieceSource = z.output<typeof PieceSource>
