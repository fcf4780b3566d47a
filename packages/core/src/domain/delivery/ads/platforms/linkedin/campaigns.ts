import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { readRest } from '../../../publishing/connectors/linkedin/rest.ts'
import type { AdAccount, CampaignAddress, PlatformCampaign } from '../../platform.ts'
import { budgetPerDay, dayOf } from '../values.ts'
import { idNumber, Money, numberIn, searchAll } from './wire.ts'

const Account = z.object({
  id: idNumber,
  currency: z.string().regex(/^[A-Z]{3}$/),
  status: z.string().default('ACTIVE'),
})

/** More accounts than these one consent is not looked through for. */
const mostAccounts = 50

/** Milliseconds since the epoch, as far as a date can be. */
const instant = z.int().min(0).max(8_640_000_000_000_000)
const Campaign = z.object({
  id: idNumber,
  name: z.string().max(1_000).default(''),
  status: z.string(),
  dailyBudget: Money.optional(),
  totalBudget: Money.optional(),
  runSchedule: z.object({ start: instant, end: instant.optional() }).optional().catch(undefined),
})
type Campaign = z.output<typeof Campaign>

const gone: ReadonlySet<string> = new Set(['ARCHIVED', 'CANCELED', 'PENDING_DELETION', 'REMOVED'])

const campaignsPath = (accountId: string) => `/rest/adAccounts/${numberIn(accountId)}/adCampaigns`
export const linkedinCampaignPath = ({ account, campaignId }: CampaignAddress) =>
  `${campaignsPath(account.id)}/${numberIn(campaignId)}`

const readAll = async (
  call: PlatformCall,
  accountId: string,
  how: { whole?: boolean } = {},
): Promise<Campaign[]> => {
  const found = await searchAll(call, campaignsPath(accountId), Campaign, how)
  return found.filter(({ status }) => !gone.has(status))
}

/** Its days are those of UTC. */
const toAccount = ({ id, currency }: z.output<typeof Account>): AdAccount => ({
  id: `urn:li:sponsoredAccount:${id}`,
  loginId: null,
  currency,
  timezone: 'UTC',
})

export async function linkedinCampaigns(call: PlatformCall): Promise<PlatformCampaign[]> {
  const accounts = (await searchAll(call, '/rest/adAccounts', Account)).filter(
    ({ status }) => !gone.has(status),
  )
  const all: PlatformCampaign[] = []
  for (const account of accounts.slice(0, mostAccounts).map(toAccount))
    for (const campaign of await readAll(call, account.id)) all.push(toCampaign(account, campaign))
  return all
}

async function readAccount(call: PlatformCall, id: string): Promise<AdAccount> {
  return toAccount(await readRest(call, `/rest/adAccounts/${numberIn(id)}`, Account))
}

export async function linkedinCampaign(call: PlatformCall, at: CampaignAddress): Promise<PlatformCampaign> {
  const campaign = await readRest(call, linkedinCampaignPath(at), Campaign)
  return toCampaign(await readAccount(call, at.account.id), campaign)
}

function toCampaign(account: AdAccount, campaign: Campaign): PlatformCampaign {
  const { id, name, status, dailyBudget, runSchedule } = campaign
  const timeOf = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())
  return {
    account,
    id,
    name,
    status,
    isRunning: status === 'ACTIVE',
    dailyBudgetMicros: dailyBudget?.amount ?? null,
    spendMicros: perDay(campaign),
    budgetName: null,
    budgetShared: false,
    startDate: dayOf(timeOf(runSchedule?.start)),
    endDate: dayOf(timeOf(runSchedule?.end)),
  }
}

/** What running campaigns of an account may spend on a day, in millionths. A budget of a whole span counts by its days. */
export async function linkedinDailySpend(call: PlatformCall, { id }: { id: string }): Promise<number> {
  const running = (await readAll(call, id, { whole: true })).filter(({ status }) => status === 'ACTIVE')
  return running.reduce((sum, campaign) => sum + perDay(campaign), 0)
}

function perDay({ dailyBudget, totalBudget, runSchedule }: Campaign): number {
  if (dailyBudget) return dailyBudget.amount
  const { start = Number.NaN, end = Number.NaN } = runSchedule ?? {}
  return budgetPerDay(totalBudget?.amount ?? 0, start, end)
}
