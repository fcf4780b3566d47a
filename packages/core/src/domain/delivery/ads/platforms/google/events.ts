import { z } from 'zod'
import { dayIn, instantAt } from '../../../../../kernel/periods.ts'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import type { ChangeValue } from '../../changes/entities.ts'
import type { EventsAddress, PlatformEvent, PlatformEventPart } from '../../platform.ts'
import { digits } from './campaigns.ts'
import { int64, search } from './wire.ts'

const Criterion = z.object({
  status: z.string().optional(),
  negative: z.boolean().optional(),
  keyword: z.object({ text: z.string(), matchType: z.string() }).optional(),
  cpcBidMicros: int64.optional(),
})
const Resource = z.object({
  campaign: z.object({ status: z.string().optional() }).optional(),
  campaignBudget: z.object({ amountMicros: int64.optional() }).optional(),
  adGroupCriterion: Criterion.optional(),
  campaignCriterion: Criterion.optional(),
  adGroupAd: z.object({ status: z.string().optional() }).optional(),
})
type Resource = z.output<typeof Resource>

const EventRow = z.object({
  changeEvent: z.object({
    resourceName: z.string().max(300),
    changeDateTime: z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/),
    changeResourceName: z.string().max(1_000).default(''),
    changeResourceType: z.string().max(100).default('UNKNOWN'),
    clientType: z.string().max(100).default('UNKNOWN'),
    userEmail: z.string().default(''),
    resourceChangeOperation: z.string().default('UNKNOWN'),
    changedFields: z.string().max(10_000).default(''),
    oldResource: Resource.default({}),
    newResource: Resource.default({}),
  }),
})
type ChangeEvent = z.output<typeof EventRow>['changeEvent']

/** The latest that are read; Google tells 10,000 of one query at most, and of the last 30 days only. */
const mostEvents = 2_000
const selected =
  'resource_name change_date_time change_resource_name change_resource_type client_type user_email resource_change_operation changed_fields old_resource new_resource'
    .split(' ')
    .map((name) => `change_event.${name}`)
    .join(', ')

/** Of the campaign, and of its budget, which is no part of a campaign there. */
export async function readAdEvents(
  call: PlatformCall,
  { account, campaignId, budgetName, timezone }: EventsAddress,
  { from, to }: { from: Date; to: Date },
): Promise<PlatformEvent[]> {
  const span = `change_event.change_date_time >= '${dayIn(from, timezone)} 00:00:00' AND change_event.change_date_time <= '${dayIn(to, timezone)} 23:59:59'`
  const of = [
    `change_event.campaign = 'customers/${digits(account.id)}/campaigns/${digits(campaignId)}'`,
    ...(budgetName !== null && /^customers\/\d{1,20}\/campaignBudgets\/\d{1,20}$/.test(budgetName)
      ? [`change_event.change_resource_name = '${budgetName}'`]
      : []),
  ]
  const found = new Map<string, PlatformEvent>()
  for (const condition of of) {
    const query = `SELECT ${selected} FROM change_event WHERE ${span} AND ${condition} ORDER BY change_event.change_date_time DESC LIMIT ${mostEvents}`
    for (const { changeEvent } of await search(call, account, query, EventRow))
      found.set(changeEvent.resourceName, toEvent(changeEvent, timezone))
  }
  return [...found.values()]
}

function toEvent(event: ChangeEvent, timezone: string): PlatformEvent {
  const { resourceName: key, changeDateTime, clientType, userEmail } = event
  const [day = '', time = ''] = changeDateTime.split(' ')
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  return {
    key,
    at: new Date(instantAt(day, hours * 60 + minutes, timezone).getTime() + Math.round(seconds * 1_000)),
    who: userEmail === '' ? null : userEmail.slice(0, 255),
    via: clientType === 'UNKNOWN' || clientType === 'UNSPECIFIED' ? null : words(clientType),
    mayBeOurs: clientType === 'GOOGLE_ADS_API',
    parts: partsOf(event),
  }
}

const words = (name: string) => name.toLowerCase().replaceAll('_', ' ')
const stateOf = (word: string | undefined): ChangeValue =>
  word === 'ENABLED' ? 'enabled' : word === 'PAUSED' ? 'paused' : word === undefined ? null : words(word)

/** More fields than these of one event are not listed one by one. */
const mostFields = 10

function partsOf(event: ChangeEvent): PlatformEventPart[] {
  const { changeResourceName, changeResourceType, resourceChangeOperation, changedFields } = event
  const { oldResource: old, newResource: now } = event
  const id = changeResourceName.split('/').at(-1) ?? ''
  const [head, tail] = id.split('~')
  const inGroup = changeResourceType.startsWith('AD_GROUP')
  const base = {
    kind: null,
    groupId: inGroup ? (head ?? null) : null,
    externalId: tail ?? head ?? null,
    keyword: criterionOf(now)?.keyword ?? criterionOf(old)?.keyword ?? null,
    before: null,
    after: null,
    isTold: true,
  }
  const what = nameOf(changeResourceType, base.keyword)
  if (resourceChangeOperation !== 'UPDATE') {
    const isMade = resourceChangeOperation === 'CREATE'
    const isNegative = (criterionOf(now)?.negative ?? criterionOf(old)?.negative) === true
    const isCriterion = isNegative || changeResourceType === 'CAMPAIGN_CRITERION'
    if (isCriterion && base.keyword) {
      const [before, after] = isMade ? [null, 'present'] : ['present', null]
      return [{ ...base, kind: 'negative_keyword', label: `Negative ${what}`, before, after }]
    }
    const kind = changeResourceType === 'AD_GROUP_AD' || changeResourceType === 'AD' ? ('ad' as const) : null
    const state = stateOf((isMade ? now : old).adGroupAd?.status) ?? 'present'
    const [before, after] = isMade ? [null, state] : [state, null]
    return [{ ...base, kind, isTold: changeResourceType !== 'AD', label: what, before, after }]
  }
  const fields = changedFields
    .split(',')
    .map((field) => field.trim().replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .filter((field) => field !== '')
  const known = fields.slice(0, mostFields).map((field): PlatformEventPart => {
    const name = field.split('.').at(-1) ?? ''
    const both = valuesOf(changeResourceType, name, [old, now])
    return both ? { ...base, ...both } : { ...base, label: `${what}: ${name.replaceAll('_', ' ')}` }
  })
  return known.length > 0 ? known : [{ ...base, label: what }]
}

const criterionOf = ({ adGroupCriterion, campaignCriterion }: Resource) =>
  adGroupCriterion ?? campaignCriterion

function nameOf(type: string, keyword: PlatformEventPart['keyword']): string {
  if (keyword) return `keyword “${keyword.text}” (${keyword.matchType.toLowerCase()})`
  const name = words(type)
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}

/** Before and after of what change sets change too. */
function valuesOf(
  type: string,
  field: string,
  [old, now]: readonly [Resource, Resource],
): Pick<PlatformEventPart, 'kind' | 'label' | 'before' | 'after'> | undefined {
  const both = <T extends ChangeValue>(of: (one: Resource) => T) => ({ before: of(old), after: of(now) })
  if (type === 'CAMPAIGN_BUDGET' && field === 'amount_micros') {
    const values = both(({ campaignBudget }) => campaignBudget?.amountMicros ?? null)
    return { kind: 'daily_budget', label: 'Daily budget', ...values }
  }
  if (type === 'CAMPAIGN' && field === 'status')
    return {
      kind: 'campaign_status',
      label: 'State of the campaign',
      ...both(({ campaign }) => stateOf(campaign?.status)),
    }
  if (type !== 'AD_GROUP_CRITERION') return undefined
  const { text = '' } = now.adGroupCriterion?.keyword ?? old.adGroupCriterion?.keyword ?? {}
  if (field === 'status') {
    const values = both(({ adGroupCriterion: one }) => stateOf(one?.status))
    return { kind: 'keyword_status', label: `State of “${text}”`, ...values }
  }
  if (field !== 'cpc_bid_micros') return undefined
  const values = both(({ adGroupCriterion: one }) => one?.cpcBidMicros ?? null)
  return { kind: 'keyword_bid', label: `Bid of “${text}”`, ...values }
}
