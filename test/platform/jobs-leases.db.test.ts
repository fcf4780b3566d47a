import { describe, expect, it } from 'vitest'
import { Unretryable } from '../../packages/core/src/platform/jobs/jobs.ts'
import { createTestClock } from '../kit/clock.ts'
import { createJobWorkers, patience } from '../kit/job-queues.ts'

/** How long a job stays with a process that says nothing more. */
const leaseMs = 30_000

describe('a lease', () => {
  it.each([
    { end: 'good', fault: undefined },
    { end: 'failed', fault: new Error('too slow') },
    { end: 'hopeless', fault: new Unretryable('never') },
  ])(
    'that has expired passes the job to another process, and the late, $end end of the first changes nothing',
    async ({ fault }) => {
      await using floor = await createJobWorkers(createTestClock())
      const begun: string[] = []
      const gates = { one: floor.gate(), two: floor.gate() }
      // Its clock is stopped, so it neither renews its lease nor detects that it has expired.
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

  it('that has expired fences off the process’s own earlier attempt, too', async () => {
    await using floor = await createJobWorkers(createTestClock())
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
    one.wakeUp()
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

  it('is renewed while the job runs, and no other process starts it', async () => {
    await using floor = await createJobWorkers(createTestClock())
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

  it('that is lost aborts the signal of that handler only', async () => {
    await using floor = await createJobWorkers(createTestClock())
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

  it('that expires on the last attempt creates a dead letter, which its process cannot undo', async () => {
    await using floor = await createJobWorkers(createTestClock())
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
    expect(await two.deadLetters({ tenants: 'all' })).toMatchObject([{ id: dead[0]?.id }])
    gate.open()
    await one.stop()
    expect(await floor.jobs()).toEqual(dead)
    expect(begun).toEqual(['one'])
  })
})
