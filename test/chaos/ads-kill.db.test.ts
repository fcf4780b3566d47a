import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Copydesk } from '@copydesk/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../config/postgres-server.ts'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import { serveAds } from '../kit/ads.ts'
import { openTestDatabase } from '../kit/database.ts'
import type { GoogleAdsServer } from '../kit/google-ads-server.ts'
import { createOAuthServer, type OAuthServer, redirectUrl } from '../kit/oauth-server.ts'
import { endMember, startMember } from './fleet.ts'
import { randomFrom } from './random.ts'
import { seedTenants } from './seed.ts'

/** How many change sets, and how many kills among them; the long form is 500 with 100. */
const count = Number(process.env['COPYDESK_CHANGE_SETS'] ?? 10)
const kills = Math.max(4, Math.round(count / 5))
const wordsOf = (at: number) => [`cheap ${at}`, `free ${at}`]

describe('change sets of ads', () => {
  it(`apply ${count} of them once each, though the server is killed ${kills} times and answers are lost`, {
    timeout: 120_000 + count * 6_000,
  }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    await using provider = await createOAuthServer()
    provider.expiresIn = 365 * 86_400
    const { google, channels } = await serveAds(provider)
    await using _ = google
    google.accepts = provider.accepts
    const { db } = database
    const dataDir = await mkdtemp(join(tmpdir(), 'copydesk-chaos-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    const port = await freePort()
    const baseUrl = `http://127.0.0.1:${port}`
    const installation = { database: database.url, dataDir, baseUrl, more: { channels } }
    await seedTenants(installation, 1, (copydesk, { tenantId, adminId }) =>
      approveSets(copydesk, provider, { tenantId, adminId }),
    )

    const random = randomFrom(11)
    const mishaps: GoogleAdsServer['mishaps']['mutate'] = ['cut before', 'cut after', 'cut after', 500]
    let server = await startMember('all', port, installation)
    onTestFinished(() => endMember(server, 'SIGKILL'))
    let interrupted = 0
    for (let kill = 1; kill <= kills; kill += 1) {
      for (let i = 0; i < 2; i += 1)
        if (random() < 0.5) google.mishaps.mutate.push(mishaps[Math.floor(random() * 4)] ?? 500)
      // A turn of a set is some seven requests: each kill falls into another place of one.
      const wanted = google.requests.length + 2 + Math.floor(random() * 9)
      await until(async () => {
        await passTime(db, false)
        return google.requests.length >= wanted || (await openSets(db)) === 0
      })
      await endMember(server, 'SIGKILL')
      interrupted += Number(
        (
          await db.sql.get<{ n: number }>(
            `select count(*) as n from ad_change_sets where status = 'applying'`,
          )
        )?.n,
      )
      await passTime(db, true)
      server = await startMember('all', port, installation)
    }
    google.mishaps.mutate.splice(0)
    await until(async () => {
      await passTime(db, false)
      return (await openSets(db)) === 0
    })

    // Else the kills would show nothing.
    expect(interrupted).toBeGreaterThan(kills / 2)
    const sets = await db.sql.all<{ status: string; error: string | null }>(
      'select status, error from ad_change_sets',
    )
    expect(sets.map(({ status, error }) => [status, error])).toEqual(
      Array.from({ length: count }, () => ['applied', null]),
    )
    const wanted = Array.from({ length: count }, (__, at) => wordsOf(at)).flat()
    const there = [...(google.accounts.get('2222222222')?.negatives.values() ?? [])]
    expect(there.map(({ text }) => text).sort()).toEqual(['free', ...wanted].sort())
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
  copydesk: Copydesk,
  provider: OAuthServer,
  { tenantId, adminId }: { tenantId: string; adminId: string },
): Promise<void> {
  const admin = copydesk.as({
    id: adminId,
    type: 'human',
    role: 'admin',
    tenantId,
    appAccess: ['dashboard'],
  })
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
  for (let at = 0; at < count; at += 1) {
    const changes = wordsOf(at).map((keyword) => ({
      kind: 'add_negative' as const,
      keyword,
      matchType: 'exact' as const,
    }))
    const { id, digest } = await admin.call('tenant.campaigns.plan_change_set', { params, body: { changes } })
    await admin.call('tenant.campaigns.approve_set', {
      params: { ...params, changeSetId: id },
      body: { digest },
    })
  }
}

const openSets = async ({ sql }: Database): Promise<number> =>
  Number(
    (await sql.get<{ n: number }>('select count(*) as n from ad_change_sets where next_at is not null'))?.n,
  )

/** Waits end at once, as if an hour had passed. @param isDead nobody is at work, so that leases end too */
async function passTime(db: Database, isDead: boolean): Promise<void> {
  const past = new Date(Date.now() - 1_000)
  await db.write(async (tx) => {
    await tx.run(
      `update ad_change_sets set next_at = ? where next_at > ?${isDead ? '' : ` and status <> 'applying'`}`,
      [past, past],
    )
    await tx.run(`update job set run_at = ? where kind = 'ads.apply' and status = 'waiting' and run_at > ?`, [
      past,
      past,
    ])
    if (isDead) await tx.run(`update job set lease_until = ? where status = 'running'`, [past])
  })
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await new Promise((resolve) => setTimeout(resolve, 100))
}
