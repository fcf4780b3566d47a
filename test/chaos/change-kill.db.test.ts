import { describe, expect, it, onTestFinished } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { openTestDatabase } from '../kit/database.ts'
import { createWordPressServer } from '../kit/wordpress-server.ts'
import { endMember, newInstallation, startMember } from './fleet.ts'
import { passTime, rewritePieces, seedPieces, untilAllRest } from './publishing.ts'
import { randomFrom } from './random.ts'

const count = 8
const kills = 4

describe('publishing newer texts', () => {
  it(`shows the newest of ${count} pieces in one post each, though the server is killed ${kills} times at the update`, {
    timeout: 240_000,
  }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    await using site = await createWordPressServer()
    const { db } = database
    const { installation, port } = await newInstallation(database.url)
    await seedPieces(installation, db, site, count)
    const random = randomFrom(11)
    let server = await startMember('all', port, installation)
    onTestFinished(() => endMember(server, 'SIGKILL'))
    await untilAllRest(db)
    const before = await db.sql.all<{ id: string; url: string }>('select id, url from publications')
    const isUpdate = (line: string) => /^POST .*\/posts\/\d+$/.test(line)
    let titles = await rewritePieces(installation, db, 'Second')
    for (let kill = 1; kill <= kills; kill += 1) {
      for (let i = 0; i < 3; i += 1) if (random() < 0.5) site.mishaps.push(random() < 0.5 ? 'cut after' : 502)
      const [reached, killed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      // The site does what it was asked for, and no one hears of it.
      site.gate = (line) => {
        if (!isUpdate(line)) return
        reached.resolve()
        return killed.promise
      }
      await reached.promise
      await endMember(server, 'SIGKILL')
      site.gate = () => undefined
      killed.resolve()
      await passTime(db, true)
      server = await startMember('all', port, installation)
      if (kill === 2) titles = await rewritePieces(installation, db, 'Third')
    }
    site.mishaps.splice(0)
    await untilAllRest(db)
    const rows = await db.sql.all<{ id: string; title: string; status: string; url: string; error: string }>(
      'select id, title, status, url, change_error as error from publications',
    )
    const urls = new Map(before.map(({ id, url }) => [id, url]))
    expect(rows.map(({ id, ...rest }) => [id, rest])).toEqual(
      rows.map(({ id }) => [
        id,
        { title: titles.get(id), status: 'published', url: urls.get(id), error: null },
      ]),
    )
    const live = [...site.posts.values()].filter(({ status }) => status === 'publish')
    expect(live.map(({ title }) => title).toSorted()).toEqual([...titles.values()].toSorted())
    // None was made public a second time.
    expect([...site.published.values()]).toEqual(Array.from({ length: count }, () => 1))
  })
})
