import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pullAccounts } from '../../../packages/core/src/domain/delivery/publishing/account-days/pull.ts'
import { parts } from '../../domain/agents.ts'
import { adminOf } from '../../kit/app.ts'
import { type AllConnected, connectAll } from '../../kit/platforms/all-connected.ts'
import type { Platform } from '../../kit/platforms/frame.ts'
import { outcomesInReport } from '../../kit/press-reports.ts'

let all: AllConnected
beforeAll(async () => {
  all = await connectAll()
})
afterAll(() => all[Symbol.asyncDispose]())

const types = ['social_network_a', 'business_profile'] as const
type Type = (typeof types)[number]
const platformOf = (type: Type) => all.platforms.find((one) => one.type === type) as Platform
const channelOf = (type: string) => all.channels.get(type) ?? ''

/** Goes on to noon of the next day, and has the platforms asked, which count so many times their figures. */
async function nextDay(popularity: number): Promise<void> {
  const { clock, app, count } = all.press
  clock.advance(86_400_000 - (clock.now() % 86_400_000) + 12 * 3_600_000)
  for (const type of types) platformOf(type).popularity = popularity
  await using instance = await parts(app)
  await pullAccounts(instance.system())
  const open = `select count(*) as n from job where kind = 'publish.account' and status in ('waiting', 'running')`
  await app.until(async () => {
    if (
      (await count(`select count(*) as n from job where kind = 'publish.account' and status = 'running'`)) ===
      0
    )
      clock.advance(1_000)
    return (await count(open)) === 0
  }, 'all were asked')
}

const day = (back: number) => new Date(all.press.clock.now() - back * 86_400_000).toISOString().slice(0, 10)
const health = (type: string) =>
  all.press.admin.call('dashboard.channels.health', { params: { channelId: channelOf(type) } })
const none = {
  views: null,
  reach: null,
  engagements: null,
  newFollowers: null,
  followers: null,
  websiteClicks: null,
  calls: null,
  directions: null,
}
const times = (type: Type, n: number) =>
  Object.fromEntries(
    Object.entries(platformOf(type).accountFigures ?? {}).map(([name, value]) => [name, value * n]),
  )

describe('dashboard.channels.health: the figures of pages and places', () => {
  it('are kept by the day, of four weeks at first, and put right for a week', async () => {
    await nextDay(1)
    for (const type of types) {
      const { accountDays } = await health(type)
      expect(accountDays.map((one) => one.day)).toEqual(Array.from({ length: 28 }, (_, n) => day(n + 1)))
      for (const { day: _, ...figures } of accountDays)
        expect(figures).toEqual({ ...none, ...times(type, 1) })
    }
    expect((await health('microblog_a')).accountDays).toEqual([])
    platformOf('business_profile').requests.splice(0)
    await nextDay(3)
    for (const type of types) {
      const { accountDays } = await health(type)
      const views = platformOf(type).accountFigures?.['views'] ?? 0
      expect(accountDays).toHaveLength(29)
      // The new day, and the seven that were known last.
      expect(accountDays.map((one) => one.views)).toEqual([
        ...Array<number>(8).fill(3 * views),
        ...Array<number>(21).fill(views),
      ])
    }
  })

  it('are left as they are while the platform refuses them, and caught up with afterwards', async () => {
    const { press, provider } = all
    provider.declines = ['read_insights']
    await all.connect(platformOf('social_network_a'))
    await nextDay(1)
    const { accountDays } = await health('social_network_a')
    expect(accountDays[0]?.day).toBe(day(2))
    expect((await health('business_profile')).accountDays[0]?.day).toBe(day(1))
    provider.declines = []
    await all.connect(platformOf('social_network_a'))
    await nextDay(1)
    const after = (await health('social_network_a')).accountDays
    expect(after.slice(0, 2).map((one) => one.day)).toEqual([day(1), day(2)])
    const { data } = await press.admin.call('dashboard.channels.list', {})
    for (const type of types) expect(data.find((one) => one.type === type)?.status).toBe('connected')
  })

  it('are those of the tenant alone', async () => {
    const { press } = all
    const neighbour = press.app.copydesk.as(adminOf(await press.app.team()))
    const params = { channelId: channelOf('social_network_a') }
    await expect(neighbour.call('dashboard.channels.health', { params })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})

describe('dm.reports.create, dashboard.reports.get: pages and places', () => {
  it('are added up for the tenant, and left out of a report on some campaigns', async () => {
    const { press } = all
    await press.approved('# Rye')
    const { data } = await press.admin.call('dashboard.campaigns.list', {})
    await press.app.db.write((tx) =>
      tx.run('update account_days set day = ? where day = ?', ['2024-03-02', day(1)]),
    )
    const became = (more: { campaignIds?: string[] } = {}) =>
      outcomesInReport(press, { periodStart: '2024-03-01', periodEnd: '2024-03-31', ...more })
    expect(await became()).toEqual([
      '- Page: 40 views, 5 engagements, 2 new followers',
      '- Place: 73 views, 4 clicks to the website, 0 calls, 3 requests for the way',
    ])
    expect(await became({ campaignIds: [data[0]?.id ?? ''] })).toBeUndefined()
  })
})
