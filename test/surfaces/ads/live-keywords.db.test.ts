import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAdsCampaign, bakeryThere, type ChangeDesk, openChangeDesk } from './change-desk.ts'

let desk: ChangeDesk
let campaignId: string
let keywords: Map<string, string>

beforeAll(async () => {
  desk = await openChangeDesk()
  addAdsCampaign(desk.account(), { id: '34', euros: 5, status: 'ENABLED' })
  campaignId = await desk.takeOver(bakeryThere)
  keywords = await desk.syncKeywords(campaignId)
})
afterAll(() => desk[Symbol.asyncDispose]())

const negative = (keyword: string, more: object = {}) => ({
  kind: 'add_negative',
  keyword,
  matchType: 'phrase',
  ...more,
})
const keyword = (id: string, text: string, more: object = {}) =>
  desk.account().criteria.set(`51~${id}`, {
    id,
    of: '51',
    text,
    matchType: 'PHRASE',
    negative: false,
    status: 'ENABLED',
    bidMicros: 1_000_000n,
    ...more,
  })
const statusThere = (id: string, status: string) =>
  Object.assign(desk.account().criteria.get(`51~${id}`) ?? {}, { status })
const negativesThere = () => [...desk.account().negatives.values()].map(({ text }) => text)
const blocked = (text: string) => ({ state: 'refused', reason: `It would block the keyword “${text}”` })

describe('a negative keyword that would block one which we have not seen', () => {
  it('is refused in a campaign whose keywords were never fetched', async () => {
    const { adGroups } = desk.account()
    adGroups.set('58', { id: '58', campaign: '34', name: 'Cake', status: 'ENABLED', bidMicros: 500_000n })
    keyword('801', 'cheese cake', { of: '58' })
    const never = await desk.takeOver('34')
    expect((await desk.plan(never, negative('cake'))).items).toMatchObject([blocked('cheese cake')])
    // Of another campaign.
    expect((await desk.plan(never, negative('rye bread'))).status).toBe('planned')
  })

  it('is refused where the keyword was added at the platform later, also at once', async () => {
    keyword('603', 'oat flakes')
    expect((await desk.plan(campaignId, negative('oat'))).items).toMatchObject([blocked('oat flakes')])
    const atOnce = desk.admin.call('tenant.campaigns.add_negative', {
      params: { campaignId },
      body: { keyword: 'oat', matchType: 'phrase' },
    })
    await expect(atOnce).rejects.toMatchObject({
      code: 'UNPROCESSABLE',
      message: blocked('oat flakes').reason,
    })
    expect(negativesThere()).toEqual(['free'])
  })

  it('is refused when it is applied, where the keyword was enabled since it was planned', async () => {
    statusThere('602', 'PAUSED')
    const set = await desk.plan(campaignId, negative('sourdough'))
    expect(set.status).toBe('planned')
    statusThere('602', 'ENABLED')
    expect(await desk.apply(set)).toMatchObject({ status: 'failed', items: [blocked('sourdough')] })
    expect(negativesThere()).toEqual(['free'])
  })

  it('is refused at once where the keyword is enabled in the middle of it', async () => {
    statusThere('602', 'PAUSED')
    desk.google.arrived = ({ path }) => {
      if (path.endsWith(':mutate')) statusThere('602', 'ENABLED')
    }
    const atOnce = desk.admin.call('tenant.campaigns.add_negative', {
      params: { campaignId },
      body: { keyword: 'sourdough', matchType: 'phrase' },
    })
    await expect(atOnce).rejects.toMatchObject({
      code: 'UNPROCESSABLE',
      details: { reason: 'guardrail' },
      message: blocked('sourdough').reason,
    })
    desk.google.arrived = undefined
    expect(negativesThere()).toEqual(['free'])
  })

  it('is refused where the same set enables the keyword', async () => {
    statusThere('602', 'PAUSED')
    const enable = { kind: 'keyword_status', keywordId: keywords.get('sourdough'), status: 'enabled' }
    const { items } = await desk.plan(campaignId, negative('sourdough'), enable)
    expect(items).toMatchObject([blocked('sourdough'), { state: 'planned' }])
  })

  it('is let through where the keyword does not run any more, or runs in another ad group', async () => {
    // Ours says that it is enabled.
    statusThere('601', 'PAUSED')
    statusThere('603', 'ENABLED')
    expect((await desk.plan(campaignId, negative('rye'))).status).toBe('planned')
    const { adGroups } = desk.account()
    const campaign = bakeryThere
    adGroups.set('59', { id: '59', campaign, name: 'Rolls', status: 'ENABLED', bidMicros: 500_000n })
    await desk.syncKeywords(campaignId)
    const { data } = await desk.admin.call('tenant.campaigns.ad_groups', { params: { campaignId } })
    const adGroupId = data.find(({ name }) => name === 'Rolls')?.id
    expect((await desk.plan(campaignId, negative('oat', { adGroupId }))).status).toBe('planned')
  })

  it('is not added where the keywords cannot be read', async () => {
    const set = await desk.plan(campaignId, negative('baguette'))
    const before = negativesThere()
    // What is read first is what the item is now.
    const fails = { status: 400, rpc: 'INVALID_ARGUMENT', family: 'queryError', code: 'UNEXPECTED_INPUT' }
    desk.google.arrived = ({ body }) => {
      const query = String(body['query'])
      if (query.includes(`ad_group_criterion.status = 'ENABLED'`)) desk.google.mishaps.read.push(fails)
    }
    expect(await desk.apply(set)).toMatchObject({ status: 'failed' })
    await expect(desk.plan(campaignId, negative('ciabatta'))).rejects.toThrow('UNEXPECTED_INPUT')
    desk.google.arrived = undefined
    expect(negativesThere()).toEqual(before)
  })
})
