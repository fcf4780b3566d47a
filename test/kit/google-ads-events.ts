import type { AdsAccount, Criterion } from './google-ads-rows.ts'

/** One change of an account, as its history tells it. */
export interface AccountEvent {
  id: string
  at: Date
  /** Who has done it, and by which program. */
  user: string
  client: string
  resource: string
  resourceType: string
  operation: 'CREATE' | 'UPDATE' | 'REMOVE'
  /** Left out for a budget. */
  campaign?: string
  changed: string[]
  old: object
  new: object
}

/** An event is told that much after it has happened at the latest, milliseconds. */
const lateMs = 3 * 60_000
const mostDays = 30
const mostRows = 10_000

/** What is wrong with a query of the history: its code of `changeEventError`; undefined where nothing is. */
export function eventQueryFault(query: string, now: number): string | undefined {
  const limit = / LIMIT (\d+)$/.exec(query)?.[1]
  if (limit === undefined) return 'LIMIT_NOT_SPECIFIED'
  if (Number(limit) > mostRows) return 'INVALID_LIMIT_CLAUSE'
  const from = /change_event\.change_date_time >= '([^']+)'/.exec(query)?.[1]
  const to = /change_event\.change_date_time <= '([^']+)'/.exec(query)?.[1]
  if (from === undefined || to === undefined) return 'CHANGE_DATE_RANGE_INFINITE'
  if (from > to) return 'CHANGE_DATE_RANGE_NEGATIVE'
  // A day is over somewhere else when it has not begun here.
  const first = new Date(now - (mostDays + 1) * 86_400_000).toISOString().slice(0, 10)
  return from.slice(0, 10) < first ? 'START_DATE_TOO_OLD' : undefined
}

/** A moment by the clocks of an account. */
export function wallTime(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return `${parts.format(at)}.${String(at.getUTCMilliseconds()).padStart(3, '0')}000`
}

/** What the history tells at a moment, the newest first. */
const toldEvents = ({ id, timezone, events }: AdsAccount, now: number) =>
  events
    .filter(({ at }) => at.getTime() <= now - lateMs)
    .toSorted((a, b) => b.at.getTime() - a.at.getTime())
    .map((event) => ({
      changeEvent: {
        resourceName: `customers/${id}/changeEvents/${event.id}`,
        changeDateTime: wallTime(event.at, timezone),
        changeResourceName: event.resource,
        changeResourceType: event.resourceType,
        clientType: event.client,
        userEmail: event.user,
        resourceChangeOperation: event.operation,
        changedFields: event.changed.join(','),
        oldResource: event.old,
        newResource: event.new,
        ...(event.campaign !== undefined && { campaign: `customers/${id}/campaigns/${event.campaign}` }),
      },
    }))

/** Those of the history that were told by now, between the bounds of a query by the clocks of the account, and all ads that were enabled. */
export function eventsWithin(account: AdsAccount, conditions: string, now: number) {
  const [, from = ''] = /change_date_time >= '([^']+)'/.exec(conditions) ?? []
  const [, to = ''] = /change_date_time <= '([^']+)'/.exec(conditions) ?? []
  const told = toldEvents(account, now).filter(
    ({ changeEvent: { changeDateTime: at } }) => at >= from && at.slice(0, 19) <= to,
  )
  const enabled = account.enabled.map((id) => ({
    changeEvent: {
      changeResourceName: `customers/${account.id}/adGroupAds/${id}`,
      changeResourceType: 'AD_GROUP_AD',
      changeDateTime: '2026-04-01 12:00:00',
      newResource: { adGroupAd: { status: 'ENABLED' } },
    },
  }))
  return [...told, ...enabled]
}

type Operation = {
  create?: Record<string, unknown>
  update?: Record<string, unknown>
  updateMask?: string
  remove?: string
}

const types: Readonly<Record<string, readonly [string, string]>> = {
  campaignBudgetOperation: ['CAMPAIGN_BUDGET', 'campaignBudget'],
  campaignOperation: ['CAMPAIGN', 'campaign'],
  adGroupCriterionOperation: ['AD_GROUP_CRITERION', 'adGroupCriterion'],
  campaignCriterionOperation: ['CAMPAIGN_CRITERION', 'campaignCriterion'],
  adGroupAdOperation: ['AD_GROUP_AD', 'adGroupAd'],
}

/**
 * The event of an operation that was done.
 * @param accounts before and after it
 * @param resource as the answer names it
 */
export function eventOf(
  [before, after]: readonly [AdsAccount, AdsAccount],
  given: Readonly<Record<string, Operation>>,
  resource: string,
  by: Pick<AccountEvent, 'id' | 'at' | 'user' | 'client'>,
): AccountEvent {
  const [kind = '', operation = {}] = Object.entries(given)[0] ?? []
  const [resourceType = 'UNKNOWN', name = 'unknown'] = types[kind] ?? []
  const id = resource.split('/').at(-1) ?? ''
  const [head = ''] = id.split('~')
  const group = after.adGroups.get(head)?.campaign
  const campaign = resourceType.startsWith('CAMPAIGN') ? head : group
  return {
    ...by,
    resource,
    resourceType,
    operation: operation.update ? 'UPDATE' : operation.remove === undefined ? 'CREATE' : 'REMOVE',
    ...(resourceType !== 'CAMPAIGN_BUDGET' && campaign !== undefined && { campaign }),
    changed: (operation.updateMask ?? '').split(',').filter(Boolean),
    old: { [name]: resourceIn(before, resourceType, id) },
    new: { [name]: resourceIn(after, resourceType, id) },
  }
}

function resourceIn(account: AdsAccount, type: string, id: string): object {
  switch (type) {
    case 'CAMPAIGN_BUDGET':
      return { amountMicros: String(account.budgets.get(id)?.amountMicros ?? 0n) }
    case 'CAMPAIGN':
      return { status: account.campaigns.get(id)?.status }
    case 'AD_GROUP_CRITERION':
      return criterion(account.criteria.get(id))
    case 'CAMPAIGN_CRITERION':
      return criterion(account.negatives.get(id))
    default:
      return { status: [...account.ads.values()].find((ad) => `${ad.of}~${ad.id}` === id)?.status }
  }
}

const criterion = (one: Criterion | undefined): object =>
  one
    ? {
        status: one.status,
        negative: one.negative,
        keyword: { text: one.text, matchType: one.matchType },
        ...(one.bidMicros !== undefined && { cpcBidMicros: String(one.bidMicros) }),
      }
    : {}
