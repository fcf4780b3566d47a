import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../packages/core/src/platform/database/database.ts'
import { jobEntities } from '../../packages/core/src/platform/jobs/entities.ts'
import { dialect, openTestDatabase, silent } from '../kit/database.ts'

describe('two instances on one database in one process', () => {
  it('are independent: one works after the other is closed, and no connection remains', async () => {
    await using database = await openTestDatabase()
    const name = 'two-instances'
    const url = dialect === 'sqlite' ? database.url : `${database.url}?application_name=${name}`
    const open = () => openDatabase({ url, entities: jobEntities, migrations: [], log: silent })
    const connections = async () => {
      if (dialect === 'sqlite') return 0
      const sql = 'select pid from pg_stat_activity where application_name = ?'
      return (await database.db.sql.all(sql, [name])).length
    }
    const works = async (db: Awaited<ReturnType<typeof open>>) => {
      await db.ping()
      return db.unitOfWork('all', async (_em, tx) =>
        Number((await tx.get<{ n: number }>('select 1 as n'))?.n),
      )
    }
    const [first, second] = [await open(), await open()]
    expect([await works(first), await works(second)]).toEqual([1, 1])
    await first.close()
    expect(await works(second)).toBe(1)
    await second.close()
    await expect.poll(connections).toBe(0)
    const third = await open()
    expect(await works(third)).toBe(1)
    await third.close()
  })
})
