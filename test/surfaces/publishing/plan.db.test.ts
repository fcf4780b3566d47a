import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPress, type Press } from '../../kit/publishing.ts'
import type { Agent } from '../../kit/runtime.ts'
import { createWordPressServer, type WordPressServer } from '../../kit/wordpress-server.ts'

const dayMs = 86_400_000

let press: Press
let site: WordPressServer
let channelId: string

beforeAll(async () => {
  site = await createWordPressServer()
  press = await openPress()
  channelId = await press.connect(site)
})

afterAll(async () => {
  await press[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

type Action = 'content_review' | 'channel_action'

/** Approves what waits. */
async function approve(type: Action): Promise<void> {
  const query = { 'filter.status': 'pending', 'filter.type': type } as const
  const { data } = await press.admin.call('dashboard.approvals.list', { query })
  const params = { approvalId: data[0]?.id ?? '' }
  await press.admin.call('dashboard.approvals.resolve', { params, body: { resolution: 'approved' } })
}

const order = (type: 'social_post' | 'blog_post', platformIds: string[] = []) =>
  press.admin.call('dashboard.campaigns.create', {
    body: { name: 'Spring', brief: '# Oats', deliverables: [{ type, quantity: 1, platformIds }] },
  })

/** A text that was reviewed, and the agent that goes on with it. */
async function reviewed(text: string): Promise<Agent> {
  const writer = await press.next(press.clock)
  await writer.deliver(text)
  await approve('content_review')
  return press.next(press.clock)
}

const ask = (agent: Agent) =>
  agent.call('POST /runs/:runId/actions/create-approval', {
    type: 'channel_action',
    title: 'Publish it?',
    blockCurrentActivity: true,
  })

/** Moves time on to a minute before an instant. */
const passTo = (at = 0) => press.clock.advance(Math.max(0, at - press.clock.now() - 60_000))

const publicationsOf = async (activityId: string) =>
  (await press.list({ 'filter.activityId': activityId })).data

describe('from a verdict to a post: dashboard.publications.slots, dashboard.publications.set_slots', () => {
  it('publishes a piece by itself once its channel action is approved, and not before', async () => {
    await order('social_post', ['cms_site'])
    const text = '# Rye\n\nRye is dark.\n'
    const agent = await reviewed(text)
    const { id } = await press.activityOf(agent.runId)
    await ask(agent)
    await agent.deliver(text)
    expect(await publicationsOf(id)).toEqual([])
    await approve('channel_action')
    await (await press.next(press.clock)).deliver(text)
    const [publication] = await publicationsOf(id)
    expect(publication).toMatchObject({ status: 'scheduled', channelId, title: 'Rye' })
    await press.reaches(publication?.id ?? '', 'published')
    expect(site.published.get('Rye')).toBe(1)
  })

  it('publishes nothing whose text alone was approved', async () => {
    await order('social_post', ['cms_site'])
    const text = '# Oats\n\nOats last.\n'
    const agent = await reviewed(text)
    await agent.deliver(text)
    expect(await publicationsOf((await press.activityOf(agent.runId)).id)).toEqual([])
  })

  it('puts pieces without a time into free slots of the tenant’s zone, and stops one that is edited meanwhile', async () => {
    const times = { days: [1, 2, 3, 4, 5, 6, 7], times: ['09:00'] }
    const set = await press.admin.call('dashboard.publications.set_slots', { body: times })
    expect(await press.admin.call('dashboard.publications.slots', {})).toEqual(set)
    const planned: string[] = []
    for (const title of ['Spelt', 'Emmer']) {
      await order('social_post', ['cms_site'])
      const text = `# ${title}\n\nOf old.\n`
      const agent = await reviewed(text)
      await ask(agent)
      await agent.deliver(text)
      await approve('channel_action')
      await (await press.next(press.clock)).deliver(text)
      planned.push((await press.activityOf(agent.runId)).id)
    }
    const [spelt, emmer] = (await Promise.all(planned.map(publicationsOf))).flat()
    const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: set.timezone })
    const at = [spelt, emmer].map((one) => Date.parse(one?.scheduledFor ?? ''))
    expect(at.map((time) => clock.format(time))).toEqual(['09:00', '09:00'])
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBe(dayMs)
    expect(site.published.get('Spelt')).toBeUndefined()
    await press.app.db.write((tx) =>
      tx.run(`update outputs set text = text || 'New.' where activity_id = ?`, [planned[1] ?? '']),
    )
    passTo(at[0])
    await press.reaches(spelt?.id ?? '', 'published')
    passTo(at[1])
    expect(await press.reaches(emmer?.id ?? '', 'held', 'published')).toMatchObject({
      holdReason: 'content_changed',
    })
    await press.admin.call('dashboard.publications.set_slots', { body: { days: [], times: [] } })
  })

  it('holds what is scheduled when its campaign is paused', async () => {
    const activityId = await press.approved('# Millet\n\nIt is small.\n')
    const slot = new Date(press.clock.now() + dayMs)
    const { id } = await press.publish(activityId, channelId, slot)
    await press.app.db.write((tx) =>
      tx.run(
        `update campaigns set status = 'paused' where id in (select campaign_id from activities where id = ?)`,
        [activityId],
      ),
    )
    passTo(slot.getTime())
    expect(await press.reaches(id, 'held', 'published')).toMatchObject({ holdReason: 'campaign_stopped' })
  })

  it('tells the admins where a requested post cannot go by itself', async () => {
    const scheduleFor = new Date(press.clock.now() + 2 * dayMs).toISOString()
    await press.admin.call('dashboard.social_requests.create', {
      body: { topic: 'Teff', platforms: ['short_video_network'], scheduleFor },
    })
    const text = '# Teff\n\nSmaller still.\n'
    const agent = await reviewed(text)
    await agent.deliver(text)
    expect(await publicationsOf((await press.activityOf(agent.runId)).id)).toEqual([])
    expect(await press.notices()).toContain('Short-video network: Teff')
  })

  it('publishes a requested blog post on its website, and shows what it is once it was taken back', async () => {
    await order('blog_post')
    // The piece that the campaign has planned.
    await press.next(press.clock)
    await press.admin.call('dashboard.blog_requests.create', { body: { topic: 'Barley', channelId } })
    const researcher = await press.next(press.clock)
    await researcher.deliver('Facts')
    const text = '# Barley\n\nBarley is beer.\n'
    const writer = await reviewed(text)
    await writer.deliver(text)
    const { id } = await press.activityOf(writer.runId)
    const [publication] = await publicationsOf(id)
    await press.reaches(publication?.id ?? '', 'published')
    const status = async () => {
      const [post] = await press.app.db.sql.all<{ status: string; published_at: unknown }>(
        'select status, published_at from blog_posts where activity_id = ?',
        [id],
      )
      return [post?.status, post?.published_at !== null]
    }
    expect(await status()).toEqual(['published', true])
    await press.act(publication?.id ?? '', 'cancel')
    await press.reaches(publication?.id ?? '', 'removed')
    expect(await status()).toEqual(['client_approved', false])
  })
})
