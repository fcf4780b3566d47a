import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { graphUrl, readAllPages } from '../../../publishing/connectors/meta/graph.ts'
import { requestAs } from '../../../publishing/connectors/requests.ts'
import type { AdAccount, CampaignAddress, PlatformCampaign } from '../../platform.ts'
import { accountZone, budgetPerDay, dayOf } from '../values.ts'
import { budgetUnits, unitOf } from './money.ts'

const Account = z.object({
  id: z.string().regex(/^act_\d{1,20}$/),
  currency: z.string().regex(/^[A-Z]{3}$/),
  timezone_name: z.string().default('UTC'),
  account_status: z.int().optional(),
})
const accountFields = 'id,currency,timezone_name,account_status'

/** Of an account that was closed for good. */
const closed = 101
/** More accounts than these one consent is not looked through for. */
const mostAccounts = 50

const Campaign = z.object({
  id: z.string(),
  name: z.string().max(1_000).default(''),
  status: z.string(),
  daily_budget: budgetUnits.default(0),
  lifetime_budget: budgetUnits.default(0),
  start_time: z.string().optional(),
  stop_time: z.string().optional(),
})
const campaignFields = 'id,name,status,daily_budget,lifetime_budget,start_time,stop_time'
type Campaign = z.output<typeof Campaign>

const AdSet = z.object({
  campaign_id: z.string(),
  status: z.string(),
  daily_budget: budgetUnits.default(0),
  lifetime_budget: budgetUnits.default(0),
  start_time: z.string().optional(),
  end_time: z.string().optional(),
})
type AdSet = z.output<typeof AdSet>

const gone: ReadonlySet<string> = new Set(['ARCHIVED', 'DELETED'])

const pathOf = (text: string, form: RegExp): string => {
  if (!form.test(text)) throw new TypeError(`"${text}" is no id of Meta's`)
  return text
}
/** Nothing but an id becomes part of an address. @throws TypeError */
export const metaId = (id: string): string => pathOf(id, /^\d{1,20}$/)
export const accountPath = (id: string): string => pathOf(id, /^act_\d{1,20}$/)

async function readAccount(call: PlatformCall, id: string): Promise<AdAccount> {
  const url = graphUrl(call, accountPath(id), { fields: accountFields })
  return toAccount(await requestAs(call, { url, effect: 'read' }, Account))
}

const toAccount = ({ id, currency, timezone_name: timezone }: z.output<typeof Account>): AdAccount => ({
  id,
  loginId: null,
  currency,
  timezone: accountZone(timezone),
})

export async function metaCampaigns(call: PlatformCall): Promise<PlatformCampaign[]> {
  const accounts = await readAllPages(call, 'me/adaccounts', { fields: accountFields }, Account)
  const all: PlatformCampaign[] = []
  for (const one of accounts
    .filter(({ account_status: status }) => status !== closed)
    .slice(0, mostAccounts)) {
    const account = toAccount(one)
    const { campaigns, sets } = await readAll(call, account.id)
    for (const campaign of campaigns) all.push(toCampaign(account, campaign, sets))
  }
  return all
}

/** Campaigns of an account, and the ad sets of those that leave their budgets to them. */
async function readAll(
  call: PlatformCall,
  id: string,
  how: { whole?: boolean } = {},
): Promise<{ campaigns: Campaign[]; sets: AdSet[] }> {
  const path = accountPath(id)
  const found = await readAllPages(call, `${path}/campaigns`, { fields: campaignFields }, Campaign, how)
  const campaigns = found.filter(({ status }) => !gone.has(status))
  const fields = 'campaign_id,status,daily_budget,lifetime_budget,start_time,end_time'
  const sets = campaigns.every(hasBudget)
    ? []
    : await readAllPages(call, `${path}/adsets`, { fields }, AdSet, how)
  return { campaigns, sets }
}

const hasBudget = (one: Campaign): boolean => one.daily_budget > 0 || one.lifetime_budget > 0

/** @throws PlatformError also for one that is not there: Meta does not tell it from one that may not be seen */
export async function metaCampaign(
  call: PlatformCall,
  { account, campaignId }: CampaignAddress,
): Promise<PlatformCampaign> {
  const url = graphUrl(call, metaId(campaignId), { fields: campaignFields })
  const there = await requestAs(call, { url, effect: 'read' }, Campaign)
  return toCampaign(await readAccount(call, account.id), there)
}

function toCampaign(account: AdAccount, campaign: Campaign, sets?: readonly AdSet[]): PlatformCampaign {
  const { id, name, status, daily_budget: daily } = campaign
  const unit = unitOf(account.currency)
  return {
    account,
    id,
    name,
    status,
    isRunning: status === 'ACTIVE',
    dailyBudgetMicros: daily > 0 && unit !== undefined ? daily * unit : null,
    ...(sets && unit !== undefined && { spendMicros: perDay(campaign, sets) * unit }),
    budgetName: null,
    budgetShared: false,
    startDate: dayOf(campaign.start_time),
    endDate: dayOf(campaign.stop_time),
  }
}

/** What running campaigns of an account may spend on a day by all their budgets, in millionths. A budget of a whole span counts by its days. */
export async function metaDailySpend(call: PlatformCall, { id }: { id: string }): Promise<number> {
  const { currency } = await readAccount(call, id)
  const unit = unitOf(currency)
  // What is not known leaves no room.
  if (unit === undefined) return Number.POSITIVE_INFINITY
  const { campaigns, sets } = await readAll(call, id, { whole: true })
  const running = campaigns.filter(({ status }) => status === 'ACTIVE')
  return running.reduce((sum, campaign) => sum + perDay(campaign, sets), 0) * unit
}

/** In units of Meta's. */
function perDay(campaign: Campaign, sets: readonly AdSet[]): number {
  if (hasBudget(campaign)) return ownPerDay(campaign, campaign.stop_time)
  return sets
    .filter((set) => set.campaign_id === campaign.id && set.status === 'ACTIVE')
    .reduce((sum, set) => sum + ownPerDay(set, set.end_time), 0)
}

function ownPerDay(
  one: { daily_budget: number; lifetime_budget: number; start_time?: string | undefined },
  end: string | undefined,
): number {
  if (one.daily_budget > 0) return one.daily_budget
  return budgetPerDay(one.lifetime_budget, Date.parse(one.start_time ?? ''), Date.parse(end ?? ''))
}
