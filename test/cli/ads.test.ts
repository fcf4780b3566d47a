import { describe, expect, it } from 'vitest'
import { adCopy, adTexts } from '../kit/ad-copy.ts'
import { serveAds } from '../kit/ads.ts'
import { connectChannel } from '../kit/consents.ts'
import { createMetaAdsServer } from '../kit/meta-ads-server.ts'
import { createOAuthServer } from '../kit/oauth-server.ts'
import { loggedIn } from './kb-staff.ts'
import { createStaff } from './staff.ts'

describe('copydesk ads', () => {
  it('plans a change, shows before and after, applies it by its digest, and plans the way back', async () => {
    await using provider = await createOAuthServer()
    const { google, channels } = await serveAds(provider)
    await using server = google
    await using staff = await createStaff({ channels, allowHosts: ['127.0.0.1'] })
    const { app, team } = staff.harness
    await connectChannel(app, provider, team.adminToken)
    const { data } = await team.admin.call('dashboard', 'GET /channels')
    const [campaign] = await team.admin.call('tenant', 'POST /campaigns/import', {
      body: {
        connectedChannelId: data[0]?.id ?? '',
        platform: 'search_ads',
        campaigns: [{ externalCampaignId: '9007199254740993', name: 'Bakery' }],
      },
    })
    const id = campaign?.id ?? ''
    const budget = () => server.accounts.get('2222222222')?.budgets.get('71')?.amountMicros

    const member = await loggedIn(staff, 'member.1')
    expect(await staff.run(['ads', 'plan', id], member)).toMatchObject({ code: 2 })
    const planned = await staff.run(['ads', 'plan', id, '--budget', '25'], member)
    expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining('20.00 EUR → 25.00 EUR') })
    const {
      data: [set],
    } = await staff.json<{ data: Array<{ id: string; digest: string }> }>(['ads', 'show', id], member)
    const approve = ['ads', 'approve', id, set?.id ?? '', '--digest', set?.digest ?? '']
    expect((await staff.run(approve, member)).code).not.toBe(0)
    expect(budget()).toBe(20_000_000n)

    const admin = await loggedIn(staff, 'admin.1')
    expect(await staff.run(approve, admin)).toMatchObject({ code: 0 })
    await app.until(() => Promise.resolve(budget() === 25_000_000n), 'the budget is changed')
    const show = ['ads', 'show', id, set?.id ?? '']
    await app.until(
      async () => (await staff.run(show, admin)).stdout.includes('applied'),
      'the change set is applied',
    )
    const back = await staff.run(['ads', 'undo', id, set?.id ?? ''], admin)
    expect(back.stdout).toContain('25.00 EUR → 20.00 EUR')
    expect((await staff.run(['ads', 'sync', id], admin)).stdout).toContain('1 platform is asked')
  })

  it('shows what an account may spend, and lets an admin set it', async () => {
    await using provider = await createOAuthServer()
    const { google, channels } = await serveAds(provider)
    await using _server = google
    await using staff = await createStaff({ channels, allowHosts: ['127.0.0.1'] })
    const { app, team } = staff.harness
    await connectChannel(app, provider, team.adminToken)
    const { data } = await team.admin.call('dashboard', 'GET /channels')
    const member = await loggedIn(staff, 'member.1')
    expect((await staff.run(['ads', 'limits'], member)).stdout).toContain('No campaigns of a platform')
    await team.admin.call('tenant', 'POST /campaigns/import', {
      body: {
        connectedChannelId: data[0]?.id ?? '',
        platform: 'search_ads',
        campaigns: [{ externalCampaignId: '9007199254740993', name: 'Bakery' }],
      },
    })
    const limits = await staff.run(['ads', 'limits'], member)
    expect(limits.stdout).toMatch(/2222222222.*30\.00 EUR.*20\.00 EUR.*0\.00 EUR.*10\.00 EUR.*proposed/)
    const set = ['ads', 'set-limit', '2222222222', '--daily', '45.5', '--currency', 'eur']
    expect((await staff.run([...set, '--yes'], member)).stderr).toContain('is for admins of')
    const admin = await loggedIn(staff, 'admin.1')
    expect((await staff.run(set, admin)).stderr).toContain('--yes')
    expect((await staff.run(['ads', 'limits'], admin)).stdout).toContain('30.00 EUR')
    expect(await staff.run([...set, '--yes'], admin)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('at most 45.50 EUR a day') as string,
    })
    const none = await staff.run(
      ['ads', 'set-limit', '3', '--daily', '1', '--currency', 'EUR', '--yes'],
      admin,
    )
    expect(none.code).not.toBe(0)
    for (const daily of ['0', '-1', 'NaN', '9223372036854775808'])
      expect(
        (
          await staff.run(
            ['ads', 'set-limit', '2222222222', `--daily=${daily}`, '--currency', 'EUR', '--yes'],
            admin,
          )
        ).stderr,
      ).toContain('--daily')
    const other = await staff.run(
      ['ads', 'set-limit', '2222222222', '--daily', '9', '--currency', 'USD', '--yes'],
      admin,
    )
    expect(other.stderr).toContain('The account is in EUR, not in USD')
    const elsewhere = await staff.run([...set, '--platform', 'social_ads', '--yes'], admin)
    expect(elsewhere.stderr).toContain('There is no account')
    expect((await staff.run(['ads', 'limits'], admin)).stdout).toContain('45.50 EUR')
  })

  it('lists keywords for plans, and makes a paused ad of approved ad copy', async () => {
    await using provider = await createOAuthServer()
    const { google, channels } = await serveAds(provider)
    await using server = google
    await using staff = await createStaff({ channels, allowHosts: ['127.0.0.1'] })
    const { app, team, next } = staff.harness
    const { admin: client } = team
    await connectChannel(app, provider, team.adminToken)
    const { data } = await client.call('dashboard', 'GET /channels')
    const [campaign] = await client.call('tenant', 'POST /campaigns/import', {
      body: {
        connectedChannelId: data[0]?.id ?? '',
        platform: 'search_ads',
        campaigns: [{ externalCampaignId: '9007199254740993', name: 'Bakery' }],
      },
    })
    const params = { campaignId: campaign?.id ?? '' }
    await client.call('tenant', 'POST /campaigns/:campaignId/keywords/sync', { params })
    await app.until(async () => {
      const groups = await client.call('tenant', 'GET /campaigns/:campaignId/ad-groups', { params })
      return groups.data.length === 1
    }, 'the ad group is known')
    const admin = await loggedIn(staff, 'admin.1')
    const keywords = ['ads', 'keywords', params.campaignId]
    expect((await staff.run(keywords, admin)).stdout).toMatch(/rye bread\tphrase\tenabled\t1\.00/)
    const found = await staff.json<{ data: Array<{ id: string }> }>([...keywords, '--limit', '1'], admin)
    expect((await staff.run([...keywords, '--limit', '1'], admin)).stdout).toContain('more with --cursor 2')
    expect((await staff.run([...keywords, '--status', 'paused'], admin)).stdout).toContain('No keywords')
    const bid = ['--bid', `${found.data[0]?.id}=1.20`, '--budget', '20.55']
    const both = await staff.run(['ads', 'plan', params.campaignId, ...bid], admin)
    expect(both.stdout).toContain('20.00 EUR → 20.55 EUR')
    expect(both.stdout).toContain('1.00 EUR → 1.20 EUR')
    for (const amount of ['NaN', '-1', '2e3', '1.1234567'])
      expect(await staff.run(['ads', 'plan', params.campaignId, `--budget=${amount}`], admin)).toMatchObject({
        code: 2,
        stdout: '',
      })

    const { id: activityId } = await client.call('tenant', 'POST /campaigns/:campaignId/content', {
      params,
      body: { deliverableType: 'ad_copy', inputPayload: { topic: 'Rye' } },
    })
    await (await next()).deliver(adCopy)
    const plan = ['ads', 'plan', params.campaignId, '--ad', activityId]
    const inGroup = (name: string) => [...plan, '--ad-group', name, '--url', 'https://oats.example/rye']
    const whole = inGroup('Bread')

    expect(await staff.run(plan, admin)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--ad ACTIVITY --ad-group GROUP --url URL') as string,
    })
    expect(await staff.run(inGroup('Cakes'), admin)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no ad group “Cakes”; there are: Bread.') as string,
    })
    expect((await staff.run(whole, admin)).stderr).toContain('No verdict covers the newest text')
    const asked = await client.call('dashboard', 'GET /approvals', { query: { 'filter.status': 'pending' } })
    await client.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: asked.data[0]?.id ?? '' },
      body: { resolution: 'approved' },
    })
    const planned = await staff.run(whole, admin)
    expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing → paused') })
    for (const text of [...adTexts.headlines, ...adTexts.descriptions, 'https://oats.example/rye'])
      expect(planned.stdout).toContain(text)
    const {
      data: [set],
    } = await staff.json<{ data: Array<{ id: string; digest: string }> }>(
      ['ads', 'show', params.campaignId],
      admin,
    )
    const approve = ['ads', 'approve', params.campaignId, set?.id ?? '', '--digest', set?.digest ?? '']
    expect(await staff.run(approve, admin)).toMatchObject({ code: 0 })
    const ads = () => [...(server.accounts.get('2222222222')?.ads.values() ?? [])]
    await app.until(() => Promise.resolve(ads().length === 1), 'the ad is made')
    expect(ads()).toMatchObject([{ status: 'PAUSED', finalUrls: ['https://oats.example/rye'] }])
  })

  it('pauses a campaign of a platform without keywords, and fetches its figures', async () => {
    await using provider = await createOAuthServer()
    await using meta = await createMetaAdsServer()
    meta.accepts = provider.accepts
    meta.accounts.push({ id: 'act_1', currency: 'EUR', timezone: 'UTC', status: 1 })
    meta.campaigns.set('11', { id: '11', account: 'act_1', name: 'Rye', status: 'ACTIVE', daily: 2_000 })
    const social_ads = { ...provider.channels.cms_site, baseUrl: meta.url }
    await using staff = await createStaff({
      channels: { ...provider.channels, social_ads },
      allowHosts: ['127.0.0.1'],
    })
    const { app, team } = staff.harness
    await connectChannel(app, provider, team.adminToken, 'social_ads')
    const { data } = await team.admin.call('dashboard', 'GET /channels')
    const [campaign] = await team.admin.call('tenant', 'POST /campaigns/import', {
      body: {
        connectedChannelId: data[0]?.id ?? '',
        platform: 'social_ads',
        campaigns: [{ externalCampaignId: '11', name: 'Rye' }],
      },
    })
    const id = campaign?.id ?? ''
    const admin = await loggedIn(staff, 'admin.1')
    const planned = await staff.run(
      ['ads', 'plan', id, '--status', 'paused', '--platform', 'social_ads'],
      admin,
    )
    expect(planned.stdout).toContain('enabled → paused')
    const {
      data: [set],
    } = await staff.json<{ data: Array<{ id: string; digest: string }> }>(['ads', 'show', id], admin)
    await staff.run(['ads', 'apply', id, set?.id ?? '', '--digest', set?.digest ?? ''], admin)
    await app.until(
      () => Promise.resolve(meta.campaigns.get('11')?.status === 'PAUSED'),
      'the campaign is paused',
    )
    const other = await staff.run(['ads', 'plan', id, '--budget', '22', '--platform', 'search_ads'], admin)
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('does not run at search_ads') })
    const quiet = await staff.run(['campaign', 'show', id], admin)
    expect(quiet.stdout).not.toContain('made outside')
    expect(quiet.stdout).toContain('Nothing of it is planned.')
    meta.activities.push({
      account: 'act_1',
      campaign: '11',
      at: new Date(),
      actor: 'Mia Agency',
      app: 'Ads Manager',
      object: '11',
      type: 'update_campaign_budget',
      extra: {
        old_value: { type: 'payment_amount', old_value: 2_000 },
        new_value: { type: 'payment_amount', new_value: 3_000 },
      },
    })
    expect((await staff.run(['ads', 'sync', id], admin)).stdout).toContain('1 platform is asked')
    const seen = /made outside .* by Mia Agency, Ads Manager\n {2}Daily budget: 20\.00 EUR → 30\.00 EUR/
    await app.until(
      async () => seen.test((await staff.run(['campaign', 'show', id], admin)).stdout),
      'the change made outside is shown with the campaign',
    )
  })
})
