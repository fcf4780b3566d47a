import { describe, expect, it } from 'vitest'
import { serveAds } from '../kit/ads.ts'
import { connectChannel, createOAuthServer } from '../kit/oauth-server.ts'
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
    const [set] = await staff.json<Array<{ id: string; digest: string }>>(['ads', 'show', id], member)
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
})
