import { describe, expect, it } from 'vitest'
import { type Clock, createIds, createSystemClock } from '../../packages/core/src/platform/clock.ts'
import type { JobHandler, NewJob } from '../../packages/core/src/platform/jobs/jobs.ts'
import {
  createJobQueue,
  type JobQueue,
  type JobQueueOptions,
} from '../../packages/core/src/platform/jobs/queue.ts'
import { createTestClock } from '../kit/clock.ts'
import { openTestDatabase, silent } from '../kit/database.ts'

const patience = { timeout: 15_000, interval: 10 }
const alphabetically = (a: string, b: string) => a.localeCompare(b)

/** One database, and workers that each have it open for themselves, as processes would. */
async function openFloor<C extends Clock>(clock: C) {
  const test = await openTestDatabase()
  const newId = createIds(clock)
  const queues: JobQueue[] = []
  const gates: Array<() => void> = []
  return {
    ...test,
    clock,
    async worker(handlers: Record<string, JobHandler>, options: Partial<JobQueueOptions> = {}) {
      const db = await test.again()
      const queue = createJobQueue({ db, clock, newId, log: silent, handlers, ...options })
      queues.push(queue)
      return queue
    },
    /** Holds handlers up until it is opened, at the latest when the test is over. */
    gate() {
      const { promise: passed, resolve: open } = Promise.withResolvers<void>()
      gates.push(open)
      return { passed, open }
    },
    jobs: () =>
      test.db.sql.all<{ id: string; kind: string; status: string; attempt: number; payload: unknown }>(
        'select id, kind, status, attempt, payload from job order by id',
      ),
    async [Symbol.asyncDispose]() {
      for (const open of gates) open()
      await Promise.all(queues.map((queue) => queue.stop()))
      await test[Symbol.asyncDispose]()
    },
  }
}

const job = (name: string, rest: Partial<NewJob> = {}): NewJob => ({
  kind: 'test.note',
  tenantId: null,
  payload: { name },
  ...rest,
})

/** Notes the names of the jobs in the order in which they were begun. */
function notebook() {
  const names: string[] = []
  const note: JobHandler = async ({ payload }) => void names.push(payload['name'] as string)
  return { names, note }
}

describe('enqueue', () => {
  it('gives each of 200 jobs to one worker once, though three processes take from them', async () => {
    await using floor = await openFloor(createSystemClock())
    const ran: string[] = []
    const arrived = new Set<string>()
    const all = floor.gate()
    const workers = await Promise.all(
      ['one', 'two', 'three'].map((name) =>
        floor.worker({
          // Nobody goes on before all three have a job in hand, so that none of them does it all alone.
          'test.note': async ({ payload }) => {
            if (arrived.add(name).size === 3) all.open()
            await all.passed
            ran.push(payload['name'] as string)
          },
        }),
      ),
    )
    const names = Array.from({ length: 200 }, (_, n) => `job ${n}`)
    await floor.db.write((tx) =>
      (workers[0] as JobQueue).enqueue(
        tx,
        names.map((name) => job(name)),
      ),
    )
    await Promise.all(workers.map((worker) => worker.start()))
    await expect
      .poll(async () => (await floor.jobs()).filter(({ status }) => status === 'done').length, patience)
      .toBe(200)
    await Promise.all(workers.map((worker) => worker.stop()))
    expect(ran.toSorted(alphabetically)).toEqual(names.toSorted(alphabetically))
    expect(new Set((await floor.jobs()).map(({ attempt }) => attempt))).toEqual(new Set([1]))
  })

  it('leaves nothing behind when its transaction rolls back', async () => {
    await using floor = await openFloor(createTestClock())
    const { names, note } = notebook()
    const worker = await floor.worker({ 'test.note': note })
    await worker.start()
    const changed = floor.db.write(async (tx) => {
      await worker.enqueue(tx, [job('rolled back', { priority: 9 })])
      throw new Error('changed my mind')
    })
    await expect(changed).rejects.toThrow('changed my mind')
    await floor.db.write((tx) => worker.enqueue(tx, [job('committed')]))
    worker.poke()
    await expect.poll(() => names, patience).toEqual(['committed'])
    await worker.stop()
    expect(names).toEqual(['committed'])
    expect(await floor.jobs()).toMatchObject([{ status: 'done' }])
  })

  it.each([1, 10])(
    'is served by priority, then by the time it was due, then as it came, %i at a time',
    async (concurrency) => {
      await using floor = await openFloor(createTestClock())
      const { names, note } = notebook()
      const worker = await floor.worker({ 'test.note': note }, { concurrency })
      const ago = (ms: number) => new Date(floor.clock.now() - ms)
      await floor.db.write((tx) =>
        worker.enqueue(tx, [
          job('now'),
          job('now too'),
          job('an hour late', { runAt: ago(3_600_000) }),
          job('a minute late', { runAt: ago(60_000) }),
          job('can wait', { priority: -1, runAt: ago(3_600_000) }),
          job('urgent', { priority: 5 }),
          job('urgent and late', { priority: 5, runAt: ago(1) }),
        ]),
      )
      await worker.start()
      await expect
        .poll(() => names, patience)
        .toEqual(['urgent and late', 'urgent', 'an hour late', 'a minute late', 'now', 'now too', 'can wait'])
    },
  )

  it('keeps a job until it is due, however urgent it is', async () => {
    await using floor = await openFloor(createTestClock())
    const { names, note } = notebook()
    const worker = await floor.worker({ 'test.note': note })
    const runAt = new Date(floor.clock.now() + 60_000)
    await floor.db.write((tx) =>
      worker.enqueue(tx, [job('in a minute', { runAt, priority: 9 }), job('at once')]),
    )
    await worker.start()
    await expect.poll(() => names, patience).toEqual(['at once'])
    floor.clock.advance(59_999)
    await floor.db.write((tx) => worker.enqueue(tx, [job('a moment too early')]))
    worker.poke()
    await expect.poll(() => names, patience).toEqual(['at once', 'a moment too early'])
    // Nobody pokes: the worker looks by itself every two seconds.
    floor.clock.advance(2_000)
    await expect.poll(() => names, patience).toEqual(['at once', 'a moment too early', 'in a minute'])
  })

  it('leaves kinds that a worker has no handler for to one that has', async () => {
    await using floor = await openFloor(createTestClock())
    const here = notebook()
    const there = notebook()
    const one = await floor.worker({ 'test.note': here.note })
    const two = await floor.worker({ 'test.other': there.note })
    await floor.db.write((tx) =>
      one.enqueue(tx, [job('foreign', { kind: 'test.other', priority: 9 }), job('own')]),
    )
    await one.start()
    await expect.poll(() => here.names, patience).toEqual(['own'])
    await one.stop()
    expect(await floor.jobs()).toMatchObject([
      { kind: 'test.other', status: 'waiting', attempt: 0 },
      { kind: 'test.note', status: 'done', attempt: 1 },
    ])
    await two.start()
    await expect.poll(() => there.names, patience).toEqual(['foreign'])
    expect(here.names).toEqual(['own'])
  })
})

describe('a unique key', () => {
  it('folds jobs while one waits or is at work; once that is done a new one is taken', async () => {
    await using floor = await openFloor(createTestClock())
    const names: unknown[] = []
    const gate = floor.gate()
    const worker = await floor.worker({
      'test.note': async ({ payload }) => {
        names.push(payload['name'])
        await gate.passed
      },
    })
    const ask = (db: typeof floor.db, name: string) =>
      db.write((tx) => worker.enqueue(tx, [job(name, { uniqueKey: 'plan:1' })]))
    const processes = [floor.db, await floor.again(), await floor.again()]
    await ask(floor.db, 'first')
    await Promise.all(processes.flatMap((db) => [ask(db, 'while it waits'), ask(db, 'while it waits')]))
    await worker.start()
    await expect.poll(() => names, patience).toEqual(['first'])
    await Promise.all(processes.map((db) => ask(db, 'while it is at work')))
    expect(await floor.jobs()).toMatchObject([{ status: 'running' }])
    gate.open()
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'done' }])
    await ask(floor.db, 'afterwards')
    worker.poke()
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'done' }, { status: 'done' }])
    expect(names).toEqual(['first', 'afterwards'])
  })

  it('makes one job of those of a single call, and of several processes that ask at the same moment', async () => {
    await using floor = await openFloor(createTestClock())
    const queue = await floor.worker({})
    const keyed = job('keyed', { uniqueKey: 'plan:1' })
    await floor.db.write((tx) => queue.enqueue(tx, [keyed, job('free'), keyed, job('free')]))
    expect(await floor.jobs()).toHaveLength(3)
    const processes = [floor.db, await floor.again(), await floor.again()]
    const other = job('other', { uniqueKey: 'plan:2' })
    await Promise.all(processes.map((db) => db.write((tx) => queue.enqueue(tx, [other]))))
    expect(await floor.jobs()).toHaveLength(4)
  })
})

describe('caps', () => {
  it('let one job of a group be at work over two processes, and keep nobody else waiting', async () => {
    await using floor = await openFloor(createTestClock())
    const { names, note } = notebook()
    const gate = floor.gate()
    const grouped: unknown[] = []
    const queues: JobQueue[] = []
    let atWork = 0
    let most = 0
    const handlers: Record<string, JobHandler> = {
      'test.note': note,
      'test.grouped': async ({ payload }) => {
        most = Math.max(most, ++atWork)
        grouped.push(payload['name'])
        await gate.passed
        // Both are told to look for more while this one still has its place.
        for (const queue of queues) queue.poke()
        await floor.jobs()
        atWork--
      },
    }
    queues.push(await floor.worker(handlers, { caps: { x: 1 } }))
    queues.push(await floor.worker(handlers, { caps: { x: 1 } }))
    const list = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    await Promise.all(queues.map((queue) => queue.start()))
    await floor.db.write((tx) =>
      (queues[0] as JobQueue).enqueue(tx, [
        ...list.map((name) => job(name, { kind: 'test.grouped', group: 'x', priority: 1 })),
        ...list.map((name) => job(name)),
        ...list.map((name) => job(name, { group: 'y' })),
      ]),
    )
    // Both at the same moment, so that each could take the free place for its own.
    for (const queue of queues) queue.poke()
    // The one of the group stands still all the while that the others, which come after it, are done.
    await expect
      .poll(() => names.toSorted(alphabetically), patience)
      .toEqual([...list, ...list].toSorted(alphabetically))
    expect(grouped).toEqual(['a'])
    gate.open()
    await expect.poll(() => grouped, patience).toEqual(list)
    expect(most).toBe(1)
  })

  it('of two let a third begin when one of the two has ended', async () => {
    await using floor = await openFloor(createTestClock())
    const gates = {
      a: floor.gate(),
      b: floor.gate(),
      c: floor.gate(),
      free: floor.gate(),
      later: floor.gate(),
    }
    const begun: unknown[] = []
    const worker = await floor.worker(
      {
        'test.note': async ({ payload }) => {
          begun.push(payload['name'])
          await gates[payload['name'] as keyof typeof gates].passed
        },
      },
      { caps: { x: 2 }, concurrency: 5 },
    )
    await floor.db.write((tx) =>
      worker.enqueue(tx, [...['a', 'b', 'c'].map((name) => job(name, { group: 'x' })), job('free')]),
    )
    await worker.start()
    await expect.poll(() => begun, patience).toEqual(['a', 'b', 'free'])
    // Comes after the third, so the third would have begun before it.
    await floor.db.write((tx) => worker.enqueue(tx, [job('later')]))
    worker.poke()
    await expect.poll(() => begun, patience).toEqual(['a', 'b', 'free', 'later'])
    gates.b.open()
    await expect.poll(() => begun, patience).toEqual(['a', 'b', 'free', 'later', 'c'])
  })
})

describe('prune', () => {
  it('deletes what was done before the instant: not what was done then, is dead, waits or is at work', async () => {
    await using floor = await openFloor(createTestClock())
    const gate = floor.gate()
    const { names, note } = notebook()
    const worker = await floor.worker({
      'test.note': note,
      'test.hold': () => gate.passed,
      'test.fail': () => Promise.reject(new Error('no')),
    })
    const states = async () => (await floor.jobs()).map(({ kind, status }) => `${kind} ${status}`)
    const later = new Date(floor.clock.now() + 3_600_000)
    await floor.db.write((tx) =>
      worker.enqueue(tx, [
        job('old'),
        job('hold', { kind: 'test.hold' }),
        job('fail', { kind: 'test.fail', maxAttempts: 1 }),
        job('late', { runAt: later }),
      ]),
    )
    const others = ['test.hold running', 'test.fail dead', 'test.note waiting']
    await worker.start()
    await expect.poll(states, patience).toEqual(['test.note done', ...others])
    floor.clock.advance(1_000)
    const now = floor.clock.date()
    await floor.db.write((tx) => worker.enqueue(tx, [job('new')]))
    worker.poke()
    await expect.poll(states, patience).toEqual(['test.note done', ...others, 'test.note done'])
    expect(await worker.prune(now)).toBe(1)
    expect(await states()).toEqual([...others, 'test.note done'])
    expect(await worker.prune(now)).toBe(0)
    expect(names).toEqual(['old', 'new'])
  })
})

describe('stop', () => {
  it('waits for what is at work, takes nothing new, and tells nobody to hurry', async () => {
    await using floor = await openFloor(createTestClock())
    const happened: string[] = []
    const gate = floor.gate()
    const worker = await floor.worker({
      'test.note': async ({ payload, signal }) => {
        const name = payload['name'] as string
        happened.push(`${name} begins`)
        await gate.passed
        happened.push(`${name} ends${signal.aborted ? ' in a hurry' : ''}`)
      },
    })
    await worker.start()
    await floor.db.write((tx) => worker.enqueue(tx, [job('a')]))
    worker.poke()
    await expect.poll(() => happened, patience).toEqual(['a begins'])
    const stopped = worker.stop().then(() => happened.push('stopped'))
    await floor.db.write((tx) => worker.enqueue(tx, [job('b')]))
    worker.poke()
    gate.open()
    await stopped
    worker.poke()
    await worker.stop()
    expect(happened).toEqual(['a begins', 'a ends', 'stopped'])
    expect(await floor.jobs()).toMatchObject([
      { status: 'done', attempt: 1 },
      { status: 'waiting', attempt: 0 },
    ])
  })

  it('tells what takes longer than the grace to stop, and leaves the job to another process', async () => {
    await using floor = await openFloor(createTestClock())
    const { names, note } = notebook()
    const signals: AbortSignal[] = []
    const one = await floor.worker({
      'test.note': ({ signal }) => {
        signals.push(signal)
        const { promise, reject } = Promise.withResolvers<void>()
        signal.addEventListener('abort', () => reject(new Error('told to stop')))
        return promise
      },
    })
    const two = await floor.worker({ 'test.note': note })
    await one.start()
    await floor.db.write((tx) => one.enqueue(tx, [job('long')]))
    one.poke()
    await expect.poll(() => signals, patience).toHaveLength(1)
    const from = floor.clock.now()
    const stopped = one.stop(5_000)
    await expect
      .poll(() => {
        if (!signals[0]?.aborted) floor.clock.advance(500)
        return signals[0]?.aborted
      }, patience)
      .toBe(true)
    expect(floor.clock.now() - from).toBeGreaterThanOrEqual(5_000)
    await stopped
    expect(await floor.jobs()).toMatchObject([{ status: 'waiting', attempt: 1 }])
    floor.clock.advance(60_000)
    await two.start()
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'done', attempt: 2 }])
    expect(names).toEqual(['long'])
  })
})
