import { describe, expect, it } from 'vitest'
import { adminOf, createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { openRedisSpace, redisUrl } from '../../kit/redis.ts'
import { createAgentHarness } from '../../kit/runtime.ts'
import { readStream } from '../../kit/sse.ts'

/** A campaign under way, of which nothing is planned. */
async function addCampaign(app: TestApp, team: Team, name: string) {
  const { id } = await team.admin.call('dashboard', 'POST /campaigns', {
    body: { name, brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 2 }] },
  })
  await app.db.write((tx) => tx.run("update campaigns set status = 'active' where id = ?", [id]))
}

const home = (team: Team) => team.member.call('mobile', 'GET /home')

describe('mobile.home.get', () => {
  it('returns the three riskiest pending approvals, the latest five activities, and delayed deliverables', async () => {
    const clock = createTestClock(Date.parse('2026-04-01T09:00:00Z'))
    await using harness = await createAgentHarness({ clock })
    const { app, team } = harness
    const agent = await harness.order()
    for (const [type, title] of [
      ['content_direction', 'Medium'],
      ['content_direction', 'Medium too'],
      ['strategy_change', 'High'],
      ['brand_direction', 'Medium three'],
    ] as const) {
      clock.advance(1_000)
      await agent.call('POST /runs/:runId/actions/create-approval', {
        title,
        type,
        linkedActivityIds: [],
        blockCurrentActivity: false,
      })
    }
    const first = await home(team)
    expect(first.pendingApprovals).toMatchObject({ count: 4, highRisk: 1 })
    expect(first.pendingApprovals.items.map(({ title }) => title)).toEqual(['High', 'Medium', 'Medium too'])
    expect(first.recentActivities.inProgress).toBe(1)
    expect(first.recentActivities.items.length).toBeGreaterThan(0)
    expect(first.spend).toEqual({ thisMonthUsd: 0 })
    expect(first.campaigns).toEqual({ active: 1, atRisk: 0 })
    // At the end of the month with nothing done.
    clock.advance(29 * 86_400_000)
    await app.db.write((tx) => tx.run("update activities set status = 'failed'"))
    const { campaigns } = await app.copydesk.as(adminOf(team)).call('mobile.home.get')
    expect(campaigns).toEqual({ active: 1, atRisk: 1 })
  })

  it('is cached for a minute for all users of the tenant, and for no other tenant', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const [ours, theirs] = [await app.team(), await app.team()]
    expect((await home(ours)).campaigns.active).toBe(0)
    await addCampaign(app, ours, 'Spring')
    expect((await home(theirs)).campaigns.active).toBe(0)
    expect((await ours.admin.call('mobile', 'GET /home')).campaigns.active).toBe(0)
    clock.advance(59_999)
    expect((await home(ours)).campaigns.active).toBe(0)
    clock.advance(1)
    expect((await home(ours)).campaigns.active).toBe(1)
    expect((await home(theirs)).campaigns.active).toBe(0)
    expect(JSON.stringify(await home(theirs))).not.toContain('Spring')
  })

  it.skipIf(!redisUrl)(
    'is cached once for all servers on one Redis, separately for each tenant',
    async () => {
      await using space = await openRedisSpace()
      const redis = { url: space.url, prefix: space.prefix, timeoutMs: 5_000 }
      await using app = await createTestApp({ redis, worker: false })
      const [ours, theirs] = [await app.team(), await app.team()]
      expect((await home(ours)).campaigns.active).toBe(0)
      await addCampaign(app, ours, 'Spring')
      const other = await app.another()
      const at = async (team: Team) =>
        (await other.as(adminOf(team)).call('mobile.home.get')).campaigns.active
      expect(await at(ours)).toBe(0)
      await addCampaign(app, theirs, 'Autumn')
      expect(await at(theirs)).toBe(1)
      expect((await home(theirs)).campaigns.active).toBe(1)
      const kept = Object.keys(await space.keys()).filter((key) => key.includes('home:'))
      expect(kept.toSorted()).toEqual(
        [`cache:home:${ours.tenantId}`, `cache:home:${theirs.tenantId}`].toSorted(),
      )
      await space.age(60_000)
      expect(await at(ours)).toBe(1)
    },
  )
})

describe('mobile.events.stream', () => {
  it('returns what the web app gets, with links into the app in the scheme of the installation', async () => {
    await using harness = await createAgentHarness({ appScheme: 'hearth' })
    const { app, team } = harness
    const watch = (path: string, lastEventId: string) =>
      app.fetch(path, {
        headers: { authorization: `Bearer ${team.adminToken}`, 'last-event-id': lastEventId },
      })
    const agent = await harness.order()
    await agent.deliver('A post')
    const created = ({ event }: { event: string }) => event === 'approval_created'
    const fromWeb = await readStream(await watch('/dashboard/v1/events/stream', '0'), created)
    const fromApp = await readStream(await watch('/mobile/v1/events/stream', '0'), created)
    const linked = fromWeb.map((told) => ({ ...told, data: { ...told.data, deepLink: expect.any(String) } }))
    expect(fromApp).toEqual(linked)
    const links = Object.fromEntries(fromApp.map(({ event, data }) => [event, data['deepLink']]))
    const last = fromApp.at(-1)?.data as Record<string, string>
    expect(links).toMatchObject({
      approval_created: `hearth://approvals/${last['approvalId']}`,
      campaign_update: expect.stringMatching(/^hearth:\/\/campaigns\/[0-9A-Z]{26}$/),
      activity_started: expect.stringMatching(/^hearth:\/\/activities\/[0-9A-Z]{26}$/),
    })
    expect(last).toMatchObject({ title: expect.any(String), riskLevel: 'low' })
  })
})
