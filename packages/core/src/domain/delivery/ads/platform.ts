import type { ChannelType } from '../../accounts/channels/entities.ts'
import type { PlatformCall, PlatformRules } from '../../accounts/channels/platform-call.ts'
import type { DayFigures } from '../../work/campaigns/metrics/record-queries.ts'
import type { ChangeItem, ChangeValue } from './changes/entities.ts'
import type { AdPlatformName } from './entities.ts'
import type { KeywordStatus, MatchType } from './keywords/entities.ts'

/** Which account of a platform is meant, and how it is reached. */
export interface AdAccount {
  id: string
  loginId: string | null
  currency: string
  timezone: string
}

/** A campaign as the platform has it now. */
export interface PlatformCampaign {
  account: AdAccount
  id: string
  name: string
  /** In the platform's words. */
  status: string
  isRunning: boolean
  /** In millionths of the account's currency; null where it has no daily budget of its own. */
  dailyBudgetMicros: number | null
  /** What it may spend on a day by all its budgets, where it has others than that one. */
  spendMicros?: number
  budgetName: string | null
  budgetShared: boolean
  startDate: string | null
  endDate: string | null
}

/** Which campaign is meant. */
export interface CampaignAddress {
  account: Pick<AdAccount, 'id' | 'loginId'>
  campaignId: string
}

export interface PlatformGroup {
  id: string
  name: string
  status: KeywordStatus
  bidMicros: number | null
}

export interface PlatformKeyword {
  id: string
  groupId: string
  text: string
  matchType: MatchType
  status: KeywordStatus
  bidMicros: number | null
  qualityScore: number | null
  impressions: number
  clicks: number
  costMicros: number
  conversionMicros: number
}

export interface PlatformNegative {
  id: string
  /** Null: of the whole campaign. */
  groupId: string | null
  text: string
  matchType: MatchType
}

/** What people have searched for on one day, over all ad groups. */
export interface PlatformTerm extends DayFigures {
  term: string
}

/** A page that an enabled ad leads to, and what the ad has cost in a span. */
export interface PlatformPage {
  url: string
  costMicros: number
}

/** What a platform has that shows ads for searches. */
export interface SearchAds {
  /** @param span of the figures @throws PlatformError */
  keywords(
    call: PlatformCall,
    at: CampaignAddress,
    span: { from: string; to: string },
  ): Promise<{ groups: PlatformGroup[]; keywords: PlatformKeyword[]; negatives: PlatformNegative[] }>
  /** @throws PlatformError */
  terms(call: PlatformCall, at: CampaignAddress, span: { from: string; to: string }): Promise<PlatformTerm[]>
  /** Of each enabled ad in an enabled ad group. @throws PlatformError */
  pages(call: PlatformCall, at: CampaignAddress, span: { from: string; to: string }): Promise<PlatformPage[]>
}

/** What an item is at a platform now. */
export interface LiveValue {
  value: ChangeValue
  externalId?: string
  /** Of a bid: the one of the ad group, which holds where the keyword has none of its own. */
  groupBidMicros?: number | null
}

/** What a campaign may spend, and of which budget. */
export type LiveBudget = Pick<PlatformCampaign, 'dailyBudgetMicros' | 'budgetName' | 'budgetShared'>

/** What a platform has now. */
export interface LiveState {
  /** Of each item. */
  values: LiveValue[]
  /** Of the campaign, where an item is about money; undefined where it was not asked for, or is not there any more. */
  budget: LiveBudget | undefined
}

/** A keyword that ads are shown for. */
export interface LiveKeyword {
  groupId: string
  text: string
}

/** What has become of one item. */
export interface ItemOutcome {
  /** Why the platform does not take it, in its words. */
  refusal?: string
  /** Of what was created. */
  externalId?: string
  /** By which the platform's support finds the request that did or refused it. */
  requestId?: string
}

/** How things are changed at a platform. */
export interface AdChanges {
  /** The present value of each item, with what guardrails measure it by. @throws PlatformError */
  live(call: PlatformCall, at: CampaignAddress, items: readonly ChangeItem[]): Promise<LiveState>
  /**
   * The enabled keywords of a campaign. Left out where there are none.
   * @throws PlatformError also for more of them than are looked through
   */
  keywords?(call: PlatformCall, at: CampaignAddress): Promise<LiveKeyword[]>
  /** What all running campaigns of an account may spend on a day, in millionths; infinite where that is not known. @throws PlatformError */
  dailySpend(call: PlatformCall, account: CampaignAddress['account']): Promise<number>
  /**
   * Changes what the items say, all or none, in absolute values, so that it is the same however often it is done.
   * @param how `dry`: only asks whether the platform would take each
   * @throws PlatformError `unknown` when it was sent and the answer was lost
   */
  mutate(
    call: PlatformCall,
    at: CampaignAddress & { budgetName: string | null },
    items: readonly ChangeItem[],
    how: { dry: boolean },
  ): Promise<ItemOutcome[]>
}

/** One thing of an event, which a change set could have done or not. */
export interface PlatformEventPart {
  /** Null: nothing that a change set changes. */
  kind: ChangeItem['kind'] | null
  label: string
  groupId: string | null
  externalId: string | null
  keyword: { text: string; matchType: string } | null
  before: ChangeValue
  after: ChangeValue
  /** Whether the platform tells the value after it; only then it says whose it is. */
  isTold: boolean
}

/** What a platform says that someone has changed, and when. */
export interface PlatformEvent {
  /** By which it is known again; at most 300 characters. */
  key: string
  at: Date
  who: string | null
  via: string | null
  /** By the program that has done it, where that is told. */
  mayBeOurs: boolean
  parts: PlatformEventPart[]
}

/** Whose events are asked for: the campaign, and the budget that it spends. */
export type EventsAddress = CampaignAddress & {
  budgetName: string | null
  currency: string
  timezone: string
}

/** Everything that is particular to one advertising platform. Reads change nothing there. */
export interface AdPlatform {
  name: AdPlatformName
  /** The type of channel whose consent opens it. */
  channel: ChannelType
  rules: PlatformRules
  /** What its budgets are multiples of, in millionths of a currency; undefined for a currency of which that is not known. */
  budgetUnit(currency: string): number | undefined
  /** Its words for the two states of a campaign that can be changed. */
  words: Readonly<Record<'enabled' | 'paused', string>>
  /** All campaigns of all accounts that the consent opens, but those that were removed. @throws PlatformError */
  campaigns(call: PlatformCall): Promise<PlatformCampaign[]>
  /** One campaign; undefined where it is not there any more. @throws PlatformError */
  campaign(call: PlatformCall, at: CampaignAddress): Promise<PlatformCampaign | undefined>
  /** Its days with a figure, both bounds included, in the account's zone. @throws PlatformError */
  days(call: PlatformCall, at: CampaignAddress, span: { from: string; to: string }): Promise<DayFigures[]>
  /**
   * What was changed in a campaign, by anyone, the latest thousands of it. Left out where the platform keeps no history.
   * @param span within the last thirty days @throws PlatformError
   */
  events?(call: PlatformCall, at: EventsAddress, span: { from: Date; to: Date }): Promise<PlatformEvent[]>
  /** Left out where there are no keywords. */
  search?: SearchAds
  /** Left out where nothing is changed. */
  changes?: AdChanges
}

/** The advertising platforms of an instance. */
export type AdPlatforms = ReadonlyMap<AdPlatformName, AdPlatform>

declare module '../../../kernel/services.ts' {
  interface Services {
    adPlatforms: AdPlatforms
  }
}
