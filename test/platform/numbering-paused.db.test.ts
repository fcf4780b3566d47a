import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { openDatabase } from '../../packages/core/src/platform/database/database.ts'
import { eventEntities } from '../../packages/core/src/platform/events/entities.ts'
import { dialect, silent } from '../kit/database.ts'
import { insertUntold } from '../kit/events.ts'
import { everything, happened, notebook, openArchive, patience, write } from './event-archive.ts'

const program = fileURLToPath(new URL('./event-reader.ts', import.meta.url))
const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

/**
 * A database, a connection of the test's own, and another process, to which the database gives no lock that it would have
 * to wait two seconds for.
 */
async function openStage() {
  const stack = new AsyncDisposableStack()
  const archive = stack.use(await openArchive(createSystemClock()))
  const named = (name: string, settings: Record<string, string> = {}) =>
    `${archive.url}?${new URLSearchParams({ application_name: name, ...settings })}`
  const holder = new Client({ connectionString: named('holder') })
  await holder.connect()
  stack.defer(() => holder.end())
  const url = named('other', { options: '-c lock_timeout=2s' })
  const impatient = await openDatabase({ url, entities: eventEntities, migrations: [], log: silent })
  stack.defer(() => impatient.close())
  return {
    archive,
    holder,
    /** It looks for events without a number as it starts. */
    startOther: async () => {
      const other = await archive.process(impatient)
      stack.defer(() => other.log.stop())
      return other
    },
    /** A process that numbers and follows events, and the numbers that it was told. */
    async startReader() {
      const child = fork(program, [named('reader')], { execArgv: ['--conditions=@copydesk/source'] })
      const exited = once(child, 'exit')
      stack.defer(async () => {
        child.kill('SIGKILL')
        await exited
      })
      await once(child, 'message')
      const told: unknown[] = []
      child.on('message', (seq) => void told.push(seq))
      return { child, told }
    },
    /** How many connections of the reader wait for something, and how many do not. */
    async waits(): Promise<Record<string, number>> {
      const { rows } = await holder.query<{ wait: string; n: number }>(
        `select coalesce(wait_event, 'none') as wait, count(*)::int as n from pg_stat_activity
          where application_name = 'reader' and state = 'active' group by wait_event`,
      )
      return Object.fromEntries(rows.map(({ wait, n }) => [wait, n]))
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

describe.runIf(dialect === 'postgresql')('a process that numbers events', () => {
  it.each(['SIGSTOP', 'SIGKILL'] as const)(
    'holds no one up and loses, skips and repeats nothing when it gets a %s in the middle',
    async (signal) => {
      await using stage = await openStage()
      const { archive, holder } = stage
      const reader = await stage.startReader()
      await holder.query('select pg_advisory_lock(7261)')
      // 10 MB: more than a connection takes while its process reads nothing.
      const data = { text: 'x'.repeat(20_000) }
      await insertUntold(archive.db, new Date(), ...upTo(500).map((n) => happened(`event ${n}`, { data })))
      await expect.poll(stage.waits, patience).toEqual({ advisory: 1 })
      reader.child.kill(signal)
      await holder.query('select pg_advisory_unlock(7261)')
      // The database does all that it can do without the process.
      const goesOn = async () => Object.keys(await stage.waits()).filter((wait) => wait !== 'ClientWrite')
      await expect.poll(goesOn, patience).toEqual([])

      const other = await stage.startOther()
      const book = notebook()
      await other.log.follow(everything, 0, book)
      await write(other, happened('event 501'))
      await expect.poll(() => book.told.length, patience).toBe(501)
      expect(book.told).toEqual(upTo(501).map((n) => `event ${n}`))
      expect(book.events.map(({ seq }) => seq)).toEqual(upTo(501))
      if (signal === 'SIGKILL') return
      reader.child.kill('SIGCONT')
      await write(other, happened('event 502'))
      await expect.poll(() => reader.told.length, patience).toBe(502)
      expect(reader.told).toEqual(upTo(502))
    },
  )

  it('would hold everyone up in a transaction that it leaves open', async () => {
    await using stage = await openStage()
    const { archive, holder } = stage
    // The other process starts later: it would number this event before the holder does.
    await insertUntold(archive.db, new Date(), happened('one'))
    await holder.query('begin')
    await holder.query('select from copydesk_number_events(500)')
    await insertUntold(archive.db, new Date(), happened('two'))
    await expect(stage.startOther()).rejects.toThrow('lock timeout')
    await holder.query('commit')
    await stage.startOther()
    expect(await archive.names()).toEqual(['one', 'two'])
  })
})
