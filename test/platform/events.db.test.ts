import { describe, expect, it } from 'vitest'
import { createSystemClock } from '../../packages/core/src/platform/clock.ts'
import type { StoredEvent } from '../../packages/core/src/platform/events/events.ts'
import { createTestClock } from '../kit/clock.ts'
import { insertUntold } from '../kit/events.ts'
import {
  everything,
  happened,
  latch,
  notebook,
  openArchive,
  patience,
  write,
  writeMany,
} from './event-archive.ts'

const subjects = (events: readonly StoredEvent[]) => events.map(({ subject }) => subject)

describe('append', () => {
  it('numbers events so that readers of every process get each once, in order, while four processes write', async () => {
    await using archive = await openArchive(createSystemClock())
    const processes = await Promise.all(Array.from({ length: 4 }, () => archive.process()))
    const books = processes.map(() => notebook())
    await Promise.all(processes.map(({ log }, n) => log.follow(everything, 0, books[n]!)))
    await Promise.all(processes.map((process, n) => writeMany(process, `process ${n}`, 15)))
    const stored = await archive.names()
    expect(stored).toHaveLength(4 * 15 * 2)
    for (const { events, told } of books) {
      await expect.poll(() => told.length, patience).toBe(stored.length)
      expect(told).toEqual(stored)
      const numbers = events.map(({ seq }) => seq)
      expect(numbers).toEqual(stored.map((_, n) => n + 1))
    }
    for (const { log } of processes) expect(log.last()).toBe(books[0]!.events.at(-1)?.seq)
  })

  it('by a slow transaction holds no other process up on PostgreSQL, and no number appears late on either database', async () => {
    await using archive = await openArchive(createTestClock())
    const [slow, quick, reader] = [await archive.process(), await archive.process(), await archive.process()]
    const book = notebook()
    await reader.log.follow(everything, 0, book)
    const appended = latch()
    const mayCommit = latch()
    const held = slow.db.write(async (tx) => {
      await slow.log.append(tx, [happened('slow')])
      appended.open()
      await mayCommit.passed
    })
    await appended.passed
    const other = write(quick, happened('quick'))
    const waits = archive.db.dialect === 'sqlite'
    await expect.poll(() => [waits, ...book.told], patience).toEqual(waits ? [true] : [false, 'quick'])
    for (let look = 0; look < 20; look++) {
      archive.clock.advance(1_000)
      expect(subjects(await reader.log.read(everything, 0, 10))).not.toContain('slow')
    }
    mayCommit.open()
    await Promise.all([held, other])
    slow.log.wakeUp()
    archive.clock.advance(1_000)
    await expect.poll(() => book.told, patience).toEqual(waits ? ['slow', 'quick'] : ['quick', 'slow'])
    expect(book.events.map(({ seq }) => seq)).toEqual([1, 2])
  })

  it('of a transaction that is rolled back is never emitted', async () => {
    await using archive = await openArchive(createTestClock())
    const process = await archive.process()
    const book = notebook()
    await process.log.follow(everything, 0, book)
    await write(process, happened('before'))
    const undone = process.db.write(async (tx) => {
      await process.log.append(tx, [happened('undone')])
      throw new Error('changed my mind')
    })
    await expect(undone).rejects.toThrow('changed my mind')
    const undoneToo = process.db.unitOfWork('all', async (_em, tx) => {
      await process.log.append(tx, [happened('undone too')])
      throw new Error('changed my mind again')
    })
    await expect(undoneToo).rejects.toThrow('changed my mind again')
    await write(process, happened('after'))
    await expect.poll(() => book.told, patience).toEqual(['before', 'after'])
    expect(await archive.names()).toEqual(['before', 'after'])
    expect(book.events.map(({ seq }) => seq)).toEqual([1, 2])
  })

  it('keeps tenant, type, subject, data and instant', async () => {
    await using archive = await openArchive(createTestClock())
    const process = await archive.process()
    const event = {
      tenantId: 'tenant-a',
      type: 'thing_named',
      subject: 'it’s "x"',
      data: { text: 'naïve ✓', list: [1, null] },
    }
    await write(process, event, happened('other'))
    await process.log.settle()
    const read = await process.log.read(everything, 0, 10)
    expect(read[0]).toEqual({ ...event, seq: expect.any(Number), at: archive.clock.date() })
    expect(subjects(read)).toEqual(['it’s "x"', 'other'])
  })
})

describe('events of another process', () => {
  it('are received at once on PostgreSQL, and at the next poll, a second later, on SQLite', async () => {
    await using archive = await openArchive(createTestClock())
    const [here, there] = [await archive.process(), await archive.process()]
    const book = notebook()
    await here.log.follow(everything, undefined, book)
    await write(there, happened('there'))
    // On PostgreSQL the clock stands still: nothing but the notification can have told it.
    const { dialect } = archive.db
    if (dialect === 'sqlite') archive.clock.advance(999)
    await archive.names()
    expect(book.told.slice(0, dialect === 'sqlite' ? 1 : 0)).toEqual([])
    if (dialect === 'sqlite') archive.clock.advance(1)
    await expect.poll(() => book.told, patience).toEqual(['there'])
  })

  it('are found by the next poll when the notification was lost', async () => {
    await using archive = await openArchive(createTestClock())
    const { log } = await archive.process()
    const book = notebook()
    await log.follow(everything, undefined, book)
    await insertUntold(archive.db, archive.clock.date(), happened('untold'))
    archive.clock.advance(1_000)
    await expect.poll(() => book.told, patience).toEqual(['untold'])
  })
})

describe('prune', () => {
  it('deletes older events; a follower that resumes before them gets resync once, then the remaining and new ones', async () => {
    await using archive = await openArchive(createTestClock())
    const [process, other] = [await archive.process(), await archive.process()]
    const watching = notebook()
    await process.log.follow(everything, 0, watching)
    await write(process, happened('old'), happened('old too'))
    archive.clock.advance(60_000)
    const limit = archive.clock.date()
    await write(process, happened('at the limit'), happened('new'))
    await expect.poll(() => watching.told.length, patience).toBe(4)
    const [first, last] = [watching.events[0]!.seq, watching.events[1]!.seq]
    expect(await process.log.prune(limit)).toBe(2)
    expect(await archive.names()).toEqual(['at the limit', 'new'])
    expect(await process.log.prune(limit)).toBe(0)

    // The other process has been there all along, and one more begins only now.
    archive.clock.advance(1_000)
    await expect.poll(() => other.log.last(), patience).toBe(process.log.last())
    const processes = [process, other, await archive.process()]
    const resumed = await Promise.all(
      processes.map(async ({ log }) => {
        const books = { start: notebook(), within: notebook(), mark: notebook(), live: notebook() }
        await log.follow(everything, 0, books.start)
        await log.follow(everything, first, books.within)
        await log.follow(everything, last, books.mark)
        await log.follow(everything, undefined, books.live)
        return books
      }),
    )
    await write(process, happened('later'))
    archive.clock.advance(1_000)
    for (const { start, within, mark, live } of resumed) {
      await expect.poll(() => live.told, patience).toEqual(['later'])
      expect(start.told).toEqual(['resync', 'at the limit', 'new', 'later'])
      expect(within.told).toEqual(['resync', 'at the limit', 'new', 'later'])
      expect(mark.told).toEqual(['at the limit', 'new', 'later'])
    }
    expect(watching.told).toEqual(['old', 'old too', 'at the limit', 'new', 'later'])
  })

  it('of all events does not reset the numbers, also for a new process', async () => {
    await using archive = await openArchive(createTestClock())
    const process = await archive.process()
    await write(process, happened('one'), happened('two'))
    await expect.poll(async () => (await process.log.read(everything, 0, 10)).length, patience).toBe(2)
    const { seq } = (await process.log.read(everything, 0, 10)).at(-1)!
    archive.clock.advance(1)
    expect(await process.log.prune(archive.clock.date())).toBe(2)
    const later = await archive.process()
    expect(later.log.last()).toBe(seq)
    const [behind, current] = [notebook(), notebook()]
    await later.log.follow(everything, seq - 1, behind)
    await later.log.follow(everything, seq, current)
    await write(later, happened('three'))
    await expect.poll(() => current.told, patience).toEqual(['three'])
    expect(behind.told).toEqual(['resync', 'three'])
    expect(current.events[0]!.seq).toBeGreaterThan(seq)
  })
})
