import { describe, expect, it, onTestFinished } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { openTestDatabase } from '../kit/database.ts'
import { createOAuthServer } from '../kit/oauth-server.ts'
import type { Platform } from '../kit/platforms/frame.ts'
import { createLinkedIn } from '../kit/platforms/linkedin.ts'
import { createFacebook } from '../kit/platforms/networks.ts'
import { endMember, newInstallation, startMember } from './fleet.ts'
import { optionsFor, passTime, seedPosts, untilAllRest } from './publishing.ts'
import { randomFrom } from './random.ts'

/** How many pieces go to each of the platforms; the long form is 500, and waits for answers that never come as long as the server does. */
const long = process.env['COPYDESK_TROUBLED_PUBLISHES']
const count = Number(long ?? 8)
const kills = Math.max(4, Math.round(count / 15))

type Mishap = Platform['mishaps'][number]

/** What can go wrong with a post of which no key is known to its platform. */
const mishapsOf = ({ says: { duplicate = { status: 409 } } }: Platform): Mishap[] => [
  'cut before',
  'cut after',
  'silence',
  { status: 502 },
  { status: 502, done: true },
  { status: 504, done: true },
  duplicate,
  { ...duplicate, done: true },
]

describe('publishing on platforms that know no key', () => {
  it(`makes no second one of ${count} posts each, though the server is killed ${kills} times and answers fail or never come`, {
    timeout: 120_000 + count * 5_000,
  }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    await using provider = await createOAuthServer()
    provider.expiresIn = undefined
    await using facebook = await createFacebook()
    await using linkedin = await createLinkedIn()
    const { db } = database
    const platforms = [facebook, linkedin]
    for (const platform of platforms) platform.now = Date.now
    const { installation, port } = await newInstallation(database.url, optionsFor(provider, platforms))
    await seedPosts(installation, db, { provider, platforms }, count)
    const random = randomFrom(11)
    const any = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T
    const requests = () => platforms.reduce((sum, one) => sum + one.requests.length, 0)
    const silences = () => platforms.reduce((sum, one) => sum + one.silences(), 0)
    const open = `select 1 as one from publications where status in ('scheduled', 'sending') limit 1`
    let server = await startMember('all', port, installation)
    onTestFinished(() => endMember(server, 'SIGKILL'))
    for (let kill = 1; kill <= kills; kill += 1) {
      for (const platform of platforms)
        platform.mishaps.push(any(mishapsOf(platform)), any(mishapsOf(platform)))
      // The server is killed in the midst of the first, and in the long form outlasts some others.
      const outlasts = long !== undefined && kill % 3 === 0
      if (kill === 1 || outlasts) for (const platform of platforms) platform.mishaps.unshift('silence')
      const wanted = requests() + 2 + Math.floor(random() * 12)
      await expect
        .poll(
          async () => {
            await passTime(db, false)
            if (silences() > 0) return !outlasts
            return requests() >= wanted || !(await db.sql.get(open))
          },
          { timeout: 60_000, interval: 10 },
        )
        .toBe(true)
      await endMember(server, 'SIGKILL')
      await passTime(db, true)
      if (kill === kills) for (const platform of platforms) platform.mishaps.splice(0)
      server = await startMember('all', port, installation)
    }
    await untilAllRest(db)
    const rows = await db.sql.all<{
      title: string
      channel_type: string
      status: string
      url: string | null
      asked: unknown
      error: string | null
    }>('select title, channel_type, status, url, asked, error from publications order by id')
    expect(rows).toHaveLength(2 * count)
    const made = (title: string, type: string) =>
      platforms.find((one) => one.type === type)?.published(title) ?? 0
    // One ends with its link, refused with a reason, or in doubt with a person asked: and none is there twice.
    const faults = rows.filter(({ title, channel_type: type, status, url, asked, error }) => {
      const times = made(title, type)
      if (status === 'published') return times !== 1 || url === null
      if (status === 'failed') return times !== 0 || error === null
      return status !== 'unknown' || !asked || times > 1
    })
    expect(faults).toEqual([])
    const published = rows.filter(({ status }) => status === 'published')
    expect(published.length).toBeGreaterThan(count)
  })
})
