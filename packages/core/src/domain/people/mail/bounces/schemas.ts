import { z } from 'zod'
import { isoDate, pageQuery, ulid } from '../../../../platform/wire.ts'
import { suppressionReasons } from './entities.ts'

export const SuppressedQuery = pageQuery.extend({ reason: z.enum(suppressionReasons).optional() })
export type SuppressedQuery = z.output<typeof SuppressedQuery>

export const SuppressedItem = z.object({
  id: ulid,
  address: z.string(),
  reason: z.enum(suppressionReasons),
  /** What the mail server, or the mail service, has said. */
  detail: z.string(),
  mailId: ulid,
  tenantId: ulid.nullable(),
  createdOn: isoDate,
})
export type SuppressedItem = z.output<typeof SuppressedItem>
