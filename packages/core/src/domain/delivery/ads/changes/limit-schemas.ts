import { z } from 'zod'
import { isoDate, ulid } from '../../../../platform/wire.ts'
import { adPlatformNames } from '../entities.ts'

/** What an account may spend on a day, and what of it is taken. All amounts are in millionths of `currency`. */
export const AdAccountLimit = z.object({
  accountId: z.string(),
  platform: z.enum(adPlatformNames),
  currency: z.string(),
  /** All daily budgets together; null where none is known: then nothing that can cost more is done. */
  dailyLimitMicros: z.int().nullable(),
  /** What running campaigns of the account may spend, as the platform said last; null where it has not said. */
  runningMicros: z.int().nullable(),
  runningOn: isoDate.nullable(),
  /** What change sets that are planned or on their way would add. */
  plannedMicros: z.int(),
  /** The limit without what runs and what is planned; below zero where these are more. Null where one of them is not known. */
  leftMicros: z.int().nullable(),
  /** The person who has set the limit; null as long as it is the one that was proposed at the import. */
  setBy: z.string().nullable(),
  updatedOn: isoDate.nullable(),
})
export type AdAccountLimit = z.output<typeof AdAccountLimit>

export const AdLimitList = z.object({ data: z.array(AdAccountLimit) })
export type AdLimitList = z.output<typeof AdLimitList>

export const AdLimitQuery = z.object({
  tenantId: ulid.optional(),
  /** Only accounts that this campaign runs in. */
  campaignId: ulid.optional(),
})
export type AdLimitQuery = z.output<typeof AdLimitQuery>

export const NewAdLimit = z.object({
  /** Needed only where accounts of several platforms have this id. */
  platform: z.enum(adPlatformNames).optional(),
  /** As the platform names the account. */
  accountId: z.string().trim().min(1).max(100),
  /** In millionths of the currency. */
  dailyLimitMicros: z.int().min(1).max(1_000_000_000_000_000),
  /** Names the currency that is meant; another one than the account's is refused. */
  currency: z.string().regex(/^[A-Z]{3}$/),
})
export type NewAdLimit = z.output<typeof NewAdLimit>
