import { z } from 'zod'
import { isoDate, ulid } from '../../../../platform/wire.ts'
import { segmentTypes } from './entities.ts'

const name = z.string().trim().min(1).max(200)
const platformAudienceId = z.string().trim().min(1).max(200)

/** The most that an object of free form holds, characters of its JSON. */
const mostJson = 20_000

/** An object of free form. */
export const freeObject = z
  .record(z.string(), z.unknown())
  .refine((value) => JSON.stringify(value).length <= mostJson, `At most ${mostJson} characters of JSON`)

export const AudienceSegment = z.object({
  id: ulid,
  campaignId: ulid,
  name: z.string(),
  segmentType: z.enum(segmentTypes),
  filters: z.record(z.string(), z.unknown()),
  estimatedSize: z.int().nullable(),
  platformAudienceId: z.string().nullable(),
  source: z.enum(['agent', 'manual']),
  createdOn: isoDate,
  updatedOn: isoDate,
})
export type AudienceSegment = z.output<typeof AudienceSegment>
export const AudienceSegmentList = z.object({ data: z.array(AudienceSegment) })

export const NewAudienceSegment = z.object({
  name,
  segmentType: z.enum(segmentTypes),
  filters: freeObject.optional(),
  estimatedSize: z.int().min(0).max(2_000_000_000).optional(),
  platformAudienceId: platformAudienceId.optional(),
})
export type NewAudienceSegment = z.output<typeof NewAudienceSegment>

export const AudienceSegmentChange = z.object({
  name: name.optional(),
  filters: freeObject.optional(),
  platformAudienceId: platformAudienceId.nullable().optional(),
})
export type AudienceSegmentChange = z.output<typeof AudienceSegmentChange>
