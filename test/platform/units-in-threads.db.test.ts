import { UniqueConstraintViolationException } from '@mikro-orm/core'
import { describe, expect, it } from 'vitest'
import { EventRow } from '../../packages/core/src/platform/events/entities.ts'
import { dialect, openTestDatabase } from '../kit/database.ts'

const inThread = { inThread: true }
const event = (subject: string) => ({ type: 'x', subject, data: { of: [subject] }, at: new Date(1_000) })

/** So many additions take a second or so on either database. */
const longSum =
  'with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000000) select count(*) as n from n'

describe('a unit of work whose statements are executed in a thread', () => {
  it('sees what it has written, by the ORM and by hand, and commits all of it', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    const seen = await db.unitOfWork(
      'all',
      async (em, tx) => {
        const first = em.create(EventRow, event('first'))
        await em.flush()
        await tx.run('update event set subject = ? where seq = ?', ['changed', first.seq])
        em.create(EventRow, event('second'))
        await em.flush()
        const rows = await em
          .fork({ keepTransactionContext: true })
          .find(EventRow, {}, { orderBy: { seq: 'asc' } })
        const [one, all] = await Promise.all([
          tx.get<{ subject: string }>('select subject from event where seq = ?', [first.seq]),
          tx.all('select subject from event'),
        ])
        return { rows: rows.map(({ subject, data, at }) => ({ subject, data, at })), one, all: all.length }
      },
      inThread,
    )
    expect(seen).toEqual({
      rows: [
        { subject: 'changed', data: { of: ['first'] }, at: new Date(1_000) },
        { subject: 'second', data: { of: ['second'] }, at: new Date(1_000) },
      ],
      one: { subject: 'changed' },
      all: 2,
    })
    expect(await db.sql.all('select subject from event order by seq')).toEqual([
      { subject: 'changed' },
      { subject: 'second' },
    ])
  })

  it('says by the kind of its error what the database has refused, and writes nothing', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    const twice = db.unitOfWork(
      'all',
      async (em) => {
        em.create(EventRow, { seq: 7, ...event('one') })
        await em.flush()
        em.create(EventRow, { seq: 8, ...event('two') })
        await em.flush()
        await em.fork({ keepTransactionContext: true }).insert(EventRow, { seq: 7, ...event('again') })
      },
      inThread,
    )
    await expect(twice).rejects.toBeInstanceOf(UniqueConstraintViolationException)
    expect(await db.sql.all('select * from event')).toEqual([])
  })

  it('leaves the event loop to others while a statement takes long; writers wait for their turn', async () => {
    await using test = await openTestDatabase()
    const { db } = test
    const long = db.unitOfWork(
      'all',
      async (em, tx) => {
        await tx.get(longSum)
        em.create(EventRow, event('long'))
      },
      inThread,
    )
    let isOver = false
    const ended = long.finally(() => (isOver = true))
    // On PostgreSQL they are others' and need not wait.
    const short = db.unitOfWork('all', async (em) => void em.create(EventRow, event('short')))
    let turns = 0
    for (; !isOver; turns += 1) {
      await db.sql.get('select count(*) as n from event')
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await Promise.all([ended, short])
    // On the event loop the statement would let none of them through.
    expect(turns).toBeGreaterThan(20)
    const rows = await db.sql.all<{ subject: string }>('select subject from event order by subject')
    expect(rows).toEqual([{ subject: 'long' }, { subject: 'short' }])
  })

  it.runIf(dialect === 'sqlite')('has ended before the database is closed', async () => {
    await using test = await openTestDatabase()
    const db = await test.again()
    const begun = Promise.withResolvers<void>()
    const written = db.unitOfWork(
      'all',
      async (em) => {
        begun.resolve()
        em.create(EventRow, event('last'))
      },
      inThread,
    )
    await begun.promise
    await Promise.all([written, db.close()])
    expect(await test.db.sql.all('select subject from event')).toEqual([{ subject: 'last' }])
  })
})
