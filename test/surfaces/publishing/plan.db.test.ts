import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPress, type Press } from '../../kit/publishing.ts'
import { createWordPressServer, type WordPressServer } from '../../kit/wordpress-server.ts'
import { again, approve, ask, order, reviewed } from './orders.ts'

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

/** Moves time on to a minute before an instant. */
const passTo = (at = 0) => press.clock.advance(Math.max(0, at - press.clock.now() - 60_000))

const publicationsOf = async (activityId: string) =>
  (await press.list({ 'filter.activityId': activityId })).data

describe('from a verdict to a post: dashboard.publications.slots, dashboard.publications.set_slots', () => {
  it('publishes a piece by itself once its channel action is approved, and not before', async () => {
    await order(press, 'social_post', ['cms_site'])
    const text = '# Rye\n\nRye is dark.\n'
    const agent = await reviewed(press, text)
    const { id } = await press.activityOf(agent.runId)
    await ask(agent)
    await agent.deliver(text)
    expect(await publicationsOf(id)).toEqual([])
    await approve(press, 'channel_action')
    await (await press.next(press.clock)).deliver(text)
    const [publication] = await publicationsOf(id)
    expect(publication).toMatchObject({ status: 'scheduled', channelId, title: 'Rye' })
    await press.reaches(publication?.id ?? '', 'published')
    expect(site.published.get('Rye')).toBe(1)
  })

  it('changes a post that is out once a newer text is ordered, and not before', async () => {
    await order(press, 'social_post', ['cms_site'])
    const first = await reviewed(press, '# Sorghum\n\nIt is sweet.\n')
    const { id: activityId } = await press.activityOf(first.runId)
    const { id } = await press.publish(activityId, channelId)
    const { url } = await press.reaches(id, 'published')
    const text = '# Sorghum, new\n\nIt is sweeter.\n'
    const agent = await again(press, first, text)
    await ask(agent)
    await agent.deliver(text)
    expect((await press.show(id)).change).toBeNull()
    await approve(press, 'channel_action')
    await (await press.next(press.clock)).deliver(text)
    expect(await press.settles(id)).toMatchObject({ title: 'Sorghum, new', url, change: null })
    const posts = [...site.posts.values()].filter(({ title }) => title.startsWith('Sorghum'))
    expect(posts).toMatchObject([{ title: 'Sorghum, new', status: 'publish' }])
    // It is finished, and nothing has changed since.
    expect(await publicationsOf(activityId)).toMatchObject([{ id, change: null }])
  })

  it('changes a post whose newer text was ordered while the former was being sent', async () => {
    await order(press, 'social_post', ['cms_site'])
    const first = await reviewed(press, '# Amaranth\n\nIt is red.\n')
    const { id: activityId } = await press.activityOf(first.runId)
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    site.gate = async (line) => {
      if (!/^POST .*\/posts\/\d+$/.test(line)) return
      reached.resolve()
      await released.promise
    }
    const { id } = await press.publish(activityId, channelId)
    await reached.promise
    const text = '# Amaranth, new\n\nIt is redder.\n'
    const agent = await again(press, first, text)
    await ask(agent)
    await agent.deliver(text)
    await approve(press, 'channel_action')
    await (await press.next(press.clock)).deliver(text)
    expect(await press.show(id)).toMatchObject({ status: 'sending', change: { status: 'waiting' } })
    site.gate = () => undefined
    released.resolve()
    await press.reaches(id, 'published')
    expect(await press.settles(id)).toMatchObject({ title: 'Amaranth, new', change: null })
    const posts = [...site.posts.values()].filter(({ title }) => title.startsWith('Amaranth'))
    expect(posts).toMatchObject([{ title: 'Amaranth, new', status: 'publish' }])
    expect(site.published.get('Amaranth')).toBe(1)
  })

  it('changes a blog post that is finished and out when the verdict on publishing it edits its text', async () => {
    await order(press, 'blog_post')
    await (await press.next(press.clock)).deliver('Facts')
    const text = '# Buckwheat\n\nIt is no wheat.\n'
    const agent = await reviewed(press, text)
    const { id: activityId } = await press.activityOf(agent.runId)
    await ask(agent, { isWaitedFor: false })
    await agent.deliver(text)
    const { id } = await press.publish(activityId, channelId)
    const { url } = await press.reaches(id, 'published')
    await approve(press, 'channel_action', '# Buckwheat, edited\n\nIt is no wheat at all.\n')
    expect(await press.settles(id)).toMatchObject({ title: 'Buckwheat, edited', url, change: null })
    const post = await press.app.db.sql.get(
      'select title, slug, version, status from blog_posts where activity_id = ?',
      [activityId],
    )
    expect(post).toEqual({ title: 'Buckwheat, edited', slug: 'buckwheat', version: 2, status: 'published' })
  })

  it('publishes nothing whose text alone was approved', async () => {
    await order(press, 'social_post', ['cms_site'])
    const text = '# Oats\n\nOats last.\n'
    const agent = await reviewed(press, text)
    await agent.deliver(text)
    expect(await publicationsOf((await press.activityOf(agent.runId)).id)).toEqual([])
  })

  it('puts pieces without a time into free slots of the tenant’s zone, and stops one that is edited meanwhile', async () => {
    const times = { days: [1, 2, 3, 4, 5, 6, 7], times: ['09:00'] }
    const set = await press.admin.call('dashboard.publications.set_slots', { body: times })
    expect(await press.admin.call('dashboard.publications.slots', {})).toEqual(set)
    const planned: string[] = []
    for (const title of ['Spelt', 'Emmer']) {
      await order(press, 'social_post', ['cms_site'])
      const text = `# ${title}\n\nOf old.\n`
      const agent = await reviewed(press, text)
      await ask(agent)
      await agent.deliver(text)
      await approve(press, 'channel_action')
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
    const agent = await reviewed(press, text)
    await agent.deliver(text)
    expect(await publicationsOf((await press.activityOf(agent.runId)).id)).toEqual([])
    expect(await press.notices()).toContain('Short-video network: Teff')
  })

  it('publishes a requested blog post on its website, and shows what it is once it was taken back', async () => {
    await order(press, 'blog_post')
    // The piece that the campaign has planned.
    await press.next(press.clock)
    await press.admin.call('dashboard.blog_requests.create', { body: { topic: 'Barley', channelId } })
    const researcher = await press.next(press.clock)
    await researcher.deliver('Facts')
    const text = '# Barley\n\nBarley is beer.\n'
    const writer = await reviewed(press, text)
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
