import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectors } from '../../../packages/core/src/domain/delivery/publishing/connectors/connectors.ts'
import { sweepPublications } from '../../../packages/core/src/domain/delivery/publishing/sweep.ts'
import { parts } from '../../domain/agents.ts'
import { type AllConnected, connectAll } from '../../kit/platforms/all-connected.ts'
import type { Platform } from '../../kit/platforms/frame.ts'
import type { Press } from '../../kit/publishing.ts'
import { again, approve, ask, order, reviewed } from './orders.ts'

let all: AllConnected
let press: Press
/** Those whose posts can be changed. */
let platforms: Platform[]

beforeAll(async () => {
  all = await connectAll()
  press = all.press
  platforms = all.platforms.filter(({ edits }) => edits)
})

beforeEach(() => {
  for (const { mishaps, pictures } of all.platforms) for (const list of [mishaps, pictures]) list.splice(0)
})

afterAll(() => all[Symbol.asyncDispose]())

const pictureOf = (name: string) => `![A bowl](${all.pictures.url}/${name}.jpg)`
const textOf = (title: string, picture = 'bowl') =>
  `# ${title}\n\nIt is good, see https://oats.example/oats. #oats\n\n${pictureOf(picture)}\n`

/** Publishes one piece on some channels, and approves a newer text of it. @returns its publications, in their order */
async function rewritten(title: string, newer: string, of = platforms) {
  const activityId = await press.approved(textOf(title))
  const published: { id: string; url: string | null }[] = []
  for (const { type } of of) {
    const { id } = await press.publish(activityId, all.channels.get(type) ?? '')
    published.push(await press.reaches(id, 'published', 'failed', 'unknown'))
  }
  await press.rewrite(activityId, newer)
  for (const { pictures } of of) pictures.splice(0)
  return published
}

/** Has the newer text take the place of the one that is out everywhere. @returns what has become of each, and what the platform shows */
async function changed(
  title: string,
  newer: string,
  mishaps: (platform: Platform) => Platform['mishaps'] = () => [],
) {
  const published = await rewritten(title, newer)
  const rows: unknown[] = []
  for (const [n, platform] of platforms.entries()) {
    const { id, url } = published[n] ?? { id: '', url: '' }
    platform.mishaps.push(...mishaps(platform))
    const item = await press.update(id)
    const live = platform.edits?.live().filter((line) => line.startsWith(title))
    rows.push([platform.type, item.change?.error ?? null, item.title, live, item.url === url])
  }
  return rows
}

/** What is expected where all has gone well. */
const each = (title: string) => platforms.map(({ type }) => [type, null, title, [title], true])

describe('every connector that can change posts', () => {
  it('is one of a platform that can', () => {
    const able = all.platforms.filter(({ type }) => connectors.get(type)?.edit).map(({ type }) => type)
    expect(able).toEqual(platforms.map(({ type }) => type))
    expect(connectors.get('cms_site')?.edit).toBeDefined()
  })

  it('shows the newer text in the same post, with its pictures', async () => {
    expect(await changed('Rye', textOf('Rye, new'))).toEqual(each('Rye, new'))
    // What is there already is not sent again.
    expect(platforms.flatMap(({ pictures }) => pictures)).toEqual([])
    expect(platforms.map(({ published }) => published('Rye, new'))).toEqual(platforms.map(() => 0))
  })

  it('sends the same text again after a lost answer, and makes no second post', async () => {
    const mishaps = () => ['cut before', 'cut after', { status: 502 }] satisfies Platform['mishaps']
    expect(await changed('Oats', textOf('Oats, new'), mishaps)).toEqual(each('Oats, new'))
  })

  it('waits as long as the platform says', async () => {
    const since = press.clock.now()
    const mishaps = ({ says: { quota } }: Platform): Platform['mishaps'] => [
      { ...quota, headers: { ...quota.headers, 'retry-after': '7200' } },
    ]
    expect(await changed('Spelt', textOf('Spelt, new'), mishaps)).toEqual(each('Spelt, new'))
    expect(press.clock.now() - since).toBeGreaterThanOrEqual(7_200_000)
  })

  it('fails with the platform’s words when a person has to see to it, and goes on with a retry', async () => {
    const published = await rewritten('Emmer', textOf('Emmer, new'))
    for (const [n, { says, mishaps, edits, type }] of platforms.entries()) {
      const { id } = published[n] ?? { id: '' }
      mishaps.push(says.policy)
      const { change } = await press.update(id)
      expect([type, change?.status, change?.error]).toEqual([type, 'failed', expect.stringMatching(/\w/)])
      await press.act(id, 'retry')
      expect([type, (await press.settles(id)).change]).toEqual([type, null])
      expect(edits?.live()).toContain('Emmer, new')
    }
  })

  it('says that a post is gone, and makes no other', async () => {
    const published = await rewritten('Barley', textOf('Barley, new'))
    for (const [n, { edits, type, published: count }] of platforms.entries()) {
      edits?.clear()
      const { change } = await press.update(published[n]?.id ?? '')
      expect([type, change?.error]).toEqual([
        type,
        'The post is not there any more: someone has deleted it at the platform',
      ])
      expect([edits?.live(), count('Barley, new')]).toEqual([[], 0])
    }
  })

  it('shows other pictures where the platform can, and refuses them where it cannot', async () => {
    const published = await rewritten('Millet', textOf('Millet, new', 'field'))
    for (const [n, { edits, type, pictures, mishaps }] of platforms.entries()) {
      mishaps.push('cut after')
      const { change } = await press.update(published[n]?.id ?? '')
      const isAble = edits?.of === 'text and pictures'
      expect([type, change?.error ?? null]).toEqual([
        type,
        isAble
          ? null
          : 'The platform cannot change the pictures of a post that is out: take it back and publish it again',
      ])
      expect([type, pictures.length]).toEqual([type, isAble ? 1 : 0])
      expect(edits?.live()).toContain(isAble ? 'Millet, new' : 'Millet')
    }
  })

  it('ends with the post that is out before it takes a newer text, and makes no second one', async () => {
    // The others find the post by a key that they have chosen, or a person is asked.
    const found = ['professional_network', 'microblog_a', 'microblog_b']
    const of = all.platforms.filter(({ type }) => !found.includes(type))
    const published = await rewritten('Quinoa', textOf('Quinoa, new'), of)
    /** As a process leaves it that has died after the last answer. */
    const leave = (id: string, status: string) =>
      press.app.db.write((tx) =>
        tx.run(
          `update publications set status = ?, published_at = null, external_id = null, url = null, lease_until = null, next_at = ? where id = ?`,
          [status, status === 'sending' ? new Date(press.clock.now() - 600_000) : null, id],
        ),
      )
    await using instance = await parts(press.app)
    for (const [n, { type, edits, published: count, mishaps }] of of.entries()) {
      const { id, url } = published[n] ?? { id: '', url: '' }
      await leave(id, 'sending')
      await sweepPublications(instance.system())
      const ended = await press.reaches(id, 'published', 'held', 'failed')
      expect([type, ended.status, ended.title, ended.url]).toEqual([type, 'published', 'Quinoa', url])
      await leave(id, 'failed')
      await press.act(id, 'retry')
      await press.reaches(id, 'published', 'held', 'failed')
      const { status, title, change } = await press.settles(id)
      expect([type, status, title, change?.status]).toEqual([
        type,
        'published',
        ...(edits ? ['Quinoa, new', undefined] : ['Quinoa', 'failed']),
      ])
      expect([type, count('Quinoa'), count('Quinoa, new'), mishaps]).toEqual([type, 1, 0, []])
    }
  })

  it.each([
    ['while its key is known', 0],
    ['when its key is forgotten', 7_200_000],
  ])(
    'puts the newer text into a status whose answer was lost, and makes no second one, %s',
    async (when, ms) => {
      const mastodon = all.platforms.find(({ type }) => type === 'microblog_a') as Platform
      const title = `Teff ${when}`
      const activityId = await press.approved(textOf(title))
      mastodon.mishaps.push('cut after')
      const { id } = await press.publish(activityId, all.channels.get('microblog_a') ?? '')
      await press.app.until(async () => {
        // The server takes a while with the picture.
        press.clock.advance(1_000)
        return (await press.show(id)).error !== null
      }, 'the answer is lost')
      await press.rewrite(activityId, textOf(`${title}, new`, 'field'))
      await press.reaches(id, 'held')
      press.clock.advance(ms)
      await press.act(id, 'retry')
      const { url } = await press.reaches(id, 'published', 'failed', 'unknown')
      const live = mastodon.edits?.live().filter((line) => line.startsWith(title))
      expect([live, mastodon.published(title), mastodon.published(`${title}, new`)]).toEqual([
        [`${title}, new`],
        1,
        0,
      ])
      expect(url).toMatch(/@ada/)
    },
  )

  it('says in the log of the activity, once for each text, that the platform cannot change posts', async () => {
    await order(press, 'social_post', ['microblog_b'])
    const first = await reviewed(press, textOf('Sorghum'))
    const { id: activityId } = await press.activityOf(first.runId)
    const { id } = await press.publish(activityId, all.channels.get('microblog_b') ?? '')
    await press.reaches(id, 'published')
    const text = textOf('Sorghum, new')
    const agent = await again(press, first, text)
    await ask(agent)
    await agent.deliver(text)
    await approve(press, 'channel_action')
    await (await press.next(press.clock)).deliver(text)
    expect((await press.show(id)).change).toBeNull()
    const lines = await press.app.db.sql.all<{ message: string }>(
      `select message from activity_log where activity_id = ? and message like 'Not changed%'`,
      [activityId],
    )
    expect(lines.map(({ message }) => message)).toEqual([
      'Not changed on Microblog B. Version 2: The platform cannot change posts: take it back and publish it again',
    ])
  })

  it('is left alone where the platform cannot change posts, and a person is told what to do', async () => {
    const of = all.platforms.filter(({ edits }) => !edits)
    const published = await rewritten('Teff', textOf('Teff, new'), of)
    for (const [n, { removes }] of of.entries()) {
      const refused = press.act(published[n]?.id ?? '', 'update')
      await expect(refused).rejects.toMatchObject({
        code: 'UNPROCESSABLE',
        message: removes ? /take it back and publish it again/ : /change or delete it there by hand/,
      })
    }
  })
})
