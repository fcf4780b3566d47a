import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { startOwnServer } from '../../config/postgres.ts'
import { scratchFolder } from '../../config/scratch.ts'
import { createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { dialect } from '../kit/database.ts'
import {
  everything,
  happened,
  notebook,
  openArchive,
  type Process,
  patience,
  write,
} from './event-archive.ts'

/** How often the server is ended; `COPYDESK_KILLS=100` for the long form. */
const restarts = Number(process.env['COPYDESK_KILLS'] ?? 4)

/** A PostgreSQL that can be ended in the middle of what it does, with a database for events. */
async function openServer(settings: readonly string[] = []) {
  const stack = new AsyncDisposableStack()
  const server = await startOwnServer(scratchFolder(), settings)
  if (server.url === undefined) throw new Error(`A server of its own is needed: ${server.reason}`)
  stack.defer(server.stop)
  const archive = stack.use(await openArchive(createSystemClock(), server.url))
  return { server, archive, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Writers that go on through every restart, and what they were told that was committed. */
function startWriting(processes: readonly Process[], isUp: () => Promise<void>) {
  const answered: string[] = []
  let over = false
  let onMore: (() => void) | undefined
  const writers = processes.map(async (process, writer) => {
    for (let n = 0; !over; n += 1) {
      await isUp()
      const subjects = [`${writer} ${n} first`, `${writer} ${n} second`]
      // Without an answer it is committed or not, but whole.
      const isCommitted = await write(process, ...subjects.map((subject) => happened(subject))).then(
        () => true,
        () => false,
      )
      if (isCommitted) answered.push(...subjects)
      onMore?.()
    }
  })
  return {
    answered,
    /** Resolves once they have been answered so many times more. */
    async more(transactions: number): Promise<void> {
      const wanted = answered.length + transactions * 2
      const { promise, resolve } = Promise.withResolvers<void>()
      onMore = () => answered.length >= wanted && resolve()
      await promise
    },
    async end(): Promise<void> {
      over = true
      await Promise.all(writers)
    },
  }
}

/** Lets numbering begin and not go on. @returns once the function waits, with the lock held until the server ends */
async function stopNumbering(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('select pg_advisory_lock(7261)')
  const waiting = async () => {
    const { rows } = await client.query(`select from pg_locks where locktype = 'advisory' and not granted`)
    return rows.length
  }
  await expect.poll(waiting, patience).toBeGreaterThan(0)
}

describe.runIf(dialect === 'postgresql')('a database server that ends in the middle and comes back', () => {
  it(
    'has every event that was answered, whole and in order, and followers go on without a loss or a repetition',
    async () => {
      await using place = await openServer()
      const { server, archive } = place
      const reader = await archive.process()
      const book = notebook()
      await reader.log.follow(everything, 0, book)
      let restart = Promise.resolve()
      const processes = [await archive.process(), await archive.process(), await archive.process()]
      const writing = startWriting(processes, () => restart)
      for (let round = 0; round < restarts; round += 1) {
        await writing.more(1 + ((round * 7) % 40))
        // At whatever step writers and numbering are, and in every other round in the middle of the function.
        if (round % 2 === 0) await stopNumbering(archive.url)
        restart = server.restart()
        await restart
      }
      await writing.more(10)
      await writing.end()

      const { answered } = writing
      const missing = () => answered.filter((subject) => !book.told.includes(subject))
      await expect.poll(missing, patience).toEqual([])
      expect(book.told).toEqual(await archive.names())
      expect(book.events.map(({ seq }) => seq)).toEqual(book.told.map((_, n) => n + 1))
      for (const [writer, own] of Map.groupBy(book.told, (subject) => subject.split(' ')[0])) {
        const firsts = own.filter((subject) => subject.endsWith('first'))
        expect(own).toEqual(firsts.flatMap((first) => [first, first.replace('first', 'second')]))
        const numbers = firsts.map((subject) => Number(subject.split(' ')[1]))
        expect(numbers, `writer ${writer}`).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
      }
    },
    60_000 + restarts * 3_000,
  )

  it('would have lost some if it answered before they were on the disk', async () => {
    await using place = await openServer(['synchronous_commit=off', 'wal_writer_delay=10s'])
    const { server, archive } = place
    // It writes until the server ends, so that the last answers came right before. More than once, because the server
    // may have written its log for a reason of its own in that moment.
    let restart = Promise.resolve()
    const writing = startWriting([await archive.process()], () => restart)
    for (let round = 0; round < 5; round += 1) {
      await writing.more(20)
      restart = server.restart()
      await restart
    }
    await writing.end()
    const kept = () => archive.names().catch(() => undefined)
    await expect.poll(kept, patience).toBeDefined()
    const there = new Set(await archive.names())
    expect(writing.answered.filter((subject) => !there.has(subject))).not.toEqual([])
  })
})
