import { describe, expect, it, onTestFinished } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { openTestDatabase } from '../kit/database.ts'
import { hasWordPress, startRealWordPress } from '../kit/real-wordpress.ts'
import { endMember, newInstallation, startMember } from './fleet.ts'
import { passTime, seedPieces, until, untilAllRest } from './publishing.ts'

const count = 4

/** Which request that writes has just arrived when the server is killed: a draft's, and a published post's. */
const kills = [/\/posts$/, /\/posts\/\d+$/]

/** It runs once: `publish-kill` shows the same on both databases. */
describe.runIf(hasWordPress)('publishing on a real WordPress', () => {
  it(`shows ${count} pieces once each, though the server is killed ${kills.length} times while the site works`, {
    timeout: 240_000,
  }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    await using site = await startRealWordPress()
    const { db } = database
    const { installation, port } = await newInstallation(database.url)
    await seedPieces(installation, db, site, count)
    let server = await startMember('all', port, installation)
    onTestFinished(() => endMember(server, 'SIGKILL'))
    for (const path of kills) {
      const isThere = () =>
        site.requests.some((request) => request.method === 'POST' && path.test(request.path))
      await until(isThere)
      await endMember(server, 'SIGKILL')
      site.requests.splice(0)
      await passTime(db, true)
      server = await startMember('all', port, installation)
    }
    await untilAllRest(db)
    const rows = await db.sql.all<{ title: string; status: string; url: string | null }>(
      'select title, status, url from publications order by title',
    )
    const posts = await site.posts()
    const live = (title: string) => posts.filter((post) => post.title === title && post.status === 'publish')
    expect(
      rows.map(({ title, status, url }) => [title, status, live(title).map(({ link }) => link), url]),
    ).toEqual(
      Array.from({ length: count }, (_, at) => [
        `Piece ${at}`,
        'published',
        [expect.stringMatching(/^http/)],
        live(`Piece ${at}`)[0]?.link,
      ]),
    )
    expect(posts.map(({ published }) => published).filter((times) => times > 0)).toEqual(
      Array.from({ length: count }, () => 1),
    )
  })
})
