import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { adCopy, approvedCopy } from '../../kit/ad-copy.ts'
import { insertRow } from '../../kit/insert-row.ts'
import { refusal } from '../refusal.ts'
import { openNewAdDesk } from './new-ad-desk.ts'

const opened = await openNewAdDesk()
const { desk, admin, params, ads, plan, refused, newAd, apply } = opened

beforeEach(() => opened.clear())
afterAll(() => opened[Symbol.asyncDispose]())

describe('tenant.campaigns.plan_change_set of the text of a new ad', () => {
  it('takes only texts that people have approved, and that are an ad', async () => {
    const open = await admin.call('tenant.campaigns.add_content', {
      params,
      body: { deliverableType: 'ad_copy', inputPayload: { topic: 'Oats' } },
    })
    expect(await refusal(refused(newAd({ activityId: open.id })))).toMatchObject({ status: 422 })
  })

  it('names each line that keeps a text from being an ad', async () => {
    const wrong = adCopy
      .replace('Fresh rye bread', 'Fresh rye bread that is baked every night')
      .replace('- Order', '- {Order}')
    const copy = await approvedCopy(desk, params, wrong)
    const problems = [expect.objectContaining({ line: 5 }), expect.objectContaining({ line: 7 })]
    await expect(plan(newAd({ activityId: copy }))).rejects.toMatchObject({
      code: 'UNPROCESSABLE',
      message: expect.stringContaining('line 5: this headline has 41 characters') as string,
      details: { problems },
    })
  })

  it('leads nowhere but to a public website by https', async () => {
    const hostile = [
      'http://oats.example/',
      'javascript:alert(1)',
      'https://user:secret@oats.example/',
      'https://@oats.example/',
      'https://oats.example:8443/',
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://[::1]/',
      'https://93.184.216.34/',
      'https://localhost/',
      'https://bakery/',
      'https://bakery.internal/',
      'https://oats.example\\@evil.example/',
      'https://oats.example/{lpurl}',
      'https://oats.example/a b',
      'https://oats\u200b.example/',
      '//oats.example/',
      'https:///oats.example',
      `https://oats.example/${'a'.repeat(2_040)}`,
    ]
    for (const url of hostile)
      expect(await refusal(refused(newAd({ finalUrl: url }))), url).toMatchObject({
        status: 400,
        field: 'changes.0.finalUrl',
      })
    await admin.call('dashboard.publications.set_link_tags', { body: { hosts: ['oats.example'] } })
    for (const url of [
      'https://evil.example/',
      'https://notoats.example/',
      'https://oats.example.evil.example/',
    ])
      expect(await refusal(refused(newAd({ finalUrl: url }))), url).toMatchObject({ status: 400 })
    expect(await plan(newAd({ finalUrl: 'https://Shop.oats.example' }))).toMatchObject({
      status: 'planned',
      items: [{ ad: { finalUrl: 'https://shop.oats.example/' } }],
    })
    await admin.call('dashboard.publications.set_link_tags', { body: { hosts: [] } })
  })

  it('says in words what the policies of the platform have against a text', async () => {
    const copy = await approvedCopy(desk, params, adCopy.replace('Order before noon', 'Casino of bread'))
    const [item] = (await plan(newAd({ activityId: copy }))).items
    expect(item).toMatchObject({ state: 'refused' })
    expect(item?.reason).toContain('(headlines 3): gambling, prohibited (policyFindingError.POLICY_FINDING)')
    const late = {
      status: 400,
      rpc: 'INVALID_ARGUMENT',
      family: 'policyFindingError',
      code: 'POLICY_FINDING',
    }
    const set = await plan(newAd())
    desk.google.mishaps.mutate.push(late)
    expect(await apply(set)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('POLICY_FINDING') as string,
    })
    expect(ads()).toEqual([])
  })

  it('takes ad copy of any campaign of the tenant, and finds no ad group of another one', async () => {
    const { id: campaignId } = await admin.call('tenant.campaigns.create', {
      body: { name: 'Oats', type: 'paid_ads', channel: ['search_ads'], goal: 'leads' },
    })
    const copy = await approvedCopy(desk, { campaignId })
    expect(await plan(newAd({ activityId: copy }))).toMatchObject({ status: 'planned' })
    const elsewhere = await insertRow(desk.app, desk.team.tenantId, 'ad_groups', {
      campaign_id: campaignId,
      external_id: '51',
      name: 'Oats',
      status: 'enabled',
      default_bid_micros: 500_000,
      updated_on: desk.clock.date(),
    })
    for (const wrong of [{ adGroupId: elsewhere }, { activityId: elsewhere }])
      expect(await refusal(refused(newAd(wrong)))).toEqual({
        status: 404,
        code: 'NOT_FOUND',
        field: `changes.0.${Object.keys(wrong)[0]}`,
      })
    const other = { deliverableType: 'social_post', inputPayload: { topic: 'Oats' } } as const
    const post = await admin.call('tenant.campaigns.add_content', { params, body: other })
    expect(await refusal(refused(newAd({ activityId: post.id })))).toMatchObject({ status: 422 })
  })
})
