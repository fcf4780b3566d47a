import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { sweepPublications } from '../../../packages/core/src/domain/delivery/publishing/sweep.ts'
import { parts } from '../../domain/agents.ts'
import { openWebsite } from '../../kit/website.ts'
import { createWordPressServer } from '../../kit/wordpress-server.ts'

const website = await openWebsite()
const { press, site, channelId } = website

beforeEach(() => website.forget())

afterAll(() => website[Symbol.asyncDispose]())

const textOf = (title: string) => `# ${title}\n\nOf old.\n`

/** A piece that is out on the website, and whose newer text is approved. */
async function rewritten(title: string) {
  const activityId = await press.approved(textOf(title))
  const { id } = await press.publish(activityId, channelId)
  await press.reaches(id, 'published')
  const [postId = 0] = [...site.posts].find(([, post]) => post.title === title) ?? []
  await press.rewrite(activityId, textOf(`${title}, new`))
  site.requests.splice(0)
  return { id, activityId, postId, post: () => site.posts.get(postId) }
}

const postsOf = (title: string) => [...site.posts.values()].filter((post) => post.title.startsWith(title))
const noticesOf = async (title: string) =>
  (await press.notices()).filter((one) => one === `Website: ${title}`)

/** Changes rows as nothing else than an operator's hand does. */
const set = (table: string, column: string, value: string, where: string, id: string) =>
  press.app.db.write((tx) => tx.run(`update ${table} set ${column} = ? where ${where} = ?`, [value, id]))

describe('the change of a post that is out', () => {
  it('is repeated after lost answers, with the same text and one post', async () => {
    const { id, post } = await rewritten('Rye')
    site.mishaps.push('cut before', 'cut after', 502, 504, 'firewall', 'cut after')
    expect(await press.update(id)).toMatchObject({ title: 'Rye, new', change: null })
    expect(site.mishaps).toEqual([])
    expect([post()?.title, postsOf('Rye').length, site.published.get('Rye')]).toEqual(['Rye, new', 1, 1])
  })

  it('is given up after eight failures in a row, with the words of the last', async () => {
    const { id, post } = await rewritten('Oats')
    site.mishaps.push(...Array.from({ length: 8 }, () => 502 as const))
    const { change, title } = await press.update(id)
    expect(change).toMatchObject({ status: 'failed', error: 'Something before the site answered 502' })
    expect([title, post()?.title, await noticesOf('Oats')]).toEqual(['Oats', 'Oats', ['Website: Oats']])
    await press.act(id, 'retry')
    expect(await press.settles(id)).toMatchObject({ title: 'Oats, new', change: null })
  })

  it('waits as long as the site says, however often it does', async () => {
    const { id } = await rewritten('Spelt')
    const tooMany = { status: 429, code: 'too_many' }
    const since = press.clock.now()
    site.mishaps.push({ ...tooMany, headers: { 'retry-after': '7200' } })
    site.mishaps.push(...Array.from({ length: 9 }, () => tooMany), 502)
    expect(await press.update(id)).toMatchObject({ title: 'Spelt, new', change: null })
    expect(press.clock.now() - since).toBeGreaterThan(7_200_000 + 3_600_000)
  })

  it('ends with clear words when the post is gone, and makes no other', async () => {
    const { id, postId } = await rewritten('Emmer')
    site.posts.delete(postId)
    const { change, status } = await press.update(id)
    expect([status, change?.status, change?.error]).toEqual([
      'published',
      'failed',
      'The post is not there any more: someone has deleted it at the platform',
    ])
    expect([postsOf('Emmer'), site.requests.filter((line) => line.startsWith('POST'))]).toEqual([[], []])
  })

  it('does not make public again what a person has put into the bin or hidden there', async () => {
    const { id, post } = await rewritten('Einkorn')
    for (const [status, words] of [
      ['trash', 'The post is in the bin of the site: restore it there'],
      ['draft', 'The site keeps the post as “draft”: publish it there'],
    ] as const) {
      Object.assign(post() ?? {}, { status })
      expect((await press.update(id)).change).toMatchObject({ status: 'failed', error: words })
      expect(post()).toMatchObject({ status, title: 'Einkorn' })
    }
    Object.assign(post() ?? {}, { status: 'publish' })
    await press.act(id, 'retry')
    expect(await press.settles(id)).toMatchObject({ title: 'Einkorn, new', change: null })
  })

  it('is held while its campaign is paused, and waits while the tenant is suspended', async () => {
    const { id, activityId, post } = await rewritten('Millet')
    const campaigns = `id in (select campaign_id from activities where id = ?)`
    const pause = (status: string) =>
      press.app.db.write((tx) =>
        tx.run(`update campaigns set status = ? where ${campaigns}`, [status, activityId]),
      )
    await pause('paused')
    expect((await press.update(id)).change).toMatchObject({ status: 'held', holdReason: 'campaign_stopped' })
    await pause('active')
    await set('tenants', 'status', 'suspended', 'id', press.team.tenantId)
    await press.app.db.write((tx) =>
      tx.run(
        `update publications set change_status = 'waiting', change_hold_reason = null, change_next_at = ? where id = ?`,
        [new Date(press.clock.now() - 360_000), id],
      ),
    )
    // The job was lost.
    await using instance = await parts(press.app)
    await sweepPublications(instance.system())
    await press.app.until(async () => {
      // Who has asked is another process: the job is found when its time comes to look.
      press.clock.advance(1_000)
      const later = new Date(press.clock.now() + 1_500_000)
      return (
        (await press.count('select count(*) as n from publications where change_next_at > ?', later)) === 1
      )
    }, 'it waits for half an hour')
    expect(post()?.title).toBe('Millet')
    await set('tenants', 'status', 'active', 'id', press.team.tenantId)
    expect(await press.settles(id)).toMatchObject({ title: 'Millet, new', change: null })
  })

  it('is held by a dead password with one notice, and goes on once the channel is connected again', async () => {
    const { id, post } = await rewritten('Teff')
    const [uuid, password] = [...site.passwords][0] as [string, string]
    site.passwords.clear()
    const held = await press.update(id)
    expect(held.change).toMatchObject({ status: 'held', holdReason: 'channel_disconnected' })
    const about = (await press.notices()).filter((title) => /Website again|Teff/.test(title))
    expect(about).toEqual(['Connect Website again'])
    site.passwords.set(uuid, password)
    await press.connect(site)
    await press.app.until(async () => {
      press.clock.advance(500)
      return (await press.show(id)).change?.status !== 'held'
    }, 'it goes on')
    expect(await press.settles(id)).toMatchObject({ title: 'Teff, new', change: null })
    expect([post()?.title, postsOf('Teff').length]).toEqual(['Teff, new', 1])
  })

  it('goes to no other account than the post', async () => {
    await using other = await createWordPressServer()
    const { id, post } = await rewritten('Barley')
    const passwords = [...site.passwords]
    await press.connect(other)
    const { change } = await press.update(id)
    expect(change).toMatchObject({
      status: 'failed',
      error: 'The channel is connected to another account now: change the post there',
    })
    expect(other.requests.filter((line) => line.includes('/posts'))).toEqual([])
    for (const [uuid, password] of passwords) site.passwords.set(uuid, password)
    await press.connect(site)
    await press.act(id, 'retry')
    expect(await press.settles(id)).toMatchObject({ title: 'Barley, new', change: null })
    expect(post()?.title).toBe('Barley, new')
  })
})
