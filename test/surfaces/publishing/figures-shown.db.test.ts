import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pullDaily } from '../../../packages/core/src/domain/delivery/publishing/metrics/pull.ts'
import { parts } from '../../domain/agents.ts'
import { reviewerOf } from '../../kit/app.ts'
import { type AllConnected, connectAll } from '../../kit/platforms/all-connected.ts'

let all: AllConnected
beforeAll(async () => {
  all = await connectAll()
})
afterAll(() => all[Symbol.asyncDispose]())

const types = ['social_network_a', 'microblog_a', 'email_platform_a', 'email_platform_b'] as const
type Type = (typeof types)[number]

/** Publishes a piece that people have approved on some channels. @returns its activity's id */
async function out(title: string, ...of: Type[]): Promise<string> {
  const { press, channels } = all
  const activityId = await press.approved(`# ${title}\n\nIt is good.\n`)
  for (const type of of) {
    const { id } = await press.publish(activityId, channels.get(type) ?? '')
    expect((await press.rests(id)).status).toBe('published')
  }
  return activityId
}

/** Has the platforms asked, which count so many times their figures. */
async function pull(popularity: number): Promise<void> {
  const { press, platforms } = all
  for (const platform of platforms) platform.popularity = popularity
  await using instance = await parts(press.app)
  await pullDaily(instance.system())
  const open = `select count(*) as n from job where kind = 'publish.metrics' and (status = 'running' or status = 'waiting' and run_at <= ?)`
  await press.app.until(async () => {
    press.clock.advance(1_000)
    return (await press.count(open, press.clock.date())) === 0
  }, 'all were asked')
}

const toNextMorning = () => {
  const { clock } = all.press
  clock.advance(86_400_000 - (clock.now() % 86_400_000) + 3_600_000)
}
const day = (ahead: number) => new Date(all.press.clock.now() + ahead * 86_400_000).toISOString().slice(0, 10)
const reviewer = () => all.press.app.copydesk.as(reviewerOf(all.press.team))
const figuresOf = (type: Type) => all.platforms.find((one) => one.type === type)?.figures ?? {}
const responses = (type: Type) => {
  const { reactions = 0, comments = 0, shares = 0 } = figuresOf(type)
  return reactions + comments + shares
}

/** What a source of a website would say of it, or of one of its pages, on a day. */
async function visited(publicationId: string, on: string, views: number, searchClicks: number) {
  const { app, team, clock } = all.press
  rows += 1
  await app.db.write((tx) =>
    tx.run(
      `insert into website_days (id, tenant_id, channel_id, account_key, day, publication_id, views, search_clicks, updated_on)
       values (?, ?, ?, 'x', ?, ?, ?, ?, ?)`,
      [
        `01PAGE${String(rows).padStart(20, '0')}`,
        team.tenantId,
        'C'.repeat(26),
        on,
        publicationId,
        views,
        searchClicks,
        clock.date(),
      ],
    ),
  )
}
let rows = 0

describe('dashboard.activities.get, dm.activities.get, dashboard.approvals.get, dm.approvals.get: figures', () => {
  it('say of a text where it went and what was counted there, and nothing of one that goes nowhere', async () => {
    const { press } = all
    const { admin } = press
    const nowhere = await press.approved('# Emmer\n\nIt stays.\n')
    const activityId = await out('Rye', 'social_network_a', 'microblog_a')
    toNextMorning()
    await pull(2)
    const params = { activityId }
    const uncounted = { clicks: null, deliveries: null, opens: null, views: null, searchClicks: null }
    const facebook = figuresOf('social_network_a')
    const expected = [
      {
        ...uncounted,
        channelType: 'social_network_a',
        status: 'published',
        impressions: 2 * (facebook['impressions'] ?? 0),
        responses: 2 * responses('social_network_a'),
        clicks: 2 * (facebook['clicks'] ?? 0),
      },
      {
        ...uncounted,
        channelType: 'microblog_a',
        impressions: null,
        responses: 2 * responses('microblog_a'),
      },
    ]
    const activity = await admin.call('dashboard.activities.get', { params })
    expect(activity.places).toMatchObject(expected)
    expect(activity.places?.[0]?.url).toMatch(/^https:\/\/www\.facebook\.com\//)
    const { places } = activity
    expect((await reviewer().call('dm.activities.get', { params })).places).toEqual(places)
    expect(
      await admin.call('dashboard.activities.get', { params: { activityId: nowhere } }),
    ).not.toHaveProperty('places')
    const { approval } = activity
    const asked = { params: { approvalId: approval?.id ?? '' } }
    const linked = (found: { linkedActivities: { id: string; places?: unknown }[] }) =>
      found.linkedActivities.map(({ id, places: shown }) => [id, shown])
    const there = [[activityId, places]]
    expect(linked(await admin.call('dashboard.approvals.get', asked))).toEqual(there)
    expect(linked(await reviewer().call('dm.approvals.get', asked))).toEqual(there)

    // What was taken back stays visible as such, and counts no more for the campaign and for goals.
    const taken = activity.places?.find(({ channelType }) => channelType === 'microblog_a')?.id ?? ''
    await press.act(taken, 'cancel')
    await press.reaches(taken, 'removed')
    const after = await admin.call('dashboard.activities.get', { params })
    expect(after.places?.map(({ status }) => status)).toEqual(['published', 'removed'])
  })
})

describe('dashboard.analytics.performance, tenant.campaigns.get, tenant.campaigns.list: figures', () => {
  it('count for goals what was gained within the period, and for the one before what was gained then', async () => {
    const { press } = all
    const { admin } = press
    toNextMorning()
    const set = (metric: string, targetValue: number) =>
      admin.call('tenant.goals.create', {
        body: { title: metric, metric, targetValue, periodStart: day(1), periodEnd: day(2) } as never,
      })
    await out('Spelt', 'social_network_a')
    await pull(3)
    for (const metric of ['impressions', 'responses', 'clicks', 'opens', 'views', 'search_clicks'])
      await set(metric, 1_000)
    await visited('', day(-1), 40, 4)
    await visited('', day(1), 30, 5)
    const read = async () => {
      const { data } = await admin.call('dashboard.analytics.performance', {})
      return Object.fromEntries(
        data.map(({ metric, currentValue, trendDirection }) => [metric, [currentValue, trendDirection]]),
      )
    }
    const zero = [0, 'flat']
    const nothing = { impressions: zero, responses: zero, clicks: zero, opens: zero, views: zero }
    expect(await read()).toEqual({ ...nothing, search_clicks: zero })
    toNextMorning()
    await out('Durum', 'email_platform_a')
    await pull(4)
    // Two posts at Facebook were out before the period, and each of them was counted once more since.
    const found = await read()
    const { impressions = 0 } = figuresOf('social_network_a')
    const { opens = 0, clicks: inMails = 0 } = figuresOf('email_platform_a')
    expect(found['impressions']?.[0]).toBe(2 * impressions)
    expect(found['clicks']?.[0]).toBe(2 * (figuresOf('social_network_a')['clicks'] ?? 0) + 4 * inMails)
    expect(found['opens']).toEqual([4 * opens, 'up'])
    expect(found['views']).toEqual([30, 'down'])
    expect(found['search_clicks']).toEqual([5, 'up'])
  })

  it('are what a campaign is measured by, where platforms or search count them', async () => {
    const { press } = all
    const { admin } = press
    const cases = [
      ['social_media', 'engagements', ['social_network_a']],
      ['email_marketing', 'click_rate', ['email_platform_a', 'email_platform_b']],
      ['seo', 'organic_clicks', ['social_network_a']],
      ['review_generation', 'reviews_received', ['social_network_a']],
    ] as const
    const campaigns: { id: string; value: number | null }[] = []
    const mails = ['email_platform_a', 'email_platform_b'].map((type) => figuresOf(type as Type))
    const sum = (name: string) => mails.reduce((total, one) => total + (one[name] ?? 0), 0)
    const rate = Math.round((sum('clicks') * 10_000) / sum('deliveries')) / 100
    for (const [type, name, of] of cases) {
      const activityId = await out(`A ${type} piece`, ...of)
      const { campaign, places = [] } = await admin.call('dashboard.activities.get', {
        params: { activityId },
      })
      const id = campaign?.id ?? ''
      await press.app.db.write((tx) => tx.run('update campaigns set type = ? where id = ?', [type, id]))
      const shown = await admin.call('tenant.campaigns.get', { params: { campaignId: id } })
      expect(shown.primaryMetric).toEqual({ name, value: null })
      for (const back of [2, 1]) await visited(places[0]?.id ?? '', day(-back), 1, 6)
      const value = { engagements: responses('social_network_a'), click_rate: rate, organic_clicks: 12 }
      campaigns.unshift({ id, value: name in value ? value[name as keyof typeof value] : null })
    }
    toNextMorning()
    await pull(1)
    for (const { id, value } of campaigns) {
      const shown = await admin.call('tenant.campaigns.get', { params: { campaignId: id } })
      expect([shown.type, shown.primaryMetric.value]).toEqual([shown.type, value])
    }
    const { data } = await admin.call('tenant.campaigns.list', { query: { page: 1, limit: 4 } })
    expect(data.map(({ id, primaryMetric }) => ({ id, value: primaryMetric.value }))).toEqual(campaigns)
  })
})
