import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { jpegOf, uploadAsset } from '../../kit/pictures.ts'
import { openWebsite } from '../../kit/website.ts'

const website = await openWebsite()
const { press, site, channelId } = website

beforeEach(() => website.forget())

afterAll(() => website[Symbol.asyncDispose]())

const textOf = (title: string) => `# ${title}\n\nOf old.\n`

/** A piece that is out on the website. */
async function out(title: string) {
  const activityId = await press.approved(textOf(title))
  const { id } = await press.publish(activityId, channelId)
  const { url } = await press.reaches(id, 'published')
  const { external_id: post } = (await press.app.db.sql.get<{ external_id: string }>(
    'select external_id from publications where id = ?',
    [id],
  )) ?? { external_id: '' }
  return { id, activityId, url, postId: Number(post), post: () => site.posts.get(Number(post)) }
}

const logOf = async (activityId: string) => {
  const rows = await press.app.db.sql.all<{ message: string }>(
    `select message from activity_log where activity_id = ? and kind in ('published', 'publishing') order by id`,
    [activityId],
  )
  return rows.map(({ message }) => message)
}
const eventsOf = async (type: string) => {
  const rows = await press.app.db.sql.all<{ data: string | object }>(
    'select data from event where type = ? order by seq',
    [type],
  )
  return rows.map(({ data }) => (typeof data === 'string' ? (JSON.parse(data) as object) : data))
}

describe('dashboard.publications.update', () => {
  it('puts the newest approved text into the post that is out, under its address, and records it', async () => {
    const { id, activityId, url, post } = await out('Rye')
    await expect(press.act(id, 'update')).rejects.toMatchObject({ code: 'CONFLICT' })
    const { reference } = await uploadAsset(press.team.member, jpegOf(), 'rye.jpg', { altText: 'A field' })
    await press.rewrite(activityId, `# Rye & oats\n\nOf late. ![](${reference})\n`)
    const { promise: isShown, resolve: go } = Promise.withResolvers<void>()
    site.gate = () => isShown
    const planned = await press.act(id, 'update')
    expect(planned).toMatchObject({ status: 'published', title: 'Rye', changedAt: null })
    expect(planned.change).toMatchObject({ error: null, holdReason: null })
    go()
    const changed = await press.settles(id)
    expect(changed).toMatchObject({ status: 'published', title: 'Rye & oats', url, change: null })
    expect(changed.contentHash).toBe(planned.change?.contentHash)
    expect(changed.changedAt).not.toBeNull()
    expect(post()).toMatchObject({
      title: 'Rye &amp; oats',
      slug: 'rye',
      status: 'publish',
      content: expect.stringMatching(/^<p>Of late\. <img src="http.+\.jpg" alt="A field"><\/p>$/),
    })
    expect([...site.posts.values()].filter(({ title }) => title.startsWith('Rye'))).toHaveLength(1)
    expect(site.published.get('Rye &amp; oats')).toBeUndefined()
    expect((await logOf(activityId)).at(-1)).toBe(`Version 2 is out on Website: ${url}`)
    await expect.poll(() => eventsOf('content_updated')).toHaveLength(1)
    expect(await eventsOf('content_updated')).toMatchObject([
      {
        publicationId: id,
        activityId,
        channelId,
        channelType: 'cms_site',
        title: 'Rye & oats',
        url,
      },
    ])
    const actions = await press.app.db.sql.all<{ action: string }>(
      'select action from audit_records where resource_id = ? order by id',
      [id],
    )
    expect(actions.map(({ action }) => action).slice(-2)).toEqual([
      'publication.update',
      'publication.updated',
    ])
    await expect(press.act(id, 'update')).rejects.toMatchObject({ code: 'CONFLICT' })
    const listed = await press.list({ 'filter.activityId': activityId })
    expect(listed.data).toMatchObject([
      { id, title: 'Rye & oats', changedAt: changed.changedAt, change: null },
    ])
  })

  it('refuses what is not out, and a text that no verdict covers', async () => {
    const activityId = await press.approved(textOf('Spelt'))
    const later = new Date(press.clock.now() + 3_600_000)
    const { id: planned } = await press.publish(activityId, channelId, later)
    await expect(press.act(planned, 'update')).rejects.toMatchObject({ code: 'CONFLICT' })
    await press.act(planned, 'cancel')
    const { id, activityId: of } = await out('Emmer')
    await press.rewrite(of, textOf('Emmer, new'), { isApproved: false })
    await expect(press.act(id, 'update')).rejects.toMatchObject({ code: 'UNPROCESSABLE' })
    await expect(press.act(id, 'retry')).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('holds a change whose text was edited meanwhile, tells the admins once, and retries with the newest', async () => {
    const { id, activityId, post } = await out('Einkorn')
    await press.rewrite(activityId, textOf('Einkorn, second'))
    site.mishaps.push({ status: 429, code: 'too_many', headers: { 'retry-after': '7200' } })
    const since = press.clock.now()
    await press.act(id, 'update')
    await press.app.until(async () => {
      press.clock.advance(500)
      return site.mishaps.length === 0 && (await press.show(id)).change?.status === 'waiting'
    }, 'the site has refused it for now')
    await press.rewrite(activityId, textOf('Einkorn, third'), { isApproved: false })
    const held = await press.settles(id)
    expect(press.clock.now() - since).toBeGreaterThanOrEqual(7_200_000)
    expect(held.change).toMatchObject({ status: 'held', holdReason: 'content_changed', nextAt: null })
    expect(held).toMatchObject({ status: 'published', title: 'Einkorn' })
    expect(post()?.title).toBe('Einkorn')
    expect((await press.notices()).filter((title) => title === 'Website: Einkorn')).toHaveLength(1)
    await expect(press.act(id, 'retry')).rejects.toMatchObject({ code: 'UNPROCESSABLE' })
    await press.rewrite(activityId, textOf('Einkorn, fourth'))
    await press.act(id, 'retry')
    expect(await press.settles(id)).toMatchObject({ title: 'Einkorn, fourth', change: null })
    expect(post()?.title).toBe('Einkorn, fourth')
  })

  it('never sends an older text once a newer one is planned', async () => {
    const { id, activityId, postId, post } = await out('Millet')
    site.requests.splice(0)
    const sent: string[] = []
    const planNewer = async (title: string) => {
      site.gate = () => undefined
      await press.rewrite(activityId, textOf(title))
      await press.act(id, 'update')
    }
    await press.rewrite(activityId, textOf('Millet, second'))
    site.gate = async (line) => {
      if (line === `GET /wp-json/wp/v2/posts/${postId}`) await planNewer('Millet, third')
    }
    await press.update(id)
    expect(post()?.title).toBe('Millet, third')
    // One that is at the site already is followed by the newer one.
    await press.rewrite(activityId, textOf('Millet, fourth'))
    site.gate = async (line) => {
      if (line !== `POST /wp-json/wp/v2/posts/${postId}`) return
      sent.push(post()?.title ?? '')
      await planNewer('Millet, fifth')
    }
    expect(await press.update(id)).toMatchObject({ title: 'Millet, fifth', change: null })
    expect([sent, post()?.title]).toEqual([['Millet, third'], 'Millet, fifth'])
    expect(site.requests.filter((line) => line.startsWith('POST'))).toHaveLength(3)
    expect((await logOf(activityId)).slice(-2)).toEqual([
      expect.stringContaining('Version 4 is out'),
      expect.stringContaining('Version 5 is out'),
    ])
  })
})

describe('dashboard.publications.drop_change, dashboard.publications.cancel', () => {
  it('drops a newer text that waits, and leaves the post as it is', async () => {
    const { id, activityId, post } = await out('Teff')
    await expect(press.act(id, 'drop_change')).rejects.toMatchObject({ code: 'CONFLICT' })
    await press.rewrite(activityId, textOf('Teff, new'))
    site.mishaps.push({ status: 400, code: 'rest_invalid_param' })
    expect((await press.update(id)).change).toMatchObject({
      status: 'failed',
      error: 'No: rest_invalid_param',
    })
    expect(await press.act(id, 'drop_change')).toMatchObject({ status: 'published', change: null })
    expect(post()?.title).toBe('Teff')
    expect(await press.update(id)).toMatchObject({ title: 'Teff, new', change: null })
  })

  it('takes a post back with the newer text that waits', async () => {
    const { id, activityId, post } = await out('Barley')
    await press.rewrite(activityId, textOf('Barley, new'))
    site.mishaps.push({ status: 400, code: 'rest_invalid_param' })
    await press.update(id)
    expect((await press.act(id, 'cancel')).change).toBeNull()
    expect(await press.reaches(id, 'removed')).toMatchObject({ change: null })
    expect(post()).toMatchObject({ title: 'Barley', status: 'trash' })
    await expect(press.act(id, 'update')).rejects.toMatchObject({ code: 'CONFLICT' })
  })
})
