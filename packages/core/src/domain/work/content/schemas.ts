import { z } from 'zod'
import { coarseGranularities } from '../../../kernel/versions/compare.ts'
import { isoDate, page, pageQuery, queryInt, ulid } from '../../../platform/wire.ts'

/** One version of an activity's text, without the text. */
export const TextVersion = z.object({
  id: ulid,
  version: z.int(),
  author: z.object({ id: z.string(), name: z.string(), type: z.enum(['agent', 'human']) }),
  /** SHA-256 over the text's UTF-8 bytes, lower-case hex. */
  contentHash: z.string(),
  /** Whether people have approved exactly these bytes. */
  approved: z.boolean(),
  createdOn: isoDate,
})
export type TextVersion = z.output<typeof TextVersion>
export const TextVersionPage = page(TextVersion)

export const TextVersionDetail = TextVersion.extend({
  activityId: ulid,
  text: z.string(),
  format: z.enum(['markdown', 'html', 'plain']),
})
export type TextVersionDetail = z.output<typeof TextVersionDetail>

export const TextVersionQuery = pageQuery
export type TextVersionQuery = z.output<typeof TextVersionQuery>

const highest = 1_000_000_000

/** A version's number in a path. */
export const textVersionNumber = queryInt(1, highest)

export const TextDiffQuery = z.object({
  /** Default: the one before `to`. 0 is the empty text before the first. */
  from: queryInt(0, highest).optional(),
  /** Default: the newest. */
  to: queryInt(0, highest).optional(),
})
export type TextDiffQuery = z.output<typeof TextDiffQuery>

export const TextDiff = z.object({
  from: z.int(),
  to: z.int(),
  /** In order; those that are not `removed` make up the text of `to`, those that are not `added` that of `from`. */
  changes: z.array(z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() })),
  /** Where it is coarser than word by word, as of very long or very different texts: by lines, or the two texts as wholes. */
  granularity: z.enum(coarseGranularities).optional(),
})
export type TextDiff = z.output<typeof TextDiff>
