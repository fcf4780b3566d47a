import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openWebsite } from '../../kit/website.ts'

const website = await openWebsite()
const { press, site, channelId } = website

beforeEach(() => website.forget())

afterAll(() => website[Symbol.asyncDispose]())

const live = (title: string) =>
  [...site.posts.values()].filter((post) => post.status === 'publish' && post.title === title)

/** Publishes a piece, and disconnects the channel while the site has the request that makes it public. */
async function publishMeanwhile(title: string, mishap?: 'cut after' | 'cut before') {
  let disconnected = 0
  site.gate = async (line) => {
    if (!/^POST .*\/posts\/\d+$/.test(line) || disconnected > 0) return
    disconnected += 1
    await press.disconnect(channelId)
    if (mishap !== undefined) site.mishaps.push(mishap)
  }
  const { id } = await press.publish(await press.approved(`# ${title}\n\nIt is good.\n`), channelId)
  const publication = await press.rests(id)
  expect(disconnected).toBe(1)
  return publication
}

/** Connects it again by a new password: the former one was given back. */
function connectAgain(): Promise<string> {
  site.passwords.set(randomUUID(), site.login.secret.replaceAll(' ', ''))
  return press.connect(site)
}

const connected = async () =>
  (await press.admin.call('dashboard.channels.list', {})).data.map(({ status }) => status)

describe('dashboard.channels.disconnect, while a post is on its way', () => {
  it('leaves a post that has an answer as what it is: out, once', async () => {
    expect(await publishMeanwhile('Rye')).toMatchObject({
      status: 'published',
      url: `${site.url}/rye`,
      holdReason: null,
    })
    expect(live('Rye')).toHaveLength(1)
    expect(site.published.get('Rye')).toBe(1)
    expect(await connected()).toEqual(['disconnected'])
  })

  it.each([
    ['that is out', 'Oats', 'cut after', 1],
    ['that never arrived', 'Spelt', 'cut before', 0],
  ] as const)(
    'holds a post %s and whose answer was lost, and finishes it once when it is connected again',
    async (_, title, mishap, out) => {
      await connectAgain()
      const held = await publishMeanwhile(title, mishap)
      expect(held).toMatchObject({ status: 'held', holdReason: 'channel_disconnected' })
      expect(live(title)).toHaveLength(out)
      expect(await connected()).toEqual(['disconnected'])
      await connectAgain()
      expect(await press.reaches(held.id, 'published', 'failed', 'unknown')).toMatchObject({
        status: 'published',
        url: `${site.url}/${title.toLowerCase()}`,
      })
      expect(live(title)).toHaveLength(1)
      expect(site.published.get(title)).toBe(1)
    },
  )
})
