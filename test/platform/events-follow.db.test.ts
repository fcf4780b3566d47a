import { describe, expect, it } from 'vitest'
import { createSystemClock } from '../../packages/core/src/platform/clock.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import type { EventFilter } from '../../packages/core/src/platform/events/events.ts'
import { createTestClock } from '../kit/clock.ts'
import { insertUntold, settled } from '../kit/events.ts'
import { everything, happened, notebook, openArchive, patience, write, writeMany } from './event-archive.ts'

describe('follow', () => {
  it('returns stored and live events without a gap or a repetition, whenever a follower joins during writes', async () => {
    await using archive = await openArchive(createSystemClock())
    const [one, two, three] = [await archive.process(), await archive.process(), await archive.process()]
    let writing = true
    const writers = Promise.all([one, two, three].map((process, n) => writeMany(process, `process ${n}`, 25)))
    const written = writers.finally(() => void (writing = false))
    const joined: Array<{ after: number; book: ReturnType<typeof notebook> }> = []
    for (let n = 0; writing || joined.length < 3; n++) {
      const { log } = [one, two, three][n % 3]!
      const book = notebook()
      // From the start, from a little ago, and from right now.
      const after = [0, Math.max(0, log.last() - 5), log.last()][n % 3 === 0 ? 0 : 1 + (n % 2)]!
      await log.follow(everything, after, book)
      joined.push({ after, book })
      // On SQLite a reading takes no turn of the loop, and the writers have one each.
      await new Promise((resolve) => setImmediate(resolve))
    }
    await written
    const stored = await (await settled(archive.db)).all<{ seq: number | string; subject: string }>(
      'select seq, subject from event order by seq',
    )
    expect(stored).toHaveLength(3 * 25 * 2)
    for (const { after, book } of joined) {
      const due = stored.filter(({ seq }) => Number(seq) > after).map(({ subject }) => subject)
      await expect.poll(() => book.told.length, patience).toBe(due.length)
      expect(book.told).toEqual(due)
    }
  })

  it('loses no event emitted between the reading of stored events and the subscription', async () => {
    await using archive = await openArchive(createTestClock())
    const writer = await archive.process()
    await write(writer, happened('past'))
    const next = async (subject: string) => {
      await write(writer, happened(subject))
      await expect.poll(() => witness.told.at(-1), patience).toBe(subject)
    }
    let answers = 0
    // The reading of one follower's past is slow, and the log goes on with what that reading can no longer see.
    const db = withSlowAnswers(await archive.again(), /type in/, async () => {
      if (++answers <= 3) await next(`while answer ${answers} was on its way`)
    })
    const { log } = await archive.process(db)
    const [witness, book] = [notebook(), notebook()]
    // On SQLite this log gets no notification of another process's writes.
    await writer.log.follow(everything, undefined, { event: log.wakeUp, resync: () => undefined })
    await log.follow(everything, undefined, witness)
    await log.follow({ tenants: 'all', types: ['thing_happened'] }, 0, book)
    await next('present')
    expect(answers).toBeGreaterThan(0)
    await expect.poll(() => book.told.length, patience).toBeGreaterThanOrEqual(1 + witness.told.length)
    expect(book.told).toEqual(['past', ...witness.told])
  })

  it('without a cursor returns later events only', async () => {
    await using archive = await openArchive(createTestClock())
    const process = await archive.process()
    await write(process, happened('past'), happened('more past'))
    await expect.poll(async () => process.log.last(), patience).toBeGreaterThan(1)
    const book = notebook()
    await process.log.follow(everything, undefined, book)
    await write(process, happened('later'))
    await write(process, happened('later still'))
    await expect.poll(() => book.told, patience).toEqual(['later', 'later still'])
  })

  it('resumes on a process that has read fewer events than the one before', async () => {
    await using archive = await openArchive(createTestClock())
    const [ahead, behind] = [await archive.process(), await archive.process()]
    // By hand, so that no process is notified; only the one that looks knows of them.
    await insertUntold(archive.db, archive.clock.date(), happened('known'), happened('known too'))
    const first = notebook()
    await ahead.log.follow(everything, 0, first)
    ahead.log.wakeUp()
    await expect.poll(() => first.told, patience).toEqual(['known', 'known too'])
    const resumed = notebook()
    await behind.log.follow(everything, ahead.log.last(), resumed)
    await write(behind, happened('new'))
    await expect.poll(() => resumed.told, patience).toEqual(['new'])
  })

  it('from an unknown cursor, such as after a restored backup, sends resync and continues live', async () => {
    await using archive = await openArchive(createTestClock())
    const process = await archive.process()
    await write(process, happened('past'))
    const book = notebook()
    await process.log.follow(everything, 1_000_000, book)
    await write(process, happened('later'))
    await expect.poll(() => book.told.at(-1), patience).toBe('later')
    expect(book.told.filter((told) => told === 'resync')).toEqual(['resync'])
    expect(book.told[0]).toBe('resync')
  })

  it('notifies other followers although one fails', async () => {
    await using archive = await openArchive(createTestClock())
    const process = await archive.process()
    const failing = {
      event: () => {
        throw new Error('a follower with a fault')
      },
      resync: () => undefined,
    }
    const book = notebook()
    await process.log.follow(everything, undefined, failing)
    await process.log.follow(everything, undefined, book)
    await write(process, happened('one'), happened('two'))
    await expect.poll(() => book.told, patience).toEqual(['one', 'two'])
  })

  it('returns stored events no faster than they are taken, and no more once the follower has gone', async () => {
    await using archive = await openArchive(createTestClock())
    const process = await archive.process()
    await write(process, ...['one', 'two', 'three', 'four'].map((subject) => happened(subject)))
    await expect.poll(() => process.log.last(), patience).toBeGreaterThan(3)
    const begun: string[] = []
    const ended: string[] = []
    const follower = {
      event: async ({ subject }: { subject: string }) => {
        begun.push(subject)
        await new Promise((resolve) => setImmediate(resolve))
        ended.push(subject)
        expect(begun).toEqual(ended)
        return subject !== 'three'
      },
      resync: () => undefined,
    }
    const unfollow = await process.log.follow(everything, 0, follower)
    expect(ended).toEqual(['one', 'two', 'three'])
    unfollow()
  })

  it('ends for one follower separately', async () => {
    await using archive = await openArchive(createTestClock())
    const process = await archive.process()
    const [ended, other] = [notebook(), notebook()]
    const unfollow = await process.log.follow(everything, 0, ended)
    await process.log.follow(everything, 0, other)
    await write(process, happened('one'))
    await expect.poll(() => ended.told, patience).toEqual(['one'])
    unfollow()
    await write(process, happened('two'))
    await expect.poll(() => other.told, patience).toEqual(['one', 'two'])
    unfollow()
    await write(process, happened('three'))
    await expect.poll(() => other.told, patience).toEqual(['one', 'two', 'three'])
    expect(ended.told).toEqual(['one'])
  })
})

describe('a filter', () => {
  const list = [
    happened('a thing', { tenantId: 'tenant-a' }),
    happened('a other', { tenantId: 'tenant-a', type: 'other_happened' }),
    happened('b thing', { tenantId: 'tenant-b' }),
    happened('b other', { tenantId: 'tenant-b', type: 'other_happened' }),
    happened('no one’s thing'),
  ]
  const filters: Array<[EventFilter, string[]]> = [
    [{ tenants: 'all' }, list.map(({ subject }) => subject)],
    [{ tenants: ['tenant-a'] }, ['a thing', 'a other']],
    [{ tenants: ['tenant-a', 'tenant-b'] }, ['a thing', 'a other', 'b thing', 'b other']],
    [{ tenants: [] }, []],
    [{ tenants: 'all', types: ['other_happened'] }, ['a other', 'b other']],
    [{ tenants: 'all', types: [] }, []],
    [{ tenants: 'all', subject: 'b thing' }, ['b thing']],
    [{ tenants: ['tenant-a'], subject: 'b thing' }, []],
    [{ tenants: ['tenant-b'], types: ['x', 'other_happened'], subject: 'b other' }, ['b other']],
  ]

  it('by tenants, types and subject selects the same from stored events, live events and reads', async () => {
    await using archive = await openArchive(createTestClock())
    const process = await archive.process()
    const live = filters.map(() => notebook())
    await Promise.all(filters.map(([filter], n) => process.log.follow(filter, 0, live[n]!)))
    await write(process, ...list)
    await expect.poll(() => live[0]!.told.length, patience).toBe(list.length)
    for (const [n, [filter, due]] of filters.entries()) {
      const late = notebook()
      await process.log.follow(filter, 0, late)
      const read = await process.log.read(filter, 0, 100)
      const got = { live: live[n]!.told, late: late.told, read: read.map(({ subject }) => subject) }
      expect(got, JSON.stringify(filter)).toEqual({ live: due, late: due, read: due })
    }
  })

  it('does not end early: it finds matches behind more than two pages of other events', async () => {
    await using archive = await openArchive(createTestClock())
    const process = await archive.process()
    const rare: EventFilter = { tenants: ['tenant-a'] }
    const many = Array.from({ length: 1_200 }, (_, n) => happened(`other ${n}`))
    const picked = Array.from({ length: 1_100 }, (_, n) => happened(`mine ${n}`, { tenantId: 'tenant-a' }))
    await write(process, ...many)
    await write(process, ...picked)
    const end = notebook()
    await process.log.follow(everything, 0, end)
    await expect.poll(() => end.told.length, patience).toBe(2_300)
    const book = notebook()
    await process.log.follow(rare, 0, book)
    await expect.poll(() => book.told.length, patience).toBe(1_100)
    expect(book.told).toEqual(picked.map(({ subject }) => subject))
  })
})

/** The same database, whose answers to the readings that match `which` wait for `meanwhile`. */
function withSlowAnswers(db: Database, which: RegExp, meanwhile: () => Promise<void>): Database {
  const all: Database['sql']['all'] = async (text, params) => {
    const rows = await db.sql.all<never>(text, params)
    if (which.test(text)) await meanwhile()
    return rows
  }
  return { ...db, sql: { ...db.sql, all } }
}
