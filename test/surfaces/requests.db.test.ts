import { describe, expect, it } from 'vitest'
import { createTestClock, type TestClock } from '../kit/clock.ts'
import { connectChannel } from '../kit/consents.ts'
import { createOAuthServer } from '../kit/oauth-server.ts'
import { type AgentHarness, createAgentHarness } from '../kit/runtime.ts'
import { refusal } from './refusal.ts'

const topic = 'Why oats keep you full'

const askFor = ({ team }: AgentHarness, body: object = {}, who: 'admin' | 'member' = 'admin') =>
  team[who].call('dashboard', 'POST /blog-requests', { body: { topic, ...body } })

const blogRequests = async ({ team }: AgentHarness, query = {}) =>
  (await team.admin.call('dashboard', 'GET /blog-requests', { query })).data

const pending = async ({ team }: AgentHarness, type: 'content_direction' | 'content_review') =>
  (
    await team.admin.call('dashboard', 'GET /approvals', {
      query: { 'filter.status': 'pending', 'filter.type': type },
    })
  ).data

/** Approves what waits for review, and ends the turn that follows. */
async function approveNext(harness: AgentHarness, clock?: TestClock): Promise<void> {
  const [approval] = await pending(harness, 'content_review')
  await harness.team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
    params: { approvalId: approval?.id ?? '' },
    body: { resolution: 'approved' },
  })
  const agent = await harness.next(clock)
  await agent.call('POST /runs/:runId/result', { status: 'success', metadata: { nothingToDo: true } })
}

describe('dashboard.blog_requests.create', () => {
  it('creates the post that an admin requests in addition to the campaign’s deliverables, and completes the request', async () => {
    await using harness = await createAgentHarness()
    const planned = await harness.order('blog_post')
    const made = await askFor(harness, {
      targetKeyword: 'oats breakfast',
      brief: 'Mention the shop in Bristol',
      priority: 'high',
    })
    expect(made).toMatchObject({ topic, status: 'approved', createdBy: 'Ada Admin' })
    expect(made).not.toHaveProperty('blogPostId')
    const researcher = await harness.next()
    expect(researcher.dispatch.agentRole).toBe('researcher')
    for (const told of [topic, 'oats breakfast', 'Mention the shop in Bristol', 'Hearth & Oat'])
      expect(researcher.dispatch.prompt).toContain(told)
    expect(planned.dispatch.prompt).not.toContain(topic)
    const { period_id, ...activity } = await harness.activityOf(researcher.runId)
    expect(activity).toMatchObject({ piece: 2, priority: 10, title: `Blog post “${topic}”: research` })
    expect(await blogRequests(harness)).toMatchObject([
      { id: made.id, status: 'in_production', blogPostId: expect.any(String) },
    ])
    await researcher.deliver('Facts about oats')
    const writer = await harness.next()
    expect(writer.dispatch.prompt).toContain('Facts about oats')
    await writer.deliver(`# ${topic}\n\nBecause.`)
    expect(await blogRequests(harness, { 'filter.status': 'completed' })).toEqual([])
    await approveNext(harness)
    expect(await blogRequests(harness, { 'filter.status': 'completed' })).toMatchObject([{ id: made.id }])
    expect(
      await harness.count(
        'select count(*) as n from periods where id = ? and target = 1',
        period_id as string,
      ),
    ).toBe(1)
  })

  it('asks the admins about a member’s request, and applies their verdict', async () => {
    await using harness = await createAgentHarness()
    await harness.order('blog_post')
    const first = await askFor(harness, {}, 'member')
    expect(first.status).toBe('draft')
    const second = await askFor(harness, { topic: 'Our cat' }, 'member')
    const asked = await pending(harness, 'content_direction')
    expect(asked).toMatchObject([
      { title: 'Blog request: Our cat', createdBy: { name: 'Mia Member', type: 'human' } },
      { title: `Blog request: ${topic}`, riskLevel: 'medium' },
    ])
    const resolve = (at: number, body: { resolution: 'approved' | 'rejected'; note?: string }) =>
      harness.team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId: asked[at]?.id ?? '' },
        body,
      })
    await resolve(0, { resolution: 'rejected', note: 'Not about bread' })
    await resolve(1, { resolution: 'approved' })
    const agent = await harness.next()
    expect(agent.dispatch.prompt).toContain(topic)
    expect(await blogRequests(harness)).toMatchObject([
      { id: second.id, status: 'rejected' },
      { id: first.id, status: 'in_production' },
    ])
    const told = await harness.count(
      `select count(*) as n from notifications n join users u on u.id = n.user_id
       where u.role = 'member' and (n.title = ? or n.body = ?)`,
      `Approved: ${topic}`,
      'Not about bread',
    )
    expect(told).toBe(2)
    expect(harness.runtime.waiting).toBe(0)
  })

  it('waits for a campaign with blog posts, and starts with it', async () => {
    await using harness = await createAgentHarness()
    const social = await harness.order('social_post')
    await askFor(harness)
    await harness.app.until(
      async () =>
        (await harness.count(
          `select count(*) as n from job where kind = 'request.start' and status = 'done'`,
        )) > 0,
      'it was tried',
    )
    expect(await blogRequests(harness)).toMatchObject([{ status: 'approved' }])
    await social.deliver('A post')
    await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Blog', brief: 'Rye', deliverables: [{ type: 'blog_post', quantity: 1 }] },
    })
    const prompts = [await harness.next(), await harness.next()].map(({ dispatch }) => dispatch.prompt)
    expect(prompts.filter((prompt) => prompt.includes(topic))).toHaveLength(1)
    expect(await blogRequests(harness)).toMatchObject([{ status: 'in_production' }])
  })

  it('creates each of several requests once, though they and their jobs are concurrent', async () => {
    await using harness = await createAgentHarness()
    await harness.configure({ concurrency: 10 })
    await harness.order('blog_post')
    await harness.app.another()
    await Promise.all([
      ...[1, 2, 3].map((n) => askFor(harness, { topic: `Topic ${n}` })),
      // Its planning takes up what waits as well.
      harness.team.admin.call('dashboard', 'POST /campaigns', {
        body: { name: 'Other', brief: 'Rye', deliverables: [{ type: 'social_post', quantity: 1 }] },
      }),
    ])
    const agents = [await harness.next(), await harness.next(), await harness.next(), await harness.next()]
    const prompts = agents.map(({ dispatch }) => dispatch.prompt)
    for (const n of [1, 2, 3])
      expect(prompts.filter((prompt) => prompt.includes(`Topic ${n}`))).toHaveLength(1)
    const pieces = await harness.app.db.sql.all<{ piece: number }>(
      'select piece from request_pieces order by piece',
    )
    expect(pieces.map(({ piece }) => piece)).toEqual([2, 3, 4])
  })

  it('rejects channels other than websites of the tenant, and invalid fields', async () => {
    await using provider = await createOAuthServer()
    await using harness = await createAgentHarness({ channels: provider.channels, allowHosts: ['127.0.0.1'] })
    const other = await harness.app.team('Other')
    await connectChannel(harness.app, provider, other.adminToken, 'cms_site')
    for (const platform of ['search_ads', 'cms_site'] as const)
      await connectChannel(harness.app, provider, harness.team.adminToken, platform)
    const channelOf = async ({ admin }: typeof other, type: string) =>
      (await admin.call('dashboard', 'GET /channels')).data.find((channel) => channel.type === type)?.id ?? ''
    expect(await refusal(askFor(harness, { channelId: await channelOf(other, 'cms_site') }))).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      field: 'channelId',
    })
    const ads = await channelOf(harness.team, 'search_ads')
    expect(await refusal(askFor(harness, { channelId: ads }))).toMatchObject({
      status: 400,
      field: 'channelId',
    })
    const channelId = await channelOf(harness.team, 'cms_site')
    expect(await askFor(harness, { channelId })).toMatchObject({ channelId, channelName: 'Website' })
    for (const [body, field] of [
      [{ topic: ' ' }, 'topic'],
      [{ topic: 'x'.repeat(201) }, 'topic'],
      [{ priority: 'low' }, 'priority'],
      [{ status: 'approved' }, 'status'],
    ] as const)
      expect(await refusal(askFor(harness, body))).toMatchObject({ status: 400, field })
    expect(await blogRequests(harness)).toHaveLength(1)
  })
})

describe('dashboard.social_requests.create', () => {
  it('creates a post for each network at its time, and is completed with the last', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const planned = await harness.order('social_post')
    await planned.deliver('The planned one')
    await approveNext(harness, clock)
    const scheduleFor = new Date(clock.now() + 7 * 86_400_000 + 60_000).toISOString()
    const call = (body: object) =>
      harness.team.admin.call('dashboard', 'POST /social-requests', { body: { topic, ...body } as never })
    expect(await refusal(call({ platforms: ['photo_network', 'photo_network'] }))).toMatchObject({
      status: 400,
      field: 'platforms.1',
    })
    expect(await refusal(call({ platforms: [] }))).toMatchObject({ status: 400, field: 'platforms' })
    expect(await refusal(call({ platforms: ['cms_site'] }))).toMatchObject({ status: 400 })
    const made = await call({ platforms: ['photo_network', 'professional_network'], scheduleFor })
    expect(made).toMatchObject({ status: 'approved', scheduleFor, priority: 'normal' })
    const agents = [await harness.next(clock), await harness.next(clock)]
    // It is made in the week before it goes out.
    expect(clock.now()).toBeGreaterThanOrEqual(Date.parse(scheduleFor) - 7 * 86_400_000)
    expect(clock.now()).toBeLessThan(Date.parse(scheduleFor))
    const places = agents.map(({ dispatch }) => /It will appear on: (.*)\./.exec(dispatch.prompt)?.[1])
    expect(new Set(places)).toEqual(new Set(['Photo network', 'Professional network']))
    const statuses = async (query = {}) =>
      (await harness.team.admin.call('dashboard', 'GET /social-requests', { query })).data.map(
        ({ status }) => status,
      )
    for (const agent of agents) {
      expect(await statuses()).toEqual(['in_production'])
      await agent.deliver(`A post ${agent.runId}`)
      await approveNext(harness, clock)
    }
    expect(await statuses()).toEqual(['completed'])
    expect(await statuses({ 'filter.platform': 'photo_network' })).toHaveLength(1)
    expect(await statuses({ 'filter.platform': 'short_video_network' })).toEqual([])
    expect(await blogRequests(harness)).toEqual([])
  })
})
