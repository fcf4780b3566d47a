import { z } from 'zod'
import { isoDate, ulid } from '../../platform/wire.ts'

/** What a runtime calls one of its conversations. */
export const SessionName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'Must be printable ASCII without spaces')

const tokens = z.int().min(0).max(1_000_000_000_000)

export const SessionReport = z.object({
  sessionId: SessionName,
  /** The run that used it last; one of this role. */
  activityRunId: ulid,
  inputTokensSoFar: tokens,
  outputTokensSoFar: tokens,
})
export type SessionReport = z.output<typeof SessionReport>
export const SessionReceipt = z.object({ sessionId: z.string(), upserted: z.literal(true) })

/** Null and zeros where there has been none. */
export const LatestSession = z.object({
  sessionId: z.string().nullable(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  createdAt: isoDate.nullable(),
})
export type LatestSession = z.output<typeof LatestSession>
