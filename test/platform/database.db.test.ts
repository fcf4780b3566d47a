import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { dialect, openTestDatabase } from '../kit/database.ts'

it.runIf(dialect === 'sqlite')('close folds the write-ahead log into the file', async () => {
  await using test = await openTestDatabase({ migrations: [] })
  await test.db.write((tx) => tx.run('create table thing (id integer)'))
  await test.db.close()
  expect(existsSync(`${test.url}-wal`)).toBe(false)
})

it.runIf(dialect === 'postgresql')(
  'connections that break during a transaction lose that transaction and nothing else',
  async () => {
    await using test = await openTestDatabase({ migrations: [] })
    const server = await test.again()
    await server.write((tx) => tx.run('create table thing (id integer)'))
    const breakAll = () =>
      server.sql.all(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      )
    // More often than either pool has places.
    for (let time = 0; time < 9; time += 1) {
      const ormWork = test.db.unitOfWork('all', async (_em, tx) => {
        await tx.run('insert into thing values (1)')
        await breakAll()
        await tx.run('insert into thing values (2)')
      })
      await expect(ormWork).rejects.toThrow(/connection/i)
      const handWritten = test.db.write(async (tx) => {
        await tx.run('insert into thing values (3)')
        await breakAll()
        await tx.run('insert into thing values (4)')
      })
      await expect(handWritten).rejects.toThrow(/connection/i)
    }
    await test.db.unitOfWork('all', (_em, tx) => tx.run('insert into thing values (5)'))
    await test.db.write((tx) => tx.run('insert into thing values (6)'))
    expect(await test.db.sql.all('select id from thing order by id')).toEqual([{ id: 5 }, { id: 6 }])
  },
)

it.runIf(dialect === 'sqlite')('lets I/O and timers run between two writers', async () => {
  await using test = await openTestDatabase({ migrations: [] })
  const { db } = test
  let turns = 0
  let last = false
  const turn = () => {
    turns += 1
    if (!last) setImmediate(turn)
  }
  const seen: number[] = []
  const write = () => db.write(async () => void seen.push(turns))
  const unitOfWork = () => db.unitOfWork('all', async () => void seen.push(turns))
  setImmediate(turn)
  await Promise.all([write(), unitOfWork(), write(), write(), unitOfWork(), unitOfWork()])
  last = true
  expect(new Set(seen).size, seen.join(' ')).toBe(6)
})
