import type { Copydesk } from '@copydesk/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { applyLeaseMs } from '../../packages/core/src/domain/delivery/ads/changes/policy.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import { serveAds } from '../kit/ads.ts'
import { openTestDatabase } from '../kit/database.ts'
import type { GoogleAdsServer } from '../kit/google-ads-server.ts'
import { createOAuthServer, type OAuthServer, redirectUrl } from '../kit/oauth-server.ts'
import { addApprovedCopy } from './ad-rows.ts'
import { endMember, newInstallation, startMember } from './fleet.ts'
import { randomFrom } from './random.ts'
import { adminOfTenant, type SeededTenant, seedTenants } from './seed.ts'

/** How many change sets, and how many kills among them; the long form is 500 with 100. */
const count = Number(process.env['COPYDESK_CHANGE_SETS'] ?? 10)
const kills = Math.max(4, Math.round(count / 5))
/** As long as all of it may take: what comes before it is waited for, and a lease that a dying server has renewed, five minutes. */
const limitMs = 420_000 + count * 12_000
const patience = { timeout: limitMs, interval: 100 }
const pageOf = (at: number) => `https://oats.example/${at}`
const wordsOf = (at: number) => [`cheap ${at}`, `free ${at}`]

describe('change sets of ads', () => {
  it(`apply ${count} of them once each, though the server is killed ${kills} times and answers are lost`, {
    timeout: limitMs,
  }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    await using provider = await createOAuthServer()
    provider.expiresIn = 365 * 86_400
    const { google, channels } = await serveAds(provider)
    await using _ = google
    google.accepts = provider.accepts
    const { db } = database
    const { installation, port } = await newInstallation(database.url, { channels })
    await seedTenants(installation, 1, (copydesk, tenant) => approveSets({ copydesk, db }, provider, tenant))

    const random = randomFrom(11)
    const mishaps: GoogleAdsServer['mishaps']['mutate'] = ['cut before', 'cut after', 'cut after', 500]
    const interrupted: number[] = []
    while (interrupted.length < kills) {
      if (random() < 0.5) google.mishaps.mutate.push(mishaps[Math.floor(random() * 4)] ?? 500)
      const begun = Date.now()
      const server = await startMember('all', port, installation)
      onTestFinished(() => endMember(server, 'SIGKILL'))
      // A turn reads, changes and reads again: the kill falls into another place of one each time.
      let left = 1 + Math.floor(random() * 5)
      let gone: Promise<void> | undefined
      google.arrived = (request) => {
        if (isOfTurn(request) && (left -= 1) === 0) gone = endMember(server, 'SIGKILL')
      }
      await until(async () => {
        await passTime(db, false, begun)
        return gone !== undefined
      })
      await gone
      await lastWords(db)
      interrupted.push(await setsOf(db, `status = 'applying'`))
      await passTime(db, true)
    }
    google.arrived = undefined
    google.mishaps.mutate.splice(0)
    const begun = Date.now()
    const last = await startMember('all', port, installation)
    onTestFinished(() => endMember(last, 'SIGKILL'))
    await until(async () => {
      await passTime(db, false, begun)
      return (await setsOf(db, 'next_at is not null')) === 0
    })

    // Each time a set was in the middle of it, or the kills would show nothing.
    expect(interrupted).toEqual(Array.from({ length: kills }, () => 1))
    const sets = await db.sql.all<{ status: string; error: string | null }>(
      'select status, error from ad_change_sets',
    )
    expect(sets.map(({ status, error }) => [status, error])).toEqual(
      Array.from({ length: count }, () => ['applied', null]),
    )
    const wanted = Array.from({ length: count }, (__, at) => wordsOf(at)).flat()
    const there = [...(google.accounts.get('2222222222')?.negatives.values() ?? [])]
    expect(there.map(({ text }) => text).sort()).toEqual(['free', ...wanted].sort())
    const ads = [...(google.accounts.get('2222222222')?.ads.values() ?? [])]
    expect(ads.flatMap(({ finalUrls }) => finalUrls).sort()).toEqual(
      Array.from({ length: count }, (__, at) => pageOf(at)).sort(),
    )
    expect(new Set(ads.map(({ status }) => status))).toEqual(new Set(['PAUSED']))
    expect([...google.done.values()].filter((times) => times !== 1)).toEqual([])
    const ours = await db.sql.all<{ text: string; external: string | null }>(
      `select text, external_criterion_id as external from negative_keywords where status = 'active' and text <> 'free'`,
    )
    expect(new Map(ours.map(({ text, external }) => [text, external]))).toEqual(
      new Map(there.filter(({ text }) => text !== 'free').map(({ text, id }) => [text, id])),
    )
  })
})

/** Takes a campaign over, and approves change sets for it, before any server is there to apply them. */
async function approveSets(
  { copydesk, db }: { copydesk: Copydesk; db: Database },
  provider: OAuthServer,
  tenant: SeededTenant,
): Promise<void> {
  const admin = adminOfTenant(copydesk, tenant)
  const { authUrl } = await admin.call('dashboard.channels.connect', {
    params: { platform: 'search_ads' },
    body: { redirectUrl },
  })
  await copydesk.fetch(new Request(await provider.consent(authUrl)))
  const { data } = await admin.call('dashboard.channels.list', {})
  const [campaign] = await admin.call('tenant.campaigns.import_all', {
    body: {
      connectedChannelId: data[0]?.id ?? '',
      platform: 'search_ads',
      campaigns: [{ externalCampaignId: '9007199254740993', name: 'Bakery' }],
    },
  })
  const params = { campaignId: campaign?.id ?? '' }
  const { id: activityId } = await admin.call('tenant.campaigns.add_content', {
    params,
    body: { deliverableType: 'ad_copy', inputPayload: { topic: 'Rye' } },
  })
  const adGroupId = await addApprovedCopy(db, { activityId, ...params, tenantId: tenant.tenantId })
  for (let at = 0; at < count; at += 1) {
    const changes = [
      ...wordsOf(at).map((keyword) => ({
        kind: 'add_negative' as const,
        keyword,
        matchType: 'exact' as const,
      })),
      { kind: 'add_ad' as const, activityId, adGroupId, finalUrl: pageOf(at) },
    ]
    const { id, digest } = await admin.call('tenant.campaigns.plan_change_set', { params, body: { changes } })
    await admin.call('tenant.campaigns.approve_set', {
      params: { ...params, changeSetId: id },
      body: { digest },
    })
  }
}

/** Whether the turn of a set asks this, and not what follows an import. */
const isOfTurn = ({ path, body }: { path: string; body: Record<string, unknown> }): boolean =>
  path.endsWith(':mutate') || /FROM (?:campaign_criterion|ad_group_ad)/.test(String(body['query']))

/** What a killed server had sent may still be carried out by PostgreSQL, a lease among it. */
async function lastWords({ sql, dialect }: Database): Promise<void> {
  if (dialect === 'sqlite') return
  await until(async () => {
    const row = await sql.get<{ n: number }>(
      `select count(*) as n from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
    )
    return Number(row?.n) === 0
  })
}

const setsOf = async ({ sql }: Database, condition: string): Promise<number> =>
  Number((await sql.get<{ n: number }>(`select count(*) as n from ad_change_sets where ${condition}`))?.n)

/**
 * Waits end at once, as if an hour had passed.
 * @param isDead nobody is at work, so that leases end too
 * @param begun when the server that is at work was started, milliseconds: leases of servers before it end as well
 */
async function passTime(db: Database, isDead: boolean, begun = 0): Promise<void> {
  const past = new Date(Date.now() - 1_000)
  const ofOthers = new Date(begun + applyLeaseMs)
  await db.write(async (tx) => {
    await tx.run(
      `update ad_change_sets set next_at = ? where next_at > ?${isDead ? '' : ` and (status <> 'applying' or lease_until <= ?)`}`,
      [past, past, ...(isDead ? [] : [ofOthers])],
    )
    await tx.run(`update job set run_at = ? where kind = 'ads.apply' and status = 'waiting' and run_at > ?`, [
      past,
      past,
    ])
    if (isDead) await tx.run(`update job set lease_until = ? where status = 'running'`, [past])
  })
}

/** Asks until it is so. */
const until = (done: () => Promise<boolean>) => expect.poll(done, patience).toBe(true)
