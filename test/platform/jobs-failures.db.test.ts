import { describe, expect, it } from 'vitest'
import { createIds } from '../../packages/core/src/platform/clock.ts'
import { asDate, asInstant, asJson } from '../../packages/core/src/platform/database/row.ts'
import type { JobFailure } from '../../packages/core/src/platform/jobs/entities.ts'
import { type JobHandler, type NewJob, Unretryable } from '../../packages/core/src/platform/jobs/jobs.ts'
import {
  createJobQueue,
  type JobQueue,
  type JobQueueOptions,
} from '../../packages/core/src/platform/jobs/queue.ts'
import { createTestClock } from '../kit/clock.ts'
import { openTestDatabase, silent } from '../kit/database.ts'

const patience = { timeout: 15_000, interval: 10 }
const leaseMs = 30_000

/** One database, and workers for jobs of the kind `test.work` that each have it open for themselves, as processes would. */
async function openFloor() {
  const test = await openTestDatabase()
  const clock = createTestClock()
  const newId = createIds(clock)
  const queues: JobQueue[] = []
  const gates: Array<() => void> = []
  return {
    ...test,
    clock,
    async worker(handler: JobHandler, options: Partial<JobQueueOptions> = {}) {
      const db = await test.again()
      const handlers = { 'test.work': handler }
      const queue = createJobQueue({ db, clock, newId, log: silent, leaseMs, handlers, ...options })
      queues.push(queue)
      return queue
    },
    /** Holds handlers up until it is opened, at the latest when the test is over. */
    gate() {
      const { promise: passed, resolve: open } = Promise.withResolvers<void>()
      gates.push(open)
      return { passed, open }
    },
    async put(queue: JobQueue, ...jobs: Array<Partial<NewJob>>) {
      await test.db.write((tx) =>
        queue.enqueue(
          tx,
          jobs.map((job) => ({ kind: 'test.work', tenantId: null, payload: {}, ...job })),
        ),
      )
      queue.poke()
    },
    async jobs() {
      const rows = await test.db.sql.all(
        'select id, status, attempt, worker, run_at, lease_until, finished_at, failures from job order by id',
      )
      return rows.map(({ run_at, lease_until, finished_at, failures, ...rest }) => ({
        ...(rest as { id: string; status: string; attempt: number; worker: string | null }),
        runAt: asInstant(run_at),
        leaseUntil: asDate(lease_until),
        finishedAt: asDate(finished_at),
        failures: asJson<JobFailure[]>(failures) ?? [],
      }))
    },
    async [Symbol.asyncDispose]() {
      for (const open of gates) open()
      await Promise.all(queues.map((queue) => queue.stop()))
      await test[Symbol.asyncDispose]()
    },
  }
}

describe('a job that fails', () => {
  it('is tried again after a growing and random wait, keeps its history, and is given up in the end', async () => {
    await using floor = await openFloor()
    let roll = 0
    const worker = await floor.worker(
      async ({ attempt }) => {
        throw new Error(`the try ${attempt} was in vain`)
      },
      { random: () => roll },
    )
    await worker.start()
    const failures: JobFailure[] = []
    let wait = 0
    const tries = [
      { random: 0, wait: 750 },
      { random: 0.5, wait: 2_000 },
      { random: 1, wait: 5_000 },
    ]
    for (const [index, next] of tries.entries()) {
      const attempt = index + 1
      roll = next.random
      if (index === 0) await floor.put(worker, { tenantId: 'tenant', payload: { n: 7 }, maxAttempts: 4 })
      floor.clock.advance(wait)
      worker.poke()
      const error = `the try ${attempt} was in vain`
      failures.push({ attempt, at: floor.clock.date().toISOString(), error })
      wait = next.wait
      const runAt = new Date(floor.clock.now() + wait)
      await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'waiting', attempt, runAt, failures }])
      expect(await worker.deadLetters()).toEqual([])
    }
    floor.clock.advance(wait)
    worker.poke()
    const at = floor.clock.date()
    failures.push({ attempt: 4, at: at.toISOString(), error: 'the try 4 was in vain' })
    await expect
      .poll(floor.jobs, patience)
      .toMatchObject([{ status: 'dead', attempt: 4, finishedAt: at, failures }])
    expect(await worker.deadLetters()).toEqual([
      { id: expect.any(String), kind: 'test.work', tenantId: 'tenant', payload: { n: 7 }, failures },
    ])
  })

  it('never waits for more than five minutes, jitter aside', async () => {
    await using floor = await openFloor()
    const worker = await floor.worker(() => Promise.reject(new Error('no')), { random: () => 0.5 })
    await worker.start()
    await floor.put(worker, { maxAttempts: 12 })
    for (const [index, seconds] of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].entries()) {
      const runAt = new Date(floor.clock.now() + seconds * 1_000)
      await expect
        .poll(floor.jobs, patience)
        .toMatchObject([{ status: 'waiting', attempt: index + 1, runAt }])
      floor.clock.advance(seconds * 1_000)
      worker.poke()
    }
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'dead', attempt: 12 }])
  })

  it('is given up at once when its handler says that another try is in vain', async () => {
    await using floor = await openFloor()
    const worker = await floor.worker(() => Promise.reject(new Unretryable('there is no such campaign')))
    await worker.start()
    await floor.put(worker, { maxAttempts: 9 })
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'dead', attempt: 1 }])
    const at = floor.clock.date().toISOString()
    const failures = [{ attempt: 1, at, error: 'there is no such campaign' }]
    expect(await worker.deadLetters()).toMatchObject([{ failures }])
  })
})

describe('retry', () => {
  it('gives a dead letter all its attempts once more and keeps the history of its first life', async () => {
    await using floor = await openFloor()
    let tries = 0
    const worker = await floor.worker(
      async () => {
        if (++tries < 4) throw new Error(`failure ${tries}`)
      },
      { random: () => 0.5 },
    )
    await worker.start()
    await floor.put(worker, { maxAttempts: 2 })
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'waiting', failures: [{}] }])
    floor.clock.advance(1_000)
    worker.poke()
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'dead' }])
    const [letter] = await worker.deadLetters()
    expect(await worker.retry(letter?.id ?? '')).toBe(true)
    // Two attempts again: the first failure of the new life is not its end.
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'waiting', failures: [{}, {}, {}] }])
    expect(await worker.deadLetters()).toEqual([])
    floor.clock.advance(1_000)
    worker.poke()
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'done' }])
    const [{ failures } = { failures: [] }] = await floor.jobs()
    expect(failures.map(({ error }) => error)).toEqual(['failure 1', 'failure 2', 'failure 3'])
  })

  it('refuses what is no dead letter, and changes nothing', async () => {
    await using floor = await openFloor()
    const worker = await floor.worker(async () => undefined)
    await worker.start()
    await floor.put(worker, {}, { runAt: new Date(floor.clock.now() + 60_000) })
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'done' }, { status: 'waiting' }])
    const before = await floor.jobs()
    for (const id of [...before.map((job) => job.id), 'unknown']) expect(await worker.retry(id)).toBe(false)
    expect(await floor.jobs()).toEqual(before)
  })
})

describe('deadLetters', () => {
  it('tells the newest first, and no more than was asked for', async () => {
    await using floor = await openFloor()
    const worker = await floor.worker(({ payload }) =>
      Promise.reject(new Unretryable(`${payload['name'] as string} cannot be done`)),
    )
    await worker.start()
    for (const name of ['a', 'b', 'c']) {
      await floor.put(worker, { payload: { name } })
      await expect.poll(() => worker.deadLetters(1), patience).toMatchObject([{ payload: { name } }])
      floor.clock.advance(1_000)
    }
    const told = async (limit?: number) =>
      (await worker.deadLetters(limit)).map(({ payload }) => payload['name'])
    expect(await told()).toEqual(['c', 'b', 'a'])
    expect(await told(2)).toEqual(['c', 'b'])
  })

  it('does not keep the unique key of a dead job from a new one', async () => {
    await using floor = await openFloor()
    const worker = await floor.worker(() => Promise.reject(new Unretryable('no')))
    await worker.start()
    await floor.put(worker, { uniqueKey: 'plan:1' })
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'dead' }])
    await floor.put(worker, { uniqueKey: 'plan:1' })
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'dead' }, { status: 'dead' }])
  })
})

describe('a lease', () => {
  it.each([
    { end: 'good', fault: undefined },
    { end: 'failed', fault: new Error('too slow') },
    { end: 'hopeless', fault: new Unretryable('never') },
  ])(
    'that has ended gives the job to another process, and the late, $end end of the first changes nothing',
    async ({ fault }) => {
      await using floor = await openFloor()
      const begun: string[] = []
      const gates = { one: floor.gate(), two: floor.gate() }
      // Its own clock stands still, so it neither renews nor hears that its lease has ended.
      const one = await floor.worker(
        async ({ attempt }) => {
          begun.push(`one, try ${attempt}`)
          await gates.one.passed
          if (fault) throw fault
        },
        { clock: createTestClock() },
      )
      const two = await floor.worker(async ({ attempt }) => {
        begun.push(`two, try ${attempt}`)
        await gates.two.passed
      })
      await one.start()
      await floor.put(one, {})
      await expect.poll(() => begun, patience).toEqual(['one, try 1'])
      floor.clock.advance(leaseMs)
      await two.start()
      await expect.poll(() => begun, patience).toEqual(['one, try 1', 'two, try 2'])
      const held = await floor.jobs()
      expect(held).toMatchObject([{ status: 'running', attempt: 2 }])
      gates.one.open()
      await one.stop()
      expect(await floor.jobs()).toEqual(held)
      gates.two.open()
      await two.stop()
      expect(await floor.jobs()).toMatchObject([
        { ...held[0], status: 'done', leaseUntil: null, finishedAt: floor.clock.date() },
      ])
      expect(begun).toHaveLength(2)
    },
  )

  it('that has ended fences a process off from its own older try, too', async () => {
    await using floor = await openFloor()
    const still = createTestClock()
    const gates = [floor.gate(), floor.gate()]
    const begun: number[] = []
    const one = await floor.worker(
      async ({ attempt }) => {
        begun.push(attempt)
        await gates[attempt - 1]?.passed
      },
      { clock: still, concurrency: 2 },
    )
    // Has no handler for the job, so that it takes it back, and leaves it to the first.
    const two = await floor.worker(async () => undefined, { handlers: {} })
    await one.start()
    await floor.put(one, {})
    await expect.poll(() => begun, patience).toEqual([1])
    floor.clock.advance(leaseMs)
    await two.start()
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'waiting', attempt: 1 }])
    one.poke()
    await expect.poll(() => begun, patience).toEqual([1, 2])
    const held = await floor.jobs()
    gates[0]?.open()
    // A job that is claimed and done after the late end was handed in: by then it has been judged.
    await floor.put(one, {})
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'running' }, { status: 'done' }])
    expect((await floor.jobs())[0]).toEqual(held[0])
    gates[1]?.open()
    await one.stop()
    expect(await floor.jobs()).toMatchObject([{ status: 'done', attempt: 2 }, { status: 'done' }])
  })

  it('is renewed for as long as the work takes, and nobody else begins it', async () => {
    await using floor = await openFloor()
    const begun: string[] = []
    const gate = floor.gate()
    const work = (name: string) => () => {
      begun.push(name)
      return gate.passed
    }
    const ahead = createTestClock()
    const one = await floor.worker(work('one'), { clock: ahead })
    const two = await floor.worker(work('two'))
    await one.start()
    await floor.put(one, {})
    await expect.poll(() => begun, patience).toEqual(['one'])
    await two.start()
    const end = async () => (await floor.jobs())[0]?.leaseUntil?.getTime() ?? 0
    for (let renewals = 0; renewals < 9; renewals++) {
      const before = await end()
      await expect
        .poll(async () => {
          ahead.advance(1_000)
          return end()
        }, patience)
        .toBeGreaterThan(before)
      // The other looks again and again, up to a millisecond before the lease would end.
      floor.clock.advance((await end()) - floor.clock.now() - 1)
    }
    gate.open()
    await Promise.all([one.stop(), two.stop()])
    expect(await floor.jobs()).toMatchObject([{ status: 'done', attempt: 1 }])
    expect(begun).toEqual(['one'])
  })

  it('that is lost aborts the signal of the handler, and no other', async () => {
    await using floor = await openFloor()
    const still = createTestClock()
    const gate = floor.gate()
    const signals: AbortSignal[] = []
    const one = await floor.worker(
      ({ signal }) => {
        signals.push(signal)
        return gate.passed
      },
      { clock: still },
    )
    // Has room for the one job that it takes over, and keeps it for an hour.
    const two = await floor.worker(() => gate.passed, { concurrency: 1, leaseMs: 3_600_000 })
    await one.start()
    await floor.put(one, {})
    await expect.poll(() => signals, patience).toHaveLength(1)
    floor.clock.advance(leaseMs)
    await two.start()
    await expect.poll(floor.jobs, patience).toMatchObject([{ status: 'running', attempt: 2 }])
    await floor.put(one, {})
    await expect.poll(() => signals, patience).toHaveLength(2)
    const aborted = () => signals.map((signal) => signal.aborted)
    expect(aborted()).toEqual([false, false])
    await expect
      .poll(() => {
        still.advance(1_000)
        return aborted()
      }, patience)
      .toEqual([true, false])
  })

  it('that ends on the last attempt makes a dead letter, which its process cannot undo', async () => {
    await using floor = await openFloor()
    const begun: string[] = []
    const gate = floor.gate()
    const one = await floor.worker(
      () => {
        begun.push('one')
        return gate.passed
      },
      { clock: createTestClock() },
    )
    const two = await floor.worker(async () => void begun.push('two'))
    await one.start()
    await floor.put(one, { maxAttempts: 1 })
    await expect.poll(() => begun, patience).toEqual(['one'])
    floor.clock.advance(leaseMs - 1)
    await two.start()
    floor.clock.advance(1)
    // It finds out by itself, within a third of a lease.
    await expect
      .poll(async () => {
        floor.clock.advance(1_000)
        return floor.jobs()
      }, patience)
      .toMatchObject([{ status: 'dead', attempt: 1 }])
    const dead = await floor.jobs()
    expect(await two.deadLetters()).toMatchObject([{ id: dead[0]?.id }])
    gate.open()
    await one.stop()
    expect(await floor.jobs()).toEqual(dead)
    expect(begun).toEqual(['one'])
  })
})
