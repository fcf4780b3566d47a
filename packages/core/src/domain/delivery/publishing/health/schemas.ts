import { z } from 'zod'
import { isoDate, ulid } from '../../../../platform/wire.ts'
import { Channel } from '../../../accounts/channels/schemas.ts'
import { AccountDayItem } from '../account-days/schemas.ts'
import { engagementBases } from './engagement.ts'

export const healthParts = ['completeness', 'activityScore', 'engagement'] as const

/** What a person can do about a channel. */
export const adviceCodes = [
  'reconnect',
  'consent_ends',
  'choose_account',
  'answer',
  'held',
  'failures',
  'waiting',
  'quiet',
  'unheard',
  'figures_refused',
] as const

const score = z.int().min(0).max(100)

const Advice = z.object({
  code: z.enum(adviceCodes),
  text: z.string(),
  /** Of the consent, or of the platform's limit. */
  until: isoDate.optional(),
})
export type Advice = z.output<typeof Advice>

export const ChannelHealth = z.object({
  channelId: ulid,
  /** The weighted mean of the parts that are measured; 0 while the channel is not connected. */
  healthScore: score,
  breakdown: z.object({ completeness: score, activityScore: score, engagement: score }),
  /** The parts for which there are facts; the others are 0 and do not count. */
  measured: z.array(z.enum(healthParts)),
  /** What was counted over the last 30 days. */
  facts: z.object({
    published: z.int(),
    /** Publications, and changes of posts that are out; so of those held. */
    failed: z.int(),
    held: z.int(),
    unanswered: z.int(),
    /** When the consent ends; null where it is renewed, or does not end. */
    consentEndsAt: isoDate.nullable(),
    /** The platform is left alone until then. */
    waitsUntil: isoDate.nullable(),
    /** When the platform last refused the figures of posts; null where it tells them. */
    figuresRefusedAt: isoDate.nullable(),
    /** What people do with the posts of a month, and did with those of the two months before; null where too little is known. */
    engagement: z.object({ recent: z.number(), usual: z.number(), per: z.enum(engagementBases) }).nullable(),
  }),
  /** What to do, the most urgent first; empty when all is well. */
  advice: z.array(Advice),
  /** What the platform has counted of the account as a whole, the newest day first; 35 days at most, none where it counts nothing. */
  accountDays: z.array(AccountDayItem),
  lastPublishedAt: isoDate.optional(),
  computedAt: isoDate,
})
export type ChannelHealth = z.output<typeof ChannelHealth>

const MobileChannel = Channel.pick({
  id: true,
  name: true,
  type: true,
  status: true,
  healthScore: true,
  accountName: true,
})
export const MobileChannelList = z.object({ data: z.array(MobileChannel) })
export type MobileChannelList = z.output<typeof MobileChannelList>
