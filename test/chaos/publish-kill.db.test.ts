import { describe, expect, it, onTestFinished } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { openTestDatabase } from '../kit/database.ts'
import { createWordPressServer, type WordPressServer } from '../kit/wordpress-server.ts'
import { endMember, newInstallation, startMember } from './fleet.ts'
import { passTime, seedPieces, until, untilAllRest } from './publishing.ts'
import { randomFrom } from './random.ts'

/** How many pieces, and how many kills among them; the long form is 1,000 with 50. */
const count = Number(process.env['COPYDESK_PUBLISHES'] ?? 12)
const kills = Math.max(3, Math.round(count / 20))

describe('publishing', () => {
  it(`shows ${count} pieces once each, though the server is killed ${kills} times and answers are lost`, {
    timeout: 120_000 + count * 3_000,
  }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    await using site = await createWordPressServer()
    const { db } = database
    const { installation, port } = await newInstallation(database.url)
    await seedPieces(installation, db, site, count)
    const random = randomFrom(7)
    const mishaps: WordPressServer['mishaps'] = ['cut before', 'cut after', 'cut after', 502, 504, 'firewall']
    const trouble = () => {
      for (let i = 0; i < 4; i += 1)
        if (random() < 0.5) site.mishaps.push(mishaps[Math.floor(random() * 6)] ?? 502)
    }
    let server = await startMember('all', port, installation)
    onTestFinished(() => endMember(server, 'SIGKILL'))
    for (let kill = 1; kill <= kills; kill += 1) {
      trouble()
      const wanted = site.requests.length + 2 + Math.floor(random() * 9)
      await until(() => site.requests.length >= wanted || site.published.size >= count)
      await endMember(server, 'SIGKILL')
      await passTime(db, true)
      server = await startMember('all', port, installation)
    }
    site.mishaps.splice(0)
    await untilAllRest(db)
    const rows = await db.sql.all<{ title: string; status: string; url: string | null }>(
      'select title, status, url from publications',
    )
    expect(rows).toHaveLength(count)
    const sent = (title: string) => site.published.get(title) ?? 0
    const seen = (title: string) =>
      [...site.posts.values()].filter((post) => post.title === title && post.status === 'publish').length
    // None of WordPress’s requests leaves anybody in doubt, and each has fewer mishaps than attempts.
    expect(rows.map(({ title, status, url }) => [title, status, url, sent(title), seen(title)])).toEqual(
      rows.map(({ title }) => [title, 'published', expect.stringMatching(/^http/), 1, 1]),
    )
  })
})
