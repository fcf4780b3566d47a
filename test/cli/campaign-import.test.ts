import { describe, expect, it } from 'vitest'
import { serveAds } from '../kit/ads.ts'
import { connectChannel } from '../kit/consents.ts'
import { createOAuthServer } from '../kit/oauth-server.ts'
import { loggedIn } from './kb-staff.ts'
import { createStaff } from './staff.ts'

const bakery = '9007199254740993'

describe('copydesk campaign import, copydesk campaign link', () => {
  it('lists what runs at the platform, takes some of it over, and joins the rest', async () => {
    await using provider = await createOAuthServer()
    const { google, channels } = await serveAds(provider)
    await using _server = google
    await using staff = await createStaff({ channels, allowHosts: ['127.0.0.1'] })
    const { app, team } = staff.harness
    const member = await loggedIn(staff, 'member.1')
    const run = (...words: string[]) => staff.run(['campaign', ...words], member)
    expect(await run('import')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'There is no such channel of ads that is connected; there are: none',
      ) as string,
    })

    await connectChannel(app, provider, team.adminToken)
    const listed = await run('import')
    expect(listed).toMatchObject({ code: 0 })
    expect(listed.stdout).toContain('9007199254740993\tBakery – search\tenabled\t20.00 EUR\t')
    expect(listed.stdout).toContain('32\tOld offers\tpaused\t5.00 EUR\t')
    expect(listed.stdout).not.toContain('Gone')

    expect(await run('import', '--take', '77')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The platform has no campaign 77') as string,
    })
    expect(await run('import', '--take', '32', '--all')).toMatchObject({ code: 2 })
    expect(await run('import', '--channel', '01J9ZX6T4QH8C3V5N7M2K0B1AD')).toMatchObject({ code: 2 })
    const taken = await run('import', '--take', bakery)
    expect(taken.stdout).toContain('1 campaign taken over')
    const { live } = await staff.json<{
      live: Array<{ externalCampaignId: string; alreadyImported: boolean }>
    }>(['campaign', 'import'], member)
    expect(live).toMatchObject([
      { externalCampaignId: bakery, alreadyImported: true },
      { externalCampaignId: '32', alreadyImported: false },
    ])

    const { id } = await team.member.call('tenant', 'POST /campaigns', {
      body: { name: 'Offers', type: 'paid_ads', channel: ['search_ads'], goal: 'leads' },
    })
    expect((await run('link', id, bakery)).stderr).toContain('is imported already')
    const linked = await run('link', id, '32')
    expect(linked.stdout).toContain('Joined to Old offers of search_ads')
    const mapped = await team.admin.call('dashboard', 'GET /paid-ads/campaigns')
    expect(mapped.data.map(({ externalCampaignId }) => externalCampaignId).toSorted()).toEqual(['32', bakery])
    expect(await run('import', '--all')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('All campaigns of the platform are here already') as string,
    })
  })
})
