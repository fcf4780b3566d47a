import { z } from 'zod'
import { isoDate, page, pageQuery, ulid } from '../../../platform/wire.ts'
import { answerWays } from './entities.ts'

/** `expired` is what no one has answered, or what was agreed to and not done, within ten minutes. */
export const consentStatuses = ['pending', 'agreed', 'declined', 'used', 'expired'] as const
export type ConsentStatus = (typeof consentStatuses)[number]

export const ConsentItem = z.object({
  id: ulid,
  status: z.enum(consentStatuses),
  /** The assistant that asks, as it names itself. */
  assistant: z.string(),
  operation: z.string(),
  /** The command as it would be typed. */
  line: z.string(),
  /** What it would touch, in lines. */
  touches: z.string(),
  answeredHow: z.enum(answerWays).nullable(),
  answeredOn: isoDate.nullable(),
  createdOn: isoDate,
  expiresAt: isoDate,
})
export type ConsentItem = z.output<typeof ConsentItem>
export const ConsentPage = page(ConsentItem)

export const ConsentQuery = pageQuery
export type ConsentQuery = z.output<typeof ConsentQuery>

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256 in lower-case hex')

/** What an assistant wants to do. */
export const ConsentRequest = z.object({
  operation: z.string().min(1).max(60),
  line: z.string().min(1).max(100_000),
  touches: z.string().max(300_000),
  actHash: sha256,
})
export type ConsentRequest = z.output<typeof ConsentRequest>

export const ConsentAnswer = z.object({ agreed: z.boolean() })
export type ConsentAnswer = z.output<typeof ConsentAnswer>

export const ConsentUse = z.object({
  actHash: sha256,
  /** What the person said whom the assistant's program has asked itself. */
  elicited: z.enum(['accepted', 'declined']).optional(),
})
export type ConsentUse = z.output<typeof ConsentUse>
