import type { Database, SqlValue } from '../packages/core/src/platform/database/database.ts'
import { adsAccount, type GoogleAdsServer } from '../test/kit/google-ads-server.ts'

const dayMs = 86_400_000
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** Of one account: the server looks through all figures of an account for each answer. */
const perAccount = 20
const accountOf = (n: number) => String(2_000_000_000 + Math.floor(n / perAccount))

/** Campaigns over accounts of twenty each, with figures of so many days, the last of them today. @returns their ids with their accounts */
export function fillPlatform(google: GoogleAdsServer, campaigns: number, days: number): Map<string, string> {
  const all = new Map<string, string>()
  const now = Date.now()
  for (let n = 0; n < campaigns; n += 1) {
    const account = google.accounts.get(accountOf(n)) ?? adsAccount(accountOf(n))
    google.accounts.set(account.id, account)
    account.budgets.set('71', { amountMicros: 20_000_000n, shared: false })
    const id = String(1_000_000 + n)
    all.set(id, account.id)
    account.campaigns.set(id, { id, name: `Campaign ${n}`, status: 'ENABLED', budget: '71' })
    for (let day = 0; day < days; day += 1)
      account.days.push({
        campaign: id,
        date: dayOf(now - day * dayMs),
        costMicros: BigInt(1_000_000 + n * 1_000 + day),
        impressions: 1_000 + n,
        clicks: 40 + day,
        conversions: 1.5,
      })
  }
  return all
}

/** Restates the last day of every tenth campaign. @returns how many days that are */
export function restate({ accounts }: GoogleAdsServer): number {
  const today = dayOf(Date.now())
  const some = [...accounts.values()]
    .flatMap(({ days }) => days)
    .filter(({ campaign, date }) => date === today && Number(campaign) % 10 === 0)
  for (const day of some) day.impressions += 7
  return some.length
}

const idOf = (kind: string, i: number) => `01JRG${kind}${String(i).padStart(20, '0')}`
const batch = 500
/** Keywords of one campaign: no platform has more. */
const perCampaign = 20_000

/** Of the campaign whose lists are read. */
export const listedCampaign = idOf('A', 0)

/** Keywords and as many search terms over campaigns of 20,000 each. */
export async function fillLists(db: Database, tenantId: string, rows: number): Promise<void> {
  const now = Date.now()
  const at = new Date(now)
  const figures = { impressions: 900, clicks: 30, cost_micros: 12_000_000, conversion_micros: 1_500_000 }
  const fill = async (table: string, count: number, rowOf: (i: number) => Record<string, SqlValue>) => {
    for (let first = 0; first < count; first += batch * 100)
      await db.write(async (tx) => {
        for (let from = first; from < Math.min(count, first + batch * 100); from += batch) {
          const part = Array.from({ length: Math.min(batch, count - from) }, (_, n) => rowOf(from + n))
          const names = Object.keys(part[0] ?? {})
          const marks = `(${names.map(() => '?').join(', ')})`
          await tx.run(
            `insert into ${table} (${names.join(', ')}) values ${part.map(() => marks).join(', ')}`,
            part.flatMap((row) => Object.values(row)),
          )
        }
      })
  }
  const own = { tenant_id: tenantId, updated_on: at }
  await fill('campaigns', Math.ceil(rows / perCampaign), (i) => ({
    ...own,
    id: idOf('A', i),
    name: `Campaign ${i}`,
    brief: '',
    status: 'active',
    type: 'paid_ads',
    source: 'imported',
    channels: '["search_ads"]',
    attachments: '[]',
    auto_pilot_enabled: false,
    starts_when_planned: false,
    created_by_id: tenantId,
    created_by_name: 'Ada',
    created_on: at,
  }))
  await fill('campaign_keywords', rows, (i) => ({
    ...own,
    ...figures,
    id: idOf('B', i),
    campaign_id: idOf('A', Math.floor(i / perCampaign)),
    ad_group_id: idOf('C', Math.floor(i / 100)),
    external_criterion_id: String(i),
    text: `rye bread ${i}`,
    match_type: 'phrase',
    status: i % 10 === 0 ? 'paused' : 'enabled',
    bid_micros: 1_000_000,
  }))
  await fill('search_terms', rows, (i) => ({
    ...own,
    ...figures,
    id: idOf('D', i),
    campaign_id: idOf('A', Math.floor(i / perCampaign)),
    term: `where to buy rye ${i % 2_000}`,
    date: dayOf(now - (Math.floor(i / 2_000) % 10) * dayMs),
    currency: 'EUR',
    classification: i % 3 === 0 ? 'watch' : null,
    classification_status: i % 3 === 0 ? 'pending' : null,
  }))
}
