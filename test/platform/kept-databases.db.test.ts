import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { dialect, openTestDatabase, type TestDatabase } from '../kit/database.ts'

/** Making a database takes many times as long as emptying one: without this, every test would quietly pay for it. */
describe.runIf(dialect === 'postgresql')('openTestDatabase on PostgreSQL', () => {
  async function urlAfter(work: (database: TestDatabase) => Promise<unknown>): Promise<string> {
    await using database = await openTestDatabase()
    await work(database)
    return database.url
  }
  const addEvent = ({ db }: TestDatabase) =>
    db.write((tx) =>
      tx.get<{ seq: string }>(
        `insert into event (type, subject, data, at) values ('added', 'one', '{}', now()) returning seq`,
      ),
    )

  it('gives the next test the same database, without rows and with its sequences at the start', async () => {
    const seqs: unknown[] = []
    const work = async (database: TestDatabase) => {
      await database.db.unitOfWork('all', async (_em, tx) => void (await tx.get('select 1')))
      expect(await database.db.sql.all('select * from event')).toEqual([])
      seqs.push(await addEvent(database))
    }
    const first = await urlAfter(work)
    expect(await urlAfter(work)).toBe(first)
    expect(seqs[1]).toEqual(seqs[0])
  })

  it('gives no test a database whose schema another has changed', async () => {
    const changed = await urlAfter(({ db }) => db.write((tx) => tx.run('alter table event add more text')))
    expect(await urlAfter(async () => undefined)).not.toBe(changed)
  })

  it('gives no test a database to which someone is still connected', async () => {
    const another = new AsyncDisposableStack()
    await using _ended = another
    const used = await urlAfter(async ({ url }) => {
      const client = new Client({ connectionString: url })
      client.on('error', () => undefined)
      await client.connect()
      another.defer(() => client.end().catch(() => undefined))
    })
    expect(await urlAfter(async () => undefined)).not.toBe(used)
  })
})
