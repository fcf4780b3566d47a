import { z } from 'zod'
import { isoDate, page, pageQuery, ulid } from '../../../../platform/wire.ts'
import { AdFigures } from '../../../work/campaigns/metrics/schemas.ts'
import { adPlatformNames } from '../entities.ts'
import { matchTypes } from '../keywords/entities.ts'
import { OutsideChangeItem } from '../outside/schemas.ts'
import { type ChangeItem, changeKinds, changeSetStatuses, changeSources, itemStates } from './entities.ts'

/** In millionths of the account's currency. */
const micros = z.int().min(1).max(1_000_000_000_000)
/** Names the currency that is meant; another one than the account's is refused. */
const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .optional()
const keywordText = z.string().trim().min(1).max(80)

const Change = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('keyword_bid'), keywordId: ulid, bidMicros: micros, currency }),
  z.object({ kind: z.literal('keyword_status'), keywordId: ulid, status: z.enum(['enabled', 'paused']) }),
  z.object({ kind: z.literal('daily_budget'), dailyBudgetMicros: micros, currency }),
  z.object({ kind: z.literal('campaign_status'), status: z.enum(['enabled', 'paused']) }),
  z.object({
    kind: z.literal('add_negative'),
    keyword: keywordText,
    matchType: z.enum(matchTypes),
    adGroupId: ulid.optional(),
  }),
  z.object({ kind: z.literal('remove_negative'), negativeKeywordId: ulid }),
  /** Made paused: nothing here can enable an ad, a person does that at the platform. */
  z.object({
    kind: z.literal('add_ad'),
    activityId: ulid,
    adGroupId: ulid,
    finalUrl: z.string().trim().min(1).max(2_048),
  }),
])
export type Change = z.output<typeof Change>

/** What only an undo does: an ad that was made is removed, and one that was removed is made of the same text. */
type AdUndo =
  | { kind: 'remove_ad'; item: ChangeItem }
  | (Extract<Change, { kind: 'add_ad' }> & { contentHash: string })
export type PlannedChange = Change | AdUndo

export const NewChangeSet = z.object({
  title: z.string().trim().min(1).max(200).optional(),
  /** Where it is changed; needed where the campaign runs at several platforms and nothing is said of keywords. */
  platform: z.enum(adPlatformNames).optional(),
  changes: z.array(Change).min(1).max(100),
})
export type NewChangeSet = z.output<typeof NewChangeSet>

const value = z.union([z.number(), z.string()]).nullable()

const ChangeSetItem = z.object({
  kind: z.enum(changeKinds),
  label: z.string(),
  /** Bids and budgets in millionths of the currency; `present` for a negative keyword that is there, a status, null for what is not there. */
  before: value,
  after: value,
  /** What the platform had when it was last looked at. */
  live: value,
  /** The ad that is made or removed; null for every other kind. */
  ad: z
    .object({
      activityId: ulid,
      /** SHA-256 of the approved text that it is made of. */
      contentHash: z.string(),
      headlines: z.array(z.string()),
      descriptions: z.array(z.string()),
      finalUrl: z.string(),
    })
    .nullable(),
  state: z.enum(itemStates),
  /** Why it was refused, or not done. */
  reason: z.string().nullable(),
  /** By which the platform's support finds the request that did or refused it; null where it has told none. */
  requestId: z.string().nullable(),
})

export const AdOutcome = z.object({
  days: z.int(),
  measuredOn: isoDate,
  before: AdFigures,
  after: AdFigures,
  /** Other change sets of the campaign that were applied within these days. */
  otherSets: z.int(),
})
export type AdOutcome = z.output<typeof AdOutcome>

export const ChangeSet = z.object({
  id: ulid,
  campaignId: ulid,
  title: z.string(),
  source: z.enum(changeSources),
  status: z.enum(changeSetStatuses),
  accountId: z.string(),
  currency: z.string(),
  /** Approve with it: it stands for exactly these items. */
  digest: z.string(),
  items: z.array(ChangeSetItem),
  undoOfId: ulid.nullable(),
  error: z.string().nullable(),
  requestedBy: z.string(),
  approvedBy: z.string().nullable(),
  approvedOn: isoDate.nullable(),
  appliedOn: isoDate.nullable(),
  /** Of plans and recommendations: as many days before and after the day of the change, 7 first, then 14. */
  outcomes: z.array(AdOutcome),
  createdOn: isoDate,
})
export type ChangeSet = z.output<typeof ChangeSet>
export const ChangeSetPage = page(ChangeSet).extend({
  /** The latest changes that others have made at the platform, newest first; empty on all pages but the first. */
  outside: z.array(OutsideChangeItem),
})
export type ChangeSetPage = z.output<typeof ChangeSetPage>

export const ChangeSetQuery = pageQuery.extend({
  tenantId: ulid.optional(),
  'filter.status': z.enum(changeSetStatuses).optional(),
})
export type ChangeSetQuery = z.output<typeof ChangeSetQuery>

export const ChangeSetApproval = z.object({
  digest: z.string().regex(/^[0-9a-f]{64}$/, 'Must be the digest of the change set'),
  /** Items that are not to be done, by their place from 0. */
  reject: z.array(z.int().min(0).max(99)).max(100).optional(),
})
export type ChangeSetApproval = z.output<typeof ChangeSetApproval>

export const KeywordChange = z
  .object({ bidMicros: micros.optional(), status: z.enum(['enabled', 'paused']).optional() })
  .refine(({ bidMicros, status }) => bidMicros !== undefined || status !== undefined, {
    path: ['bidMicros'],
    message: 'Name a bid or a status',
  })
export type KeywordChange = z.output<typeof KeywordChange>

export const NewNegative = z.object({
  keyword: keywordText,
  matchType: z.enum(matchTypes),
  adGroupId: ulid.optional(),
})
export type NewNegative = z.output<typeof NewNegative>

export const PushOrder = z.object({ matchType: z.enum(matchTypes) })
export type PushOrder = z.output<typeof PushOrder>

export const NegativesReceipt = z.object({
  /** Terms that are negative keywords at the platform now. */
  pushed: z.int(),
  refused: z.array(z.object({ searchTerm: z.string(), reason: z.string() })),
  /** Null where there was nothing to push. */
  changeSetId: ulid.nullable(),
})
export type NegativesReceipt = z.output<typeof NegativesReceipt>
