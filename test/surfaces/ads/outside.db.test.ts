import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventQueryFault, wallTime } from '../../kit/google-ads-events.ts'
import { bakery, openSocialDesk } from '../../kit/social-ads.ts'
import { bakeryThere, budgetChange, type ChangeDesk, openChangeDesk, statusChange } from './change-desk.ts'

let desk: ChangeDesk
let campaignId: string
let keywords: Map<string, string>
const later = 4 * 60_000

beforeAll(async () => {
  desk = await openChangeDesk()
  campaignId = await desk.takeOver(bakeryThere)
  keywords = await desk.syncKeywords(campaignId)
})
afterAll(() => desk[Symbol.asyncDispose]())

const params = () => ({ campaignId })
const outside = async () =>
  (await desk.admin.call('tenant.campaigns.change_sets', { params: params() })).outside
async function sync() {
  await desk.admin.call('tenant.campaigns.sync_metrics', { params: params() })
  await desk.settled()
  return outside()
}

let id = 0
/** Someone changes the budget there. */
function budgetBy(user: string, client: string, [from, to]: readonly [number, number]): Date {
  const at = new Date(desk.clock.now())
  desk.account().budgets.set('71', { amountMicros: BigInt(to * 1_000_000), shared: false })
  desk.account().events.push({
    id: `b${(id += 1)}`,
    at,
    user,
    client,
    resource: 'customers/2222222222/campaignBudgets/71',
    resourceType: 'CAMPAIGN_BUDGET',
    operation: 'UPDATE',
    changed: ['amount_micros'],
    old: { campaignBudget: { amountMicros: String(from * 1_000_000) } },
    new: { campaignBudget: { amountMicros: String(to * 1_000_000) } },
  })
  return at
}

describe('changes made outside at Google Ads', () => {
  it('are shown with who, when and what, once the platform tells them', async () => {
    const at = budgetBy('mia@agency.example', 'GOOGLE_ADS_WEB_CLIENT', [20, 26])
    // The history of an account is told a few minutes late.
    expect(await sync()).toEqual([])
    desk.clock.advance(later)
    expect(await sync()).toEqual([
      {
        id: expect.any(String) as string,
        at: at.toISOString(),
        who: 'mia@agency.example',
        via: 'google ads web client',
        currency: 'EUR',
        changes: [{ label: 'Daily budget', before: 20_000_000, after: 26_000_000 }],
      },
    ])
    // Asked again, it is the same one.
    expect(await sync()).toHaveLength(1)
  })

  it('are none of our sets, also where another program uses the same interface', async () => {
    const keywordId = keywords.get('rye bread') ?? ''
    const bid = { kind: 'keyword_bid', keywordId, bidMicros: 1_200_000 }
    const negative = { kind: 'add_negative', keyword: 'cheap cake', matchType: 'exact' }
    const set = await desk.apply(await desk.plan(campaignId, budgetChange(27), bid, negative))
    expect(set.status).toBe('applied')
    await desk.apply(await desk.plan(campaignId, statusChange('paused')))
    const undo = await desk.admin.call('tenant.campaigns.undo_set', {
      params: { campaignId, changeSetId: set.id },
    })
    await desk.apply(undo)
    expect(desk.account().events.filter(({ client }) => client === 'GOOGLE_ADS_API')).toHaveLength(7)
    desk.clock.advance(later)
    expect(await sync()).toHaveLength(1)
    // Another tool sets the value that one of our sets once had, long after it.
    desk.clock.advance(3_600_000)
    budgetBy('ads@oats.example', 'GOOGLE_ADS_API', [26, 27])
    desk.clock.advance(later)
    const [latest] = await sync()
    expect(latest).toMatchObject({ who: 'ads@oats.example', changes: [{ after: 27_000_000 }] })
    expect(await outside()).toHaveLength(2)
  })

  it('name other things by their words, and what they cannot tell they leave out', async () => {
    const event = {
      at: new Date(desk.clock.now()),
      user: '',
      client: 'UNKNOWN',
      campaign: bakeryThere,
      old: {},
      new: {},
    }
    desk.account().events.push(
      {
        ...event,
        id: 'x1',
        resource: 'customers/2222222222/adGroups/51',
        resourceType: 'AD_GROUP',
        operation: 'UPDATE',
        changed: ['name', 'targetCpaMicros'],
      },
      {
        ...event,
        id: 'x2',
        campaign: '32',
        resource: 'customers/2222222222/campaigns/32',
        resourceType: 'CAMPAIGN',
        operation: 'UPDATE',
        changed: ['status'],
      },
    )
    desk.clock.advance(later)
    const [latest, ...others] = await sync()
    expect(latest).toMatchObject({
      who: null,
      via: null,
      changes: [
        { label: 'Ad group: name', before: null, after: null },
        { label: 'Ad group: target cpa micros', before: null, after: null },
      ],
    })
    // That of another campaign is not ours to tell.
    expect(others).toHaveLength(2)
  })

  it('are asked for within what Google allows', async () => {
    const queries = desk.google.requests
      .map(({ body }) => String(body['query']))
      .filter((query) => query.includes('FROM change_event'))
    expect(queries.length).toBeGreaterThan(0)
    for (const query of queries) expect(query).toMatch(/ >= '.+' AND .+ <= '.+' .* LIMIT \d{1,4}$/)
    const now = Date.parse('2026-04-10T10:00:00Z')
    const fault = (from: string, to: string, limit: string) =>
      eventQueryFault(
        `SELECT x FROM change_event WHERE change_event.change_date_time >= '${from}' AND change_event.change_date_time <= '${to}'${limit}`,
        now,
      )
    expect(fault('2026-04-01', '2026-04-10', ' LIMIT 10000')).toBeUndefined()
    expect(fault('2026-04-01', '2026-04-10', '')).toBe('LIMIT_NOT_SPECIFIED')
    expect(fault('2026-04-01', '2026-04-10', ' LIMIT 10001')).toBe('INVALID_LIMIT_CLAUSE')
    expect(fault('2026-03-01', '2026-04-10', ' LIMIT 10')).toBe('START_DATE_TOO_OLD')
    expect(fault('2026-04-10', '2026-04-01', ' LIMIT 10')).toBe('CHANGE_DATE_RANGE_NEGATIVE')
    expect(eventQueryFault('SELECT x FROM change_event LIMIT 10', now)).toBe('CHANGE_DATE_RANGE_INFINITE')
    expect(wallTime(new Date('2026-04-10T10:00:00.250Z'), 'Europe/Berlin')).toBe('2026-04-10 12:00:00.250000')
  })

  it('do not keep figures away where the platform tells no history', async () => {
    desk.google.arrived = ({ body }) => {
      if (String(body['query']).includes('FROM change_event'))
        desk.google.mishaps.read.push({
          status: 403,
          rpc: 'PERMISSION_DENIED',
          family: 'authorizationError',
          code: 'ACTION_NOT_PERMITTED',
        })
    }
    await sync()
    desk.google.arrived = undefined
    const { data } = await desk.admin.call('dashboard.paid_ads.campaigns', {})
    expect(data[0]).toMatchObject({ syncError: null })
    expect(await outside()).toHaveLength(3)
  })
})

describe('changes made outside at Meta', () => {
  it('are shown, and what a set of ours has done is none of them', async () => {
    await using social = await openSocialDesk()
    social.there.now = () => social.clock.now()
    const ours = await social.imported(bakery)
    const plan = await social.plan(ours, [budgetChange(22), statusChange('paused')])
    expect(await social.apply(plan)).toMatchObject({ status: 'applied' })
    expect(social.there.activities).toHaveLength(2)
    const by = { account: 'act_1', campaign: bakery, actor: 'Mia Agency', app: 'Ads Manager' }
    const at = new Date(social.clock.now())
    social.there.activities.push(
      {
        ...by,
        at,
        object: bakery,
        type: 'update_campaign_budget',
        extra: {
          old_value: { type: 'Per day', old_value: 2_200 },
          new_value: { type: 'Per day', new_value: 3_000 },
        },
      },
      {
        ...by,
        at: new Date(at.getTime() - 1_000),
        object: bakery,
        type: 'update_campaign_budget',
        extra: {
          old_value: { type: 'Lifetime budget', old_value: 90_000 },
          new_value: { type: 'Lifetime budget', new_value: 80_000 },
        },
      },
      { ...by, at: new Date(at.getTime() - 2_000), object: '111', type: 'update_ad_set_name' },
    )
    const { member } = social.team
    await member.call('tenant', 'POST /campaigns/:campaignId/metrics/sync', { params: { campaignId: ours } })
    await social.settled()
    const page = await member.call('tenant', 'GET /campaigns/:campaignId/change-sets', {
      params: { campaignId: ours },
    })
    expect(page.outside).toMatchObject([
      {
        who: 'Mia Agency',
        via: 'Ads Manager',
        changes: [{ label: 'Daily budget', before: 22_000_000, after: 30_000_000 }],
      },
      { changes: [{ label: `Lifetime budget: Object ${bakery}`, before: null, after: null }] },
      { changes: [{ label: 'update ad set name: Object 111', before: null, after: null }] },
    ])
  })
})
