import { z } from 'zod'
import { isoDate, page, pageQuery, queryInt, ulid } from '../../platform/wire.ts'
import { coarseGranularities } from './compare.ts'

export const VersionItem = z.object({
  id: ulid,
  version: z.int(),
  createdBy: z.object({ id: z.string(), name: z.string() }),
  createdOn: isoDate,
  /** Null for an ordinary change. */
  note: z.string().nullable(),
})
export type VersionItem = z.output<typeof VersionItem>
export const VersionPage = page(VersionItem)

/** A version's number in a path. */
export const versionNumber = queryInt(1, 1_000_000_000)

export const VersionListQuery = pageQuery
export type VersionListQuery = z.output<typeof VersionListQuery>
export const VersionQuery = z.object({
  /** Compare with this version: what changed from it to the one in the path. */
  against: versionNumber.optional(),
})
export type VersionQuery = z.output<typeof VersionQuery>

const FieldChange = z.object({
  /** In dotted form, such as `adapterConfig.timeoutSec`. */
  field: z.string(),
  /** Absent where the field was not there. */
  before: z.unknown().optional(),
  /** Absent where the field is gone. */
  after: z.unknown().optional(),
  /** Of two texts, what changed word by word. */
  diff: z.array(z.object({ change: z.enum(['same', 'added', 'removed']), text: z.string() })).optional(),
  /** Where `diff` is coarser, as of very long or very different texts: by lines, or the two texts as wholes. */
  granularity: z.enum(coarseGranularities).optional(),
})
export type FieldChange = z.output<typeof FieldChange>

export const VersionDetail = VersionItem.extend({
  /** The state as it was. */
  data: z.record(z.string(), z.unknown()),
  /** Only with `against`. */
  against: z.int().optional(),
  changes: z.array(FieldChange).optional(),
})
export type VersionDetail = z.output<typeof VersionDetail>
