import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DatabaseOptions, openDatabase } from '../../packages/core/src/platform/database/database.ts'
import { jobEntities } from '../../packages/core/src/platform/jobs/entities.ts'
import { dialect, openTestDatabase, silent, type TestDatabase } from '../kit/database.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../kit/pgbouncer.ts'

/** Needs PgBouncer, which Debian has; where it is missing these are skipped. */
describe.runIf(dialect === 'postgresql' && hasPgBouncer)('a database behind PgBouncer', () => {
  let test: TestDatabase
  let pooler: PgBouncer
  let url: string

  beforeAll(async () => {
    test = await openTestDatabase({ migrations: [] })
    pooler = await startPgBouncer(test.url, { default_pool_size: 3 })
    url = pooler.through(test.url)
  })

  afterAll(async () => {
    await pooler[Symbol.asyncDispose]()
    await test[Symbol.asyncDispose]()
  })

  const open = (options: Partial<DatabaseOptions> = {}) =>
    openDatabase({ url, entities: jobEntities, migrations: [], log: silent, ...options })

  it('in transaction mode is refused until it is said where to listen and that statements are not named', async () => {
    await expect(open()).rejects.toThrow(/transaction mode.*Set database\.listenUrl/)
    await expect(open({ listenUrl: test.url })).rejects.toThrow(
      /does not keep prepared statements.*Set database\.preparedStatements/,
    )
    await expect(open({ listenUrl: url, preparedStatements: false })).rejects.toThrow(
      /database\.listenUrl leads to .*, a connection pooler/,
    )
  })

  it('in transaction mode is read, written and listened to', async () => {
    const options = { listenUrl: test.url, preparedStatements: false }
    // As another process would say it, so that the two share no pool.
    const [one, two] = [await open(options), await open({ ...options, url: `${url}?application_name=two` })]
    try {
      await one.write((tx) => tx.run('create table thing (id integer, name text)'))
      const told: string[] = []
      await two.listen('things', (payload) => void told.push(payload))
      await Promise.all(
        Array.from({ length: 60 }, async (_, id) => {
          const db = id % 2 === 0 ? one : two
          const insert = 'insert into thing values (?, ?)'
          if (id % 3 === 0) await db.write((tx) => tx.run(insert, [id, 'by hand']))
          else await db.unitOfWork('all', (_em, tx) => tx.run(insert, [id, 'in a unit']))
          await db.write((tx) => db.notify(tx, 'things', `${id}`))
          expect(await db.sql.get('select name from thing where id = ?', [id])).toBeDefined()
        }),
      )
      await expect.poll(() => told.length, { timeout: 10_000 }).toBe(60)
      expect(await two.sql.all('select id from thing')).toHaveLength(60)
    } finally {
      await one.close()
      await two.close()
    }
  })

  it('in session mode is used like the server itself', async () => {
    await using sessions = await startPgBouncer(test.url, { pool_mode: 'session' })
    const db = await open({ url: sessions.through(test.url) })
    const told: string[] = []
    await db.listen('things', (payload) => void told.push(payload))
    for (let time = 0; time < 3; time += 1) await db.write((tx) => db.notify(tx, 'things', `${time}`))
    await expect.poll(() => told, { timeout: 10_000 }).toEqual(['0', '1', '2'])
    await db.close()
  })

  it('would mix up statements that two processes name by the order of their use', async () => {
    await using narrow = await startPgBouncer(test.url, { default_pool_size: 1 })
    const clients = [1, 2].map(() => new Client({ connectionString: narrow.through(test.url) }))
    for (const client of clients) await client.connect()
    const [one, two] = clients as [Client, Client]
    await one.query({ name: 'statement_1', text: 'select $1 || $2 as said', values: ['a', 'b'] })
    await expect(
      two.query({ name: 'statement_1', text: 'select $1 || $1 as said', values: ['a'] }),
    ).rejects.toThrow('already exists')
    for (const client of clients) await client.end()
  })
})
