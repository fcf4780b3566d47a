import { z } from 'zod'
import { isoDate, page, pageQuery, queryInt, ulid } from '../../platform/wire.ts'

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
  field: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  diff: z.array(z.object({ change: z.enum(['same', 'added', 'removed']), text: z.string() })).optional(),
})

export const VersionDetail = VersionItem.extend({
  /** The state as it was. */
  data: z.record(z.string(), z.unknown()),
  /** Only with `against`. */
  against: z.int().optional(),
  changes: z.array(FieldChange).optional(),
})
export type VersionDetail = z.output<typeof VersionDetail>
