import { createIds, createSystemClock } from '../../packages/core/src/platform/clock.ts'
import type { SqlValue } from '../../packages/core/src/platform/database/database.ts'
import type { Team, TestApp } from './app.ts'
import { insertRow } from './insert-row.ts'

/** Of the plan that waits for approval. */
export const seededDigest = 'd'.repeat(64)

/** What may be spent in the account of a seeded tenant is set to this. */
export const seededLimit = { accountId: '2222222222', dailyLimitMicros: 40_000_000, currency: 'EUR' }

const ulid = createIds(createSystemClock())

/**
 * The first campaign of a tenant runs at a platform, and has brought something on two days; another one is a draft.
 * @param name is contained in its texts
 */
export async function addAds(
  app: TestApp,
  { tenantId, member }: Pick<Team, 'tenantId' | 'member'>,
  name: string,
): Promise<Record<string, string>> {
  const now = new Date(app.options.clock?.now() ?? Date.now())
  const insert = async (table: string, row: Record<string, SqlValue>) => {
    const id = ulid()
    const all = { id, tenant_id: tenantId, ...row }
    const names = Object.keys(all)
    await app.db.write((tx) =>
      tx.run(
        `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
        Object.values(all),
      ),
    )
    return id
  }
  await member.call('tenant', 'POST /campaigns', {
    body: { name: `${name} ads, later`, type: 'paid_ads', channel: ['search_ads'], goal: `More of ${name}` },
  })
  const first = (from: string) =>
    app.db.sql.get<{ id: string }>(`select min(id) as id from ${from} and tenant_id = ?`, [tenantId])
  const campaign = await first('campaigns where true')
  const channel = await first(`channel_connections where type = 'search_ads'`)
  const connectedChannelId = channel?.id ?? ''
  const campaignId = campaign?.id ?? ''
  const mappingId = await insert('campaign_mappings', {
    campaign_id: campaignId,
    channel_id: connectedChannelId,
    platform: 'search_ads',
    account_id: '2222222222',
    login_account_id: '1111111111',
    currency: 'EUR',
    timezone: 'Europe/Berlin',
    external_campaign_id: '36',
    external_name: `${name} at the platform`,
    external_status: 'ENABLED',
    daily_budget_micros: 20_000_000,
    budget_name: 'customers/2222222222/campaignBudgets/76',
    budget_shared: false,
    last_synced_at: now,
    created_on: now,
    updated_on: now,
  })
  for (const daysAgo of [1, 2])
    await insert('campaign_metrics', {
      campaign_id: campaignId,
      channel: 'search_ads',
      date: new Date(now.getTime() - daysAgo * 86_400_000).toISOString().slice(0, 10),
      currency: 'EUR',
      impressions: 1_000,
      clicks: 40,
      cost_micros: 10_000_000,
      conversion_micros: 2_500_000,
      updated_on: now,
    })
  const adGroupId = await insert('ad_groups', {
    campaign_id: campaignId,
    external_id: '56',
    name: `Bread of ${name}`,
    status: 'enabled',
    default_bid_micros: 500_000,
    updated_on: now,
  })
  const figures = { impressions: 100, clicks: 4, cost_micros: 2_000_000, conversion_micros: 1_000_000 }
  const keywordId = await insert('campaign_keywords', {
    campaign_id: campaignId,
    ad_group_id: adGroupId,
    external_criterion_id: '656',
    text: `Rye of ${name}`,
    match_type: 'phrase',
    status: 'enabled',
    bid_micros: 1_000_000,
    quality_score: 7,
    ...figures,
    updated_on: now,
  })
  const negativeKeywordId = await insert('negative_keywords', {
    campaign_id: campaignId,
    ad_group_id: null,
    text: `Free of ${name}`,
    match_type: 'broad',
    source: 'manual',
    status: 'active',
    external_criterion_id: '756',
    created_on: now,
    updated_on: now,
  })
  let searchTermId = ''
  for (const term of ['free rye', 'best rye', 'rye shop', 'rye recipe'])
    searchTermId = await insert('search_terms', {
      campaign_id: campaignId,
      term: `${term} of ${name}`,
      date: new Date(now.getTime() - 86_400_000).toISOString().slice(0, 10),
      currency: 'EUR',
      ...figures,
      updated_on: now,
    })
  const set = {
    campaign_id: campaignId,
    mapping_id: mappingId,
    account_id: '2222222222',
    currency: 'EUR',
    title: `A plan of ${name}`,
    source: 'plan',
    digest: seededDigest,
    attempt: 0,
    touched: false,
    failures: 0,
    requested_by_id: ulid(),
    requested_by_name: name,
    created_on: now,
    updated_on: now,
  }
  const pause = {
    kind: 'keyword_status',
    label: `Pause “Rye of ${name}”`,
    subjectId: keywordId,
    groupId: '56',
    externalId: '656',
    text: `Rye of ${name}`,
    matchType: 'phrase',
    before: 'enabled',
    after: 'paused',
    reason: null,
    live: 'enabled',
  }
  const changeSetId = await insert('ad_change_sets', {
    ...set,
    status: 'planned',
    items: JSON.stringify([{ ...pause, state: 'planned' }]),
  })
  await insert('ad_change_sets', {
    ...set,
    status: 'applied',
    items: JSON.stringify([{ ...pause, state: 'applied' }]),
  })
  await insert('ad_limits', {
    platform: 'search_ads',
    account_id: '2222222222',
    currency: 'EUR',
    daily_cap_micros: 30_000_000,
    proposed_on: now.toISOString().slice(0, 10),
    running_micros: 20_000_000,
    running_on: now,
    updated_on: now,
  })
  await insert('ad_outside_changes', {
    campaign_id: campaignId,
    mapping_id: mappingId,
    external_key: 'customers/2222222222/changeEvents/1',
    at: now,
    who: `${name} at the agency`,
    via: 'google ads web client',
    currency: 'EUR',
    changes: JSON.stringify([{ label: 'Daily budget', before: 25_000_000, after: 20_000_000 }]),
    seen_on: now,
  })
  const recommendation = async (status: string) =>
    insert('campaign_recommendations', {
      campaign_id: campaignId,
      platform: 'search_ads',
      kind: 'wasted_keyword',
      subject: status,
      title: `Pause the rye of ${name}`,
      rationale: `Nobody buys it at ${name}`,
      suggested_action: 'Pause it',
      estimated_impact: 'A few euros',
      changes: JSON.stringify([{ kind: 'keyword_status', keywordId, status: 'paused' }]),
      priority: 'high',
      rank: 0,
      status,
      created_on: now,
      updated_on: now,
    })
  const recommendationId = await recommendation('pending')
  await recommendation('client_approved')
  return {
    changeSetId,
    recommendationId,
    connectedChannelId,
    adGroupId,
    keywordId,
    negativeKeywordId,
    searchTermId,
  }
}

/** A campaign runs in an account, by rows: nobody has asked its platform. @returns the id of the mapping */
export const addAdMapping = (
  app: TestApp,
  tenantId: string,
  at: { platform: string; accountId: string; currency?: string },
): Promise<string> =>
  insertRow(app, tenantId, 'campaign_mappings', {
    campaign_id: ulid(),
    channel_id: ulid(),
    platform: at.platform,
    account_id: at.accountId,
    currency: at.currency ?? 'EUR',
    timezone: 'UTC',
    external_campaign_id: ulid(),
    external_name: 'At the platform',
    external_status: 'ENABLED',
    budget_shared: false,
    created_on: new Date(),
    updated_on: new Date(),
  })
