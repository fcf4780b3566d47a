import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import {
  dateColumn,
  idColumn,
  instantColumn,
  microsColumn,
  refColumn,
} from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'
import type { AdPlatformName } from '../entities.ts'
import type { MatchType } from '../keywords/entities.ts'

export const changeKinds = [
  'keyword_bid',
  'keyword_status',
  'daily_budget',
  'campaign_status',
  'negative_keyword',
  'ad',
] as const
export type ChangeKind = (typeof changeKinds)[number]

/**
 * `drifted`: the platform has another value than the plan began with, or the text of an ad is not the one that it was planned with, so
 * that nothing was done.
 */
export const itemStates = ['planned', 'refused', 'rejected', 'applied', 'drifted', 'failed'] as const
export type ItemState = (typeof itemStates)[number]

/** A number of millionths, a status, `present` for what exists, null for what does not. Of an ad: as `adStates`. */
export type ChangeValue = number | string | null

/**
 * What an ad with these texts and this address is at the platform: ready to be enabled by a person there, running, paused after it has
 * run, or not as it was made.
 */
export const adStates = {
  paused: 'paused',
  enabled: 'enabled',
  ran: 'paused after it ran',
  changed: 'another text',
} as const

/** What readers of an ad for searches see, in the order in which it was written. */
export interface AdTexts {
  headlines: string[]
  descriptions: string[]
}

/** An ad that is made of an approved text. */
export interface PlannedAd extends AdTexts {
  finalUrl: string
  /** SHA-256 of the text that it was made of. */
  contentHash: string
}

/** One thing that is changed at a platform. */
export interface ChangeItem {
  kind: ChangeKind
  /** In words. */
  label: string
  /** Our row, where there is one. */
  subjectId: string | null
  /** Ids of the platform: of the ad group, null for the campaign; and of the keyword, null until it has one. */
  groupId: string | null
  externalId: string | null
  /** Of a negative keyword. */
  text: string | null
  matchType: MatchType | null
  /** Of an ad, whose `subjectId` is the activity that its text is of. */
  ad?: PlannedAd
  before: ChangeValue
  after: ChangeValue
  state: ItemState
  /** Why it was refused, not done or cannot be undone, in words. */
  reason: string | null
  /** What the platform had when it was last looked at. */
  live: ChangeValue
  /** The platform's name for the request that did or refused it, where it was told one. */
  requestId?: string
  /** The share by which it may change at most, where that is less than guardrails let through. */
  mostStep?: number
}

export const changeSetStatuses = [
  'planned',
  'refused',
  'rejected',
  'approved',
  'applying',
  'unknown',
  'applied',
  'partly_applied',
  'failed',
] as const
export type ChangeSetStatus = (typeof changeSetStatuses)[number]

export const changeSources = ['plan', 'immediate', 'recommendation', 'undo'] as const
export type ChangeSource = (typeof changeSources)[number]

/** What some days have brought, as it is stored. */
export interface OutcomeSums {
  impressions: number
  clicks: number
  costMicros: number
  conversionMicros: number
}

/** So many days before a change beside as many after it, without the day itself. */
export interface ChangeOutcome {
  days: number
  /** ISO 8601. */
  measuredOn: string
  before: OutcomeSums
  after: OutcomeSums
  /** Other sets of the campaign that were applied within these days. */
  otherSets: number
}

/** A plan of what is changed at a platform, and what has become of it. It is approved by the digest of what was shown. */
export const AdChangeSet = defineEntity({
  name: 'AdChangeSet',
  tableName: 'ad_change_sets',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn(),
    mappingId: refColumn(),
    /** The account that it changes: what may be spent is counted for each. */
    accountId: p.string(),
    currency: p.string().length(3),
    title: p.string(),
    source: p.string().$type<ChangeSource>(),
    status: p.string().$type<ChangeSetStatus>(),
    /** SHA-256 of the account, the campaign and each item with before and after. */
    digest: p.string().length(64),
    items: p.json().$type<ChangeItem[]>(),
    undoOfId: refColumn().strictNullable(),
    /** Counts the turns; what an older one says is refused. */
    attempt: p.integer(),
    leaseUntil: instantColumn().strictNullable(),
    /** When it is looked at next; null once nothing more happens by itself. */
    nextAt: instantColumn().strictNullable(),
    /** A request to change something may have gone out, and what came of it is not known. */
    touched: p.boolean(),
    /** Turns in a row that have brought nothing. */
    failures: p.integer(),
    error: p.text().strictNullable(),
    requestedById: p.string(),
    requestedByName: p.string(),
    approvedById: p.string().strictNullable(),
    approvedByName: p.string().strictNullable(),
    approvedOn: instantColumn().strictNullable(),
    appliedOn: instantColumn().strictNullable(),
    /** What followed, after 7 and after 14 days, null before; and when the next one is due, null when there is none. */
    outcomes: p.json().$type<ChangeOutcome[]>().strictNullable(),
    outcomeAt: instantColumn().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  indexes: [
    { name: 'ad_change_sets_by_campaign', properties: ['campaignId', 'id'] },
    { name: 'ad_change_sets_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'ad_change_sets_due', properties: ['nextAt'], where: 'next_at is not null' },
    { name: 'ad_change_sets_outcomes', properties: ['outcomeAt'], where: 'outcome_at is not null' },
    { name: 'ad_change_sets_by_account', properties: ['tenantId', 'accountId', 'status'] },
  ],
  filters: ownedByTenant,
})
export type ChangeSetRow = InferEntity<typeof AdChangeSet>

/** What may be spent in one account of a platform; two platforms may name theirs alike. Without it, nothing that can cost more is done. */
export const AdLimit = defineEntity({
  name: 'AdLimit',
  tableName: 'ad_limits',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    platform: p.string().$type<AdPlatformName>(),
    accountId: p.string(),
    currency: p.string().length(3),
    /** Of all daily budgets together, in millionths of the currency. */
    dailyCapMicros: microsColumn(),
    /** The day from which the proposal was taken. */
    proposedOn: dateColumn(),
    /** The person who has set it; null as long as it is the proposal. */
    setByName: p.string().strictNullable(),
    /** What running campaigns may spend on a day, as the platform said last, and when; null where it has not said. */
    runningMicros: microsColumn().strictNullable(),
    runningOn: instantColumn().strictNullable(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'ad_limits_once', properties: ['tenantId', 'platform', 'accountId'] }],
  filters: ownedByTenant,
})
export type AdLimitRow = InferEntity<typeof AdLimit>

export const changeEntities = [AdChangeSet, AdLimit]
