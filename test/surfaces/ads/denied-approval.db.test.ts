import { describe, expect, it } from 'vitest'
import { openAdsDesk } from '../../kit/ads.ts'
import { denyUpdates } from '../../kit/denied-updates.ts'
import { refusal } from '../refusal.ts'

describe('a negative keyword whose approval fails', () => {
  it('leaves no plan and no keyword behind, so that it can be added again', async () => {
    await using desk = await openAdsDesk({ allowErrors: true })
    const params = { campaignId: await desk.imported() }
    const { member } = desk.team
    const add = () =>
      member.call('tenant', 'POST /campaigns/:campaignId/negative-keywords', {
        params,
        body: { keyword: 'stale bread', matchType: 'exact' },
      })
    const allow = await denyUpdates(desk.app.db, 'ad_change_sets', `new.status = 'approved'`)
    expect(await refusal(add())).toMatchObject({ status: 500 })
    const sets = () => member.call('tenant', 'GET /campaigns/:campaignId/change-sets', { params })
    const keywords = () => member.call('tenant', 'GET /campaigns/:campaignId/negative-keywords', { params })
    expect((await sets()).data).toEqual([])
    expect((await keywords()).data).toEqual([])
    await allow()
    expect(await add()).toMatchObject({ keyword: 'stale bread', status: 'active' })
    expect((await sets()).data).toMatchObject([{ status: 'applied' }])
  })
})
