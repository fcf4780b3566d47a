import type { Copydesk, CopydeskOptions } from '@copydesk/core'
import { describe, expect, it } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import { serveAds } from '../kit/ads.ts'
import { openTestDatabase } from '../kit/database.ts'
import type { AdsAccount } from '../kit/google-ads-rows.ts'
import { createLinkedinAdsServer } from '../kit/linkedin-ads-server.ts'
import { createMetaAdsServer } from '../kit/meta-ads-server.ts'
import { createOAuthServer, type OAuthServer } from '../kit/oauth-server.ts'
import { type Asked, fails, type Mishap } from '../kit/platforms/frame.ts'
import { applyUnderKills, connectAds, endsOf, killCount, killsLimitMs, setCount } from './ad-kills.ts'
import { addKeyword } from './ad-rows.ts'
import { adminOfTenant, type SeededTenant } from './seed.ts'

const places = Array.from({ length: setCount }, (_, at) => at)
const idOf = (at: number) => String(700 + at)
/** In euros: each campaign has another budget, so that each change can be told from all others. */
const before = (at: number) => 20 + at
const after = (at: number) => 22 + at
const millionths = (euros: number) => Math.round(euros * 1_000_000)
const lost: readonly Mishap[] = ['cut before', 'cut after', 'cut after', fails(500)]

interface Order {
  copydesk: Copydesk
  provider: OAuthServer
  tenant: SeededTenant
  at: {
    channel: 'search_ads' | 'social_ads' | 'professional_network'
    platform: 'search_ads' | 'social_ads' | 'professional_ads'
  }
  /** What is changed beside the budget. */
  more?(campaignId: string, at: number): Promise<object[]>
}

/** Takes all campaigns over, and approves a new budget for each. */
async function approveBudgets({ copydesk, provider, tenant, at: { channel, platform }, more }: Order) {
  const admin = adminOfTenant(copydesk, tenant)
  const connectedChannelId = await connectAds(copydesk, provider, tenant, channel)
  const campaigns = await admin.call('tenant.campaigns.import_all', {
    body: {
      connectedChannelId,
      platform,
      campaigns: places.map((at) => ({ externalCampaignId: idOf(at), name: `Ours ${at}` })),
    },
  })
  for (const [at, { id: campaignId }] of campaigns.entries()) {
    const changes = [
      { kind: 'daily_budget', dailyBudgetMicros: millionths(after(at)) },
      ...((await more?.(campaignId, at)) ?? []),
    ]
    const set = await admin.call('tenant.campaigns.plan_change_set', {
      params: { campaignId },
      body: { changes } as never,
    })
    expect(set.items.map(({ state, reason }) => [state, reason])).toEqual(
      changes.map(() => ['planned', null]),
    )
    await admin.call('tenant.campaigns.approve_set', {
      params: { campaignId, changeSetId: set.id },
      body: { digest: set.digest },
    })
  }
}

/** Each time a set was in the middle of it, and all of them were done in the end. */
async function expectAllApplied(db: Database, interrupted: number[]): Promise<void> {
  expect(interrupted).toEqual(Array.from({ length: killCount }, () => 1))
  expect(await endsOf(db)).toEqual(places.map(() => ['applied', null]))
}

/** A database and a provider of consents for one platform. */
async function openCourse() {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await openTestDatabase({ entities, migrations }))
  const provider = stack.use(await createOAuthServer())
  provider.expiresIn = 365 * 86_400
  const owned = stack.move()
  return { database, provider, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

describe('budgets and bids at Google Ads', () => {
  it('are set once each, though the server is killed again and again and answers are lost', {
    timeout: killsLimitMs,
  }, async () => {
    await using course = await openCourse()
    const { database, provider } = course
    const { google, channels } = await serveAds(provider)
    await using _ = google
    google.accepts = provider.accepts
    const account = google.accounts.get('2222222222') as AdsAccount
    for (const at of places) {
      const id = idOf(at)
      const bid = { text: `bread ${at}`, matchType: 'EXACT', status: 'ENABLED', bidMicros: 1_000_000n }
      account.budgets.set(id, { amountMicros: BigInt(millionths(before(at))), shared: false })
      account.campaigns.set(id, { id, name: `Campaign ${id}`, status: 'ENABLED', budget: id })
      account.adGroups.set(`8${id}`, {
        id: `8${id}`,
        campaign: id,
        name: id,
        status: 'ENABLED',
        bidMicros: 500_000n,
      })
      account.criteria.set(`8${id}~9${id}`, { ...bid, id: `9${id}`, of: `8${id}`, negative: false })
    }
    const interrupted = await applyUnderKills({
      database,
      channels,
      kills: killCount,
      places: 3,
      prepare: (copydesk, tenant) =>
        approveBudgets({
          copydesk,
          provider,
          tenant,
          at: { channel: 'search_ads', platform: 'search_ads' },
          async more(campaignId, at) {
            const keyword = { group: `8${idOf(at)}`, criterion: `9${idOf(at)}`, text: `bread ${at}` }
            const owner = { tenantId: tenant.tenantId, campaignId }
            const keywordId = await addKeyword(database.db, owner, { ...keyword, bidMicros: 1_000_000 })
            return [{ kind: 'keyword_bid', keywordId, bidMicros: 1_200_000 }]
          },
        }),
      watch(arrived) {
        google.arrived =
          arrived &&
          (({ path, body }) => {
            const isOfTurn =
              path.endsWith(':mutate') || String(body['query']).includes('FROM ad_group_criterion')
            if (isOfTurn) arrived()
          })
      },
      lose(how) {
        if (how === undefined) google.mishaps.mutate.splice(0)
        else google.mishaps.mutate.push((['cut before', 'cut after', 'cut after', 500] as const)[how] ?? 500)
      },
    })
    await expectAllApplied(database.db, interrupted)
    expect([...google.done.values()].filter((times) => times !== 1)).toEqual([])
    expect(google.done.size).toBe(setCount * 2)
    const now = google.accounts.get('2222222222') as AdsAccount
    expect(places.map((at) => now.budgets.get(idOf(at))?.amountMicros)).toEqual(
      places.map((at) => BigInt(millionths(after(at)))),
    )
    expect(places.map((at) => now.criteria.get(`8${idOf(at)}~9${idOf(at)}`)?.bidMicros)).toEqual(
      places.map(() => 1_200_000n),
    )
  })
})

interface Watched {
  mishaps: Mishap[]
  watchers?: Array<(asked: Asked) => void>
}

/** Watches the requests that a turn sends, and loses answers, at a server of this frame. */
const handsOn = ({ mishaps, watchers = [] }: Watched, isOfTurn: (asked: Asked) => boolean) => ({
  watch(arrived: (() => void) | undefined) {
    watchers.splice(0)
    if (arrived) watchers.push((asked) => (isOfTurn(asked) ? arrived() : undefined))
  },
  lose(how: number | undefined) {
    if (how === undefined) mishaps.splice(0)
    else mishaps.push(lost[how] ?? 'cut before')
  },
})

const channelsWith = (provider: OAuthServer, own: object): NonNullable<CopydeskOptions['channels']> => ({
  ...provider.channels,
  ...own,
})

describe('budgets at Meta', () => {
  it('are set once each, though the server is killed again and again and answers are lost', {
    timeout: killsLimitMs,
  }, async () => {
    await using course = await openCourse()
    const { database, provider } = course
    await using meta = await createMetaAdsServer()
    meta.accepts = provider.accepts
    meta.accounts.push({ id: 'act_1', currency: 'EUR', timezone: 'UTC', status: 1 })
    for (const at of places)
      meta.campaigns.set(idOf(at), {
        id: idOf(at),
        account: 'act_1',
        name: `Campaign ${at}`,
        status: 'ACTIVE',
        daily: before(at) * 100,
      })
    const interrupted = await applyUnderKills({
      database,
      channels: channelsWith(provider, {
        social_ads: { ...provider.channels.cms_site, baseUrl: meta.url },
      }),
      kills: killCount,
      places: 2,
      prepare: (copydesk, tenant) =>
        approveBudgets({ copydesk, provider, tenant, at: { channel: 'social_ads', platform: 'social_ads' } }),
      ...handsOn(
        meta,
        ({ method, path, json }) =>
          (method === 'POST' && json['execution_options'] === undefined) || path.endsWith('/campaigns'),
      ),
    })
    await expectAllApplied(database.db, interrupted)
    const done = meta.done.map(({ daily_budget: daily }) => Number(daily))
    expect(done.toSorted((a, b) => a - b)).toEqual(places.map((at) => after(at) * 100))
    expect(places.map((at) => meta.campaigns.get(idOf(at))?.daily)).toEqual(
      places.map((at) => after(at) * 100),
    )
  })
})

describe('budgets at LinkedIn', () => {
  it('are set once each, though the server is killed again and again and answers are lost', {
    timeout: killsLimitMs,
  }, async () => {
    await using course = await openCourse()
    const { database, provider } = course
    await using linkedin = await createLinkedinAdsServer()
    linkedin.accepts = provider.accepts
    linkedin.accounts.push({ id: 501, currency: 'EUR', status: 'ACTIVE' })
    const euros = (amount: number) => ({ amount: amount.toFixed(2), currencyCode: 'EUR' })
    for (const at of places)
      linkedin.campaigns.set(idOf(at), {
        id: Number(idOf(at)),
        account: 501,
        name: `Campaign ${at}`,
        status: 'ACTIVE',
        dailyBudget: euros(before(at)),
        runSchedule: { start: Date.UTC(2026, 2, 1) },
      })
    const interrupted = await applyUnderKills({
      database,
      channels: channelsWith(provider, {
        professional_network: { ...provider.channels.cms_site, baseUrl: linkedin.url },
      }),
      kills: killCount,
      places: 2,
      prepare: (copydesk, tenant) =>
        approveBudgets({
          copydesk,
          provider,
          tenant,
          at: { channel: 'professional_network', platform: 'professional_ads' },
        }),
      ...handsOn(linkedin, ({ method, path }) => method === 'POST' || path.endsWith('/adCampaigns')),
    })
    await expectAllApplied(database.db, interrupted)
    const done = linkedin.done.map(({ dailyBudget }) => Number((dailyBudget as { amount: string }).amount))
    expect(done.toSorted((a, b) => a - b)).toEqual(places.map(after))
    expect(places.map((at) => linkedin.campaigns.get(idOf(at))?.dailyBudget)).toEqual(
      places.map((at) => euros(after(at))),
    )
  })
})
