import { z } from 'zod'
import { isoDay } from '../../../../../platform/wire.ts'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import type { DayFigures } from '../../../../work/campaigns/metrics/record-queries.ts'
import type { AdAccount, CampaignAddress, PlatformCampaign } from '../../platform.ts'
import { accountZone, budgetPerDay, dayOf } from '../values.ts'
import { googleAddress, googleHeaders, id64, int64, readGoogle, search } from './wire.ts'

const CurrencyCode = z.string().regex(/^[A-Z]{3}$/)
const Accessible = z.object({ resourceNames: z.array(z.string()).default([]) })

const Client = z.object({
  customerClient: z.object({
    id: id64,
    currencyCode: CurrencyCode.default('USD'),
    timeZone: z.string().default('UTC'),
    manager: z.boolean().default(false),
    status: z.string().default('UNKNOWN'),
  }),
})

/** More accounts than these one consent is not looked through for. */
const mostAccounts = 50

/** The accounts that hold campaigns, of all that a consent opens; managers only lead to them. */
async function accounts(call: PlatformCall): Promise<AdAccount[]> {
  const answer = await call.request({
    url: googleAddress(call, 'customers:listAccessibleCustomers'),
    headers: googleHeaders(call, null),
    effect: 'read',
  })
  const found = new Map<string, AdAccount>()
  for (const name of readGoogle(answer, Accessible).resourceNames) {
    const root = /^customers\/(\d{1,20})$/.exec(name)?.[1]
    if (root === undefined || found.has(root)) continue
    const query = `SELECT customer_client.id, customer_client.currency_code, customer_client.time_zone, customer_client.manager, customer_client.status FROM customer_client WHERE customer_client.status = 'ENABLED'`
    for (const { customerClient } of await search(call, { id: root, loginId: root }, query, Client)) {
      const { id, currencyCode, timeZone, manager } = customerClient
      if (manager || found.has(id) || found.size >= mostAccounts) continue
      found.set(id, {
        id,
        loginId: id === root ? null : root,
        currency: currencyCode,
        timezone: accountZone(timeZone),
      })
    }
  }
  return [...found.values()]
}

const Span = z.object({ startDateTime: z.string().optional(), endDateTime: z.string().optional() })
const Budget = z.object({
  resourceName: z.string().optional(),
  amountMicros: int64.optional(),
  totalAmountMicros: int64.optional(),
  explicitlyShared: z.boolean().optional(),
  period: z.string().default('DAILY'),
})
const Row = z.object({
  customer: z.object({ currencyCode: CurrencyCode, timeZone: z.string() }),
  campaign: Span.extend({ id: id64, name: z.string().max(1_000), status: z.string() }),
  campaignBudget: Budget.optional(),
})

const spendFields =
  'campaign.start_date_time, campaign.end_date_time, campaign_budget.resource_name, campaign_budget.amount_micros, campaign_budget.total_amount_micros, campaign_budget.period'
const fields = `customer.currency_code, customer.time_zone, campaign.id, campaign.name, campaign.status, campaign_budget.explicitly_shared, ${spendFields}`

export async function readCampaigns(call: PlatformCall): Promise<PlatformCampaign[]> {
  const all: PlatformCampaign[] = []
  for (const account of await accounts(call)) {
    const query = `SELECT ${fields} FROM campaign WHERE campaign.status != 'REMOVED' ORDER BY campaign.id`
    for (const row of await search(call, account, query, Row)) all.push(toCampaign(account, row))
  }
  return all
}

export async function readCampaign(
  call: PlatformCall,
  { account, campaignId }: CampaignAddress,
): Promise<PlatformCampaign | undefined> {
  const query = `SELECT ${fields} FROM campaign WHERE campaign.id = ${digits(campaignId)}`
  const [row] = await search(call, account, query, Row)
  return row && toCampaign(account, row)
}

function toCampaign(
  { id, loginId }: Pick<AdAccount, 'id' | 'loginId'>,
  { customer, campaign, campaignBudget }: z.output<typeof Row>,
): PlatformCampaign {
  const { amountMicros = null, resourceName, explicitlyShared = false, period } = campaignBudget ?? {}
  const spendMicros = campaignBudget && perDay(campaign, campaignBudget)
  const endDate = dayOf(campaign.endDateTime)
  return {
    account: { id, loginId, currency: customer.currencyCode, timezone: accountZone(customer.timeZone) },
    id: campaign.id,
    name: campaign.name,
    status: campaign.status,
    isRunning: campaign.status === 'ENABLED',
    dailyBudgetMicros: period === 'DAILY' ? amountMicros : null,
    ...(spendMicros !== undefined && { spendMicros }),
    budgetName: resourceName ?? null,
    budgetShared: explicitlyShared,
    startDate: dayOf(campaign.startDateTime),
    // What has no end ends in 2037 there.
    endDate: endDate !== null && endDate >= '2037-01-01' ? null : endDate,
  }
}

/** What a budget comes to on a day; undefined where the platform does not say. */
function perDay(
  { startDateTime, endDateTime }: z.output<typeof Span>,
  { period, amountMicros, totalAmountMicros }: z.output<typeof Budget>,
): number | undefined {
  if (period === 'DAILY') return amountMicros
  if (totalAmountMicros === undefined) return undefined
  // The last second is part of the span.
  return budgetPerDay(totalAmountMicros, timeOf(startDateTime), timeOf(endDateTime) + 1_000)
}

/** Of a time in the account's zone, as if it were in UTC: only how far two of them are apart is looked at. */
const timeOf = (text = '') => Date.parse(`${text.replace(' ', 'T')}Z`)

const SpendRow = z.object({
  campaign: Span.default({}),
  campaignBudget: Budget.extend({ resourceName: z.string() }),
})

/** Budgets that campaigns share are counted once, and those of a whole span by their days. */
export async function readDailySpend(
  call: PlatformCall,
  account: CampaignAddress['account'],
): Promise<number> {
  const query = `SELECT campaign.id, ${spendFields} FROM campaign WHERE campaign.status = 'ENABLED'`
  const all = new Map<string, number>()
  for (const { campaign, campaignBudget } of await search(call, account, query, SpendRow)) {
    const { resourceName } = campaignBudget
    // What is not known leaves no room.
    const micros = perDay(campaign, campaignBudget) ?? Number.POSITIVE_INFINITY
    all.set(resourceName, Math.max(micros, all.get(resourceName) ?? 0))
  }
  return [...all.values()].reduce((sum, micros) => sum + micros, 0)
}

export const count64 = int64.default(0)
const DayRow = z.object({
  segments: z.object({ date: isoDay }),
  metrics: z.object({
    costMicros: count64,
    impressions: count64,
    clicks: count64,
    conversions: z.number().default(0),
  }),
})

export async function readDays(
  call: PlatformCall,
  { account, campaignId }: CampaignAddress,
  { from, to }: { from: string; to: string },
): Promise<DayFigures[]> {
  const query = `SELECT segments.date, metrics.cost_micros, metrics.impressions, metrics.clicks, metrics.conversions FROM campaign WHERE campaign.id = ${digits(campaignId)} AND segments.date BETWEEN '${from}' AND '${to}' ORDER BY segments.date`
  const rows = await search(call, account, query, DayRow)
  return rows.map(({ segments, metrics }) => ({
    date: segments.date,
    impressions: metrics.impressions,
    clicks: metrics.clicks,
    costMicros: metrics.costMicros,
    conversionMicros: Math.round(metrics.conversions * 1_000_000),
  }))
}

/** Nothing but digits becomes part of a query. @throws TypeError */
export function digits(id: string): string {
  if (!/^\d{1,20}$/.test(id)) throw new TypeError(`"${id}" is no id of Google's`)
  return id
}
