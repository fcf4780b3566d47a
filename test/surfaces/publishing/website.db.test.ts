import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openWebsite } from '../../kit/website.ts'
import { createWordPressServer } from '../../kit/wordpress-server.ts'

const website = await openWebsite()
const { press, site, channelId } = website

beforeEach(() => website.forget())

afterAll(() => website[Symbol.asyncDispose]())

const later = () => new Date(press.clock.now() + 3_600_000)
const live = () => [...site.posts.values()].filter(({ status }) => status === 'publish')

describe('dashboard.publications.create, dashboard.publications.get, dashboard.publications.list, dashboard.publications.previews', () => {
  it('shows an approved piece once, as it was approved, whatever happens to the answers', async () => {
    site.mishaps.push('cut before', 'cut after', 502, 504, 'firewall', 'cut after')
    const activityId = await press.approved('# Why oats\n\nThey **last**. <script>alert(1)</script>\n')
    const { id, status } = await press.publish(activityId, channelId)
    expect(status).toBe('scheduled')
    const done = await press.reaches(id, 'published', 'failed')
    expect(done).toMatchObject({
      status: 'published',
      url: `${site.url}/why-oats`,
      error: null,
      nextAt: null,
    })
    expect(site.mishaps).toEqual([])
    expect(site.published.get('Why oats')).toBe(1)
    expect(live().map(({ content }) => content)).toEqual([
      '<p>They <strong>last</strong>. &lt;script&gt;alert(1)&lt;/script&gt;</p>',
    ])
    expect([...site.posts.values()]).toHaveLength(1)
    const again = press.publish(activityId, channelId)
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('shows titles and excerpts as they were approved, and runs nothing that stands in brackets', async () => {
    const text =
      '# Is 1 < 2 & <b>bold</b>?\n\nMeta description: <i>So</i> it is\n\nSee [gallery] and `[x]`.\n'
    const { id } = await press.publish(await press.approved(text), channelId)
    await press.reaches(id, 'published', 'failed')
    expect(live().at(-1)).toMatchObject({
      title: 'Is 1 &lt; 2 &amp; &lt;b&gt;bold&lt;/b&gt;?',
      excerpt: '&lt;i&gt;So&lt;/i&gt; it is',
      content: '<p>See &#91;gallery] and <code>&#91;x]</code>.</p>',
    })
  })

  it('is shown beforehand as the channel would show it, with whether a verdict covers it', async () => {
    const activityId = await press.approved('# Kamut\n\nIt is **large**.\n')
    const shown = await press.admin.call('dashboard.publications.previews', { params: { activityId } })
    expect(shown).toMatchObject({ activityId, approved: true })
    expect(shown.data.find(({ channelType }) => channelType === 'cms_site')).toEqual({
      channelType: 'cms_site',
      channelId,
      connected: true,
      takes: 'article',
      title: 'Kamut',
      text: '<p>It is <strong>large</strong>.</p>',
      excerpt: '',
      measures: [],
      pictures: [],
      problems: [],
    })
    const nothing = press.admin.call('dashboard.publications.previews', { params: { activityId: channelId } })
    await expect(nothing).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('waits for its slot, and is held when the text has changed since', async () => {
    const activityId = await press.approved('# Rye\n\nRye is dark.\n')
    const slot = later()
    const { id } = await press.publish(activityId, channelId, slot)
    expect(site.requests).toEqual([])
    await press.app.db.write((tx) =>
      tx.run(`update outputs set text = text || 'And light.' where activity_id = ?`, [activityId]),
    )
    const held = await press.reaches(id, 'held', 'published')
    expect(held).toMatchObject({ status: 'held', holdReason: 'content_changed' })
    expect(press.clock.now()).toBeGreaterThanOrEqual(slot.getTime())
    expect(site.requests).toEqual([])
    expect(await press.notices()).toContain('Website: Rye')
    expect((await press.act(id, 'cancel')).status).toBe('cancelled')
  })

  it('waits as long as the site says, and longer each time where it does not say', async () => {
    const tooMany = { status: 429, code: 'too_many' }
    site.mishaps.push({ ...tooMany, headers: { 'retry-after': '7200' } }, tooMany, tooMany)
    const { id } = await press.publish(await press.approved('# Spelt\n\nSpelt is old.\n'), channelId)
    const since = press.clock.now()
    await press.reaches(id, 'published', 'failed')
    expect(site.published.get('Spelt')).toBe(1)
    expect(press.clock.now() - since).toBeGreaterThanOrEqual(7_200_000 + 120_000)
  })

  it('is neither given up nor asked about for them, however many there are', async () => {
    const tooMany = Array.from({ length: 9 }, () => ({ status: 429, code: 'too_many' }))
    site.mishaps.push(...tooMany, 502)
    const failed = await press.publish(await press.approved('# Buckwheat\n\nIt is no wheat.\n'), channelId)
    expect(await press.reaches(failed.id, 'published', 'failed')).toMatchObject({ status: 'published' })
    // The first nine come before the post, the others before the site can be asked what has become of it.
    site.mishaps.push(...tooMany, 'cut after', ...tooMany)
    const lost = await press.publish(await press.approved('# Fonio\n\nFonio is small.\n'), channelId)
    expect(await press.reaches(lost.id, 'published', 'failed')).toMatchObject({ status: 'published' })
    expect(['Buckwheat', 'Fonio'].map((title) => site.published.get(title))).toEqual([1, 1])
    expect(await press.notices()).not.toContain('Website: Fonio')
  })
})

describe('dashboard.publications.retry, dashboard.publications.cancel, dashboard.publications.reconcile', () => {
  it('fails with the site’s words, is retried by a person, and taken back', async () => {
    site.mishaps.push({ status: 400, code: 'rest_invalid_param' })
    const { id } = await press.publish(await press.approved('# Barley\n\nBarley is beer.\n'), channelId)
    expect(await press.reaches(id, 'failed', 'published')).toMatchObject({
      status: 'failed',
      errorKind: 'validation',
      error: 'No: rest_invalid_param',
    })
    await press.act(id, 'retry')
    await press.reaches(id, 'published')
    await press.act(id, 'cancel')
    await press.reaches(id, 'removed')
    expect([...site.posts.values()].find(({ title }) => title === 'Barley')?.status).toBe('trash')
  })

  it('shows the text that is retried, also when an older one is out and its answer was lost', async () => {
    const activityId = await press.approved('# Amaranth\n\nIt is red.\n')
    site.gate = (line) => {
      if (/^POST .*\/posts\/\d+$/.test(line)) site.mishaps.push('cut after')
    }
    const { id } = await press.publish(activityId, channelId)
    await expect.poll(() => live().map(({ title }) => title)).toContain('Amaranth')
    site.gate = () => undefined
    await press.rewrite(activityId, '# Amaranth, new\n\nIt is redder.\n')
    expect(await press.reaches(id, 'held', 'published')).toMatchObject({ holdReason: 'content_changed' })
    await press.act(id, 'retry')
    await press.reaches(id, 'published', 'failed')
    const posts = live().filter(({ title }) => title.startsWith('Amaranth'))
    expect(posts.map(({ title }) => title)).toEqual(['Amaranth, new'])
  })

  it('starts afresh at another account, and leaves alone what that one has under the same id', async () => {
    await using other = await createWordPressServer()
    site.gate = (line) => {
      if (/^POST .*\/posts\/\d+$/.test(line)) site.mishaps.push({ status: 400, code: 'rest_invalid_param' })
    }
    const { id } = await press.publish(await press.approved('# Quinoa\n\nIt is high.\n'), channelId)
    await press.reaches(id, 'failed', 'published')
    site.gate = () => undefined
    const [postId = 0] = [...site.posts].find(([, { title }]) => title === 'Quinoa') ?? []
    const theirs = {
      id: postId,
      slug: 'theirs',
      status: 'publish',
      title: 'Theirs',
      content: '',
      excerpt: '',
    }
    other.posts.set(postId, { ...theirs })
    const passwords = [...site.passwords]
    await press.connect(other)
    await press.act(id, 'retry')
    expect(await press.reaches(id, 'published', 'failed')).toMatchObject({ url: `${other.url}/quinoa` })
    expect([other.posts.get(postId), other.published.get('Quinoa')]).toEqual([theirs, 1])
    for (const [uuid, password] of passwords) site.passwords.set(uuid, password)
    await press.connect(site)
  })

  it('makes a draft of what it takes back where the site has no bin', async () => {
    const { id } = await press.publish(await press.approved('# Sorghum\n\nIt is sweet.\n'), channelId)
    await press.reaches(id, 'published')
    site.hasTrash = false
    await press.act(id, 'cancel')
    await press.reaches(id, 'removed')
    site.hasTrash = true
    expect([...site.posts.values()].find(({ title }) => title === 'Sorghum')?.status).toBe('draft')
  })

  it('asks a person about what may be there, and sends it only when they say that it is not', async () => {
    const doubt = async (title: string) => {
      const { id } = await press.publish(await press.approved(`# ${title}\n\nOf old.\n`), channelId, later())
      // As a process leaves it that has died at the wrong moment.
      await press.app.db.write((tx) =>
        tx.run(
          `update publications set status = 'unknown', touched = ?, asked = ?, next_at = null where id = ?`,
          [true, true, id],
        ),
      )
      return id
    }
    const [there, gone, unsure] = [await doubt('Emmer'), await doubt('Einkorn'), await doubt('Durum')]
    expect(await press.show(there)).toMatchObject({ status: 'unknown', needsAnswer: true })
    await expect(press.act(there, 'retry')).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(press.act(there, 'cancel')).rejects.toMatchObject({ code: 'CONFLICT' })
    const url = 'https://oats.example/emmer'
    await expect(press.act(there, 'reconcile', { url })).rejects.toMatchObject({ field: 'url' })
    expect(await press.act(there, 'reconcile', { outcome: 'published', url })).toMatchObject({
      status: 'published',
      url,
    })
    await expect(press.act(there, 'reconcile')).rejects.toMatchObject({ code: 'CONFLICT' })
    await press.act(gone, 'reconcile', { outcome: 'not_published' })
    await press.act(unsure, 'reconcile')
    for (const id of [gone, unsure]) await press.reaches(id, 'published')
    expect(['Emmer', 'Einkorn', 'Durum'].map((title) => site.published.get(title))).toEqual([undefined, 1, 1])
    const out = await press.list({ 'filter.status': 'published', 'filter.channelId': channelId })
    expect(out.data.map(({ title }) => title).slice(0, 3)).toEqual(['Durum', 'Einkorn', 'Emmer'])
  })
})
