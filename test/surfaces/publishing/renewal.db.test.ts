import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminOf } from '../../kit/app.ts'
import { connectChannel } from '../../kit/consents.ts'
import { denyUpdates } from '../../kit/denied-updates.ts'
import { createOAuthServer, type OAuthServer } from '../../kit/oauth-server.ts'
import { openPress, type Press } from '../../kit/publishing.ts'
import { createWordPressServer, type WordPressServer } from '../../kit/wordpress-server.ts'

let provider: OAuthServer
let site: WordPressServer
let press: Press
let channelId: string
let pieces = 0

beforeAll(async () => {
  provider = await createOAuthServer()
  site = await createWordPressServer()
  const { cms_site: client = {} } = provider.channels
  const channels = {
    ...provider.channels,
    cms_site: { ...client, baseUrl: site.url },
  }
  press = await openPress({ channels })
  await press.app.another()
  await press.app.another()
  channelId = await connect()
})

beforeEach(() => {
  site.mishaps.splice(0)
  site.accepts = provider.accepts
  Object.assign(provider, {
    mood: 'well',
    rotates: 'new',
    pause: undefined,
    exchanges: 0,
  })
  provider.refreshed.splice(0)
})

afterAll(async () => {
  await press[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

async function connect() {
  const { adminToken } = press.team
  await connectChannel(press.app, provider, adminToken, 'cms_site')
  const { data } = await press.app.copydesk.as(adminOf(press.team)).call('dashboard.channels.list', {})
  return data[0]?.id ?? ''
}

/** Pieces that are to go out together, after the token has ended. */
async function due(count: number) {
  const slot = new Date(press.clock.now() + 2 * 3_600_000)
  const made: { id: string; title: string }[] = []
  for (let n = 0; n < count; n += 1) {
    const title = `Piece ${++pieces}`
    const activityId = await press.approved(`# ${title}\n\nIt is good.\n`)
    made.push({
      title,
      id: (await press.publish(activityId, channelId, slot)).id,
    })
  }
  return made
}

const turns = () =>
  press.count(`select count(*) as n from job where kind = 'publish.turn' and status = 'running'`)
const renewals = () =>
  press.count(`select count(*) as n from channel_connections where refreshing_by is not null`)
const notices = async () =>
  (await press.notices()).filter((title) => title === 'Connect Website again').length

/** Moves time on until all have come to rest: by little while one works, who may be waiting for another. */
async function rest(made: { id: string }[], status: 'published' | 'held') {
  let quiet = 0
  for (const { id } of made)
    await press.app.until(async () => {
      // Nor may a great step outrun the lease of one that is just being taken: the machine may be busy.
      quiet = (await turns()) > 0 ? 0 : quiet + 1
      const isQuiet = quiet > 2
      if (isQuiet) quiet = 0
      press.clock.advance(isQuiet ? 30_000 : 200)
      return (await press.show(id)).status === status
    }, `publication ${id} is ${status}`)
}
const once = (made: { title: string }[]) =>
  expect(made.map(({ title }) => site.published.get(title))).toEqual(made.map(() => 1))
const tokenOver = () => press.clock.advance(2 * 3_600_000)

describe('tokens that end', () => {
  it('are renewed once by several instances that need them at one time', async () => {
    // As many as one tenant may have at work at a time.
    const made = await due(3)
    provider.pause = Promise.withResolvers()
    tokenOver()
    await press.app.until(async () => {
      press.clock.advance(20)
      return provider.exchanges === 1 && (await turns()) === made.length
    }, 'all of them want the token')
    provider.pause.resolve()
    await rest(made, 'published')
    once(made)
    expect(provider.exchanges).toBe(1)
    expect(provider.refreshed).toHaveLength(1)
  })

  it('are kept though the database fails for a while after the provider has given them', async () => {
    const made = await due(1)
    const allow = await denyUpdates(
      press.app.db,
      'channel_connections',
      'new.tokens_sealed <> old.tokens_sealed',
    )
    tokenOver()
    let looks = 0
    await press.app.until(async () => {
      press.clock.advance(20)
      return provider.exchanges === 1 && (looks += 1) > 10
    }, 'the database has refused the new token')
    await allow()
    await rest(made, 'published')
    once(made)
    expect(provider.exchanges).toBe(1)
  })

  it('stay for the next time when the provider fails, and disconnect nobody', async () => {
    const made = await due(2)
    provider.mood = 'fails'
    tokenOver()
    await press.app.until(async () => {
      press.clock.advance(200)
      const shown = await Promise.all(made.map(({ id }) => press.show(id)))
      return shown.every(({ error, status }) => error !== null && status === 'scheduled')
    }, 'both have failed')
    const row = await press.app.db.sql.get('select status from channel_connections where id = ?', [channelId])
    expect(row).toEqual({ status: 'connected' })
    provider.mood = 'well'
    await rest(made, 'published')
    once(made)
    expect(provider.refreshed).toHaveLength(1)
    expect(await notices()).toBe(0)
  })

  it('are kept before they are used, and a refresh token stays where the answer names none', async () => {
    Object.assign(provider, { rotates: 'empty', expiresIn: undefined })
    const first = await due(1)
    // The new pair is used for the first time, and the answer is lost.
    site.mishaps.push('cut before', 'cut after')
    tokenOver()
    await rest(first, 'published')
    once(first)
    expect(provider.refreshed).toHaveLength(1)
    // Refused before its end, which nobody was told.
    const refused = provider.issued.at(-1)
    site.accepts = (token) => token !== refused && provider.accepts(token)
    provider.expiresIn = 3_600
    const second = await due(1)
    tokenOver()
    await rest(second, 'published')
    once(second)
    expect(provider.refreshed).toHaveLength(2)
    expect(new Set(provider.refreshed).size).toBe(1)
  })

  it('are renewed by another instance when the one that began has died', async () => {
    const made = await due(1)
    const until = new Date(press.clock.now() + 2 * 3_600_000 + 60_000)
    await press.app.db.write((tx) =>
      tx.run('update channel_connections set refreshing_by = ?, refreshing_until = ? where id = ?', [
        press.team.adminId,
        until,
        channelId,
      ]),
    )
    tokenOver()
    await press.app.until(async () => {
      press.clock.advance(20)
      return (await turns()) === 1
    }, 'it waits for the other')
    expect(provider.exchanges).toBe(0)
    await rest(made, 'published')
    once(made)
    expect(press.clock.now()).toBeGreaterThanOrEqual(until.getTime())
    expect([provider.exchanges, await renewals()]).toEqual([1, 0])
  })

  it('disconnect the channel once, with one notice, when the grant is dead', async () => {
    const made = await due(3)
    provider.end()
    provider.pause = Promise.withResolvers()
    tokenOver()
    await press.app.until(async () => {
      press.clock.advance(20)
      return provider.exchanges === 1 && (await turns()) === made.length
    }, 'all of them want the token')
    provider.pause.resolve()
    await rest(made, 'held')
    expect(provider.exchanges).toBe(1)
    expect(await notices()).toBe(1)
    const expired = `select count(*) as n from audit_records where action = 'channel.expired'`
    expect(await press.count(expired)).toBe(1)
    const events = `select count(*) as n from event where type = 'channel_disconnected'`
    expect(await press.count(events)).toBe(1)
    expect(made.map(({ title }) => site.published.has(title))).toEqual([false, false, false])
  })
})
