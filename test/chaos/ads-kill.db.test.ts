import type { Copydesk } from '@copydesk/core'
import { describe, expect, it } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import { serveAds } from '../kit/ads.ts'
import { openTestDatabase } from '../kit/database.ts'
import type { GoogleAdsServer } from '../kit/google-ads-server.ts'
import { createOAuthServer, type OAuthServer } from '../kit/oauth-server.ts'
import { applyUnderKills, connectAds, endsOf, killCount, killsLimitMs, setCount } from './ad-kills.ts'
import { addAdGroup, addApprovedCopy } from './ad-rows.ts'
import { adminOfTenant, type SeededTenant } from './seed.ts'

const count = setCount
const kills = killCount
const pageOf = (at: number) => `https://oats.example/${at}`
/** More than 50 ads no ad group may have: there is one for each 40. */
const groups = Array.from({ length: Math.ceil(count / 40) }, (_, at) => String(51 + at))
const wordsOf = (at: number) => [`cheap ${at}`, `free ${at}`]

describe('change sets of ads', () => {
  it(`apply ${count} of them once each, though the server is killed ${kills} times and answers are lost`, {
    timeout: killsLimitMs,
  }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    await using provider = await createOAuthServer()
    provider.expiresIn = 365 * 86_400
    const { google, channels } = await serveAds(provider)
    await using _ = google
    google.accepts = provider.accepts
    const adGroups = google.accounts.get('2222222222')?.adGroups
    const bread = adGroups?.get('51')
    for (const id of groups) if (bread) adGroups?.set(id, { ...bread, id })
    const { db } = database
    const mishaps: GoogleAdsServer['mishaps']['mutate'] = ['cut before', 'cut after', 'cut after', 500]
    const interrupted = await applyUnderKills({
      database,
      channels,
      kills,
      prepare: (copydesk, tenant) => approveSets({ copydesk, db }, provider, tenant),
      watch(arrived) {
        google.arrived = arrived && ((request) => (isOfTurn(request) ? arrived() : undefined))
      },
      lose(how) {
        if (how === undefined) google.mishaps.mutate.splice(0)
        else google.mishaps.mutate.push(mishaps[how] ?? 500)
      },
    })

    // Each time a set was in the middle of it, or the kills would show nothing.
    expect(interrupted).toEqual(Array.from({ length: kills }, () => 1))
    expect(await endsOf(db)).toEqual(Array.from({ length: count }, () => ['applied', null]))
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
  const connectedChannelId = await connectAds(copydesk, provider, tenant, 'search_ads')
  const [campaign] = await admin.call('tenant.campaigns.import_all', {
    body: {
      connectedChannelId,
      platform: 'search_ads',
      campaigns: [{ externalCampaignId: '9007199254740993', name: 'Bakery' }],
    },
  })
  const params = { campaignId: campaign?.id ?? '' }
  const { id: activityId } = await admin.call('tenant.campaigns.add_content', {
    params,
    body: { deliverableType: 'ad_copy', inputPayload: { topic: 'Rye' } },
  })
  const place = { ...params, tenantId: tenant.tenantId }
  await addApprovedCopy(db, { activityId, ...place })
  const adGroupIds = await Promise.all(groups.map((group) => addAdGroup(db, place, group)))
  for (let at = 0; at < count; at += 1) {
    const changes = [
      ...wordsOf(at).map((keyword) => ({
        kind: 'add_negative' as const,
        keyword,
        matchType: 'exact' as const,
      })),
      {
        kind: 'add_ad' as const,
        activityId,
        adGroupId: adGroupIds[Math.floor(at / 40)] ?? '',
        finalUrl: pageOf(at),
      },
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
