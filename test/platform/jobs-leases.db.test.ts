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
      await using harness = await createJobWorkers(createTestClock())
      const begun: string[] = []
      const gates = { one: harness.gate(), two: harness.gate() }
      // Its clock is stopped, so it neither renews its lease nor detects that it has expired.
      const one = await harness.worker(
        async ({ attempt }) => {
          begun.push(`one, try ${attempt}`)
          await gates.one.passed
          if (fault) throw fault
        },
        { clock: createTestClock() },
      )
      const two = await harness.worker(async ({ attempt }) => {
        begun.push(`two, try ${attempt}`)
        await gates.two.passed
      })
      await one.start()
      await harness.put(one, {})
      await expect.poll(() => begun, patience).toEqual(['one, try 1'])
      harness.clock.advance(leaseMs)
      await two.start()
      await expect.poll(() => begun, patience).toEqual(['one, try 1', 'two, try 2'])
      const held = await harness.jobs()
      expect(held).toMatchObject([{ status: 'running', attempt: 2 }])
      gates.one.open()
      await one.stop()
      expect(await harness.jobs()).toEqual(held)
      gates.two.open()
      await two.stop()
      expect(await harness.jobs()).toMatchObject([
        { ...held[0], status: 'done', leaseUntil: null, finishedAt: harness.clock.date() },
      ])
      expect(begun).toHaveLength(2)
    },
  )

  it('that has expired fences off the process’s own earlier attempt, too', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const still = createTestClock()
    const gates = [harness.gate(), harness.gate()]
    const begun: number[] = []
    const one = await harness.worker(
      async ({ attempt }) => {
        begun.push(attempt)
        await gates[attempt - 1]?.passed
      },
      { clock: still, concurrency: 2 },
    )
    // Has no handler for the job, so that it takes it back, and leaves it to the first.
    const two = await harness.worker({})
    await one.start()
    await harness.put(one, {})
    await expect.poll(() => begun, patience).toEqual([1])
    harness.clock.advance(leaseMs)
    await two.start()
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'waiting', attempt: 1 }])
    one.wakeUp()
    await expect.poll(() => begun, patience).toEqual([1, 2])
    const held = await harness.jobs()
    gates[0]?.open()
    // A job that is claimed and done after the late end was handed in: by then it has been judged.
    await harness.put(one, {})
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'running' }, { status: 'done' }])
    expect((await harness.jobs())[0]).toEqual(held[0])
    gates[1]?.open()
    await one.stop()
    expect(await harness.jobs()).toMatchObject([{ status: 'done', attempt: 2 }, { status: 'done' }])
  })

  it('that expires after the job was finished in a transaction does not let it run again', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const gate = harness.gate()
    const begun: string[] = []
    // It renews nothing and never comes to write down what it has done, as if it had died.
    const one = await harness.worker(
      async ({ finish }) => {
        begun.push('one')
        await harness.db.write(finish)
        await gate.passed
      },
      { clock: createTestClock() },
    )
    const two = await harness.worker(async () => void begun.push('two'))
    await one.start()
    await harness.put(one, {})
    await expect.poll(async () => (await harness.jobs())[0]?.status, patience).toBe('done')
    harness.clock.advance(leaseMs)
    await two.start()
    await harness.put(two, {})
    await expect.poll(() => begun, patience).toEqual(['one', 'two'])
    expect(await harness.jobs()).toMatchObject([{ status: 'done', attempt: 1 }, { attempt: 1 }])
  })

  it('that was lost rolls back the transaction that would have finished the job', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const gate = harness.gate()
    const faults: string[] = []
    const one = await harness.worker(
      async ({ finish }) => {
        await gate.passed
        await harness.db
          .write(async (tx) => {
            await tx.run(`update job set payload = '{"by":"one"}'`)
            await finish(tx)
          })
          .catch((error: Error) => {
            faults.push(error.message)
            throw error
          })
      },
      { clock: createTestClock() },
    )
    const two = await harness.worker(async () => undefined)
    await one.start()
    await harness.put(one, {})
    await expect.poll(async () => (await harness.jobs())[0]?.status, patience).toBe('running')
    harness.clock.advance(leaseMs)
    await two.start()
    await expect.poll(async () => (await harness.jobs())[0]?.status, patience).toBe('done')
    const done = await harness.jobs()
    expect(done).toMatchObject([{ attempt: 2, payload: {} }])
    gate.open()
    await one.stop()
    expect(faults).toEqual([expect.stringContaining('said nothing for too long')])
    expect(await harness.jobs()).toEqual(done)
  })

  it('is renewed while the job runs, and no other process starts it', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const begun: string[] = []
    const gate = harness.gate()
    const work = (name: string) => () => {
      begun.push(name)
      return gate.passed
    }
    const ahead = createTestClock()
    const one = await harness.worker(work('one'), { clock: ahead })
    const two = await harness.worker(work('two'))
    await one.start()
    await harness.put(one, {})
    await expect.poll(() => begun, patience).toEqual(['one'])
    await two.start()
    const end = async () => (await harness.jobs())[0]?.leaseUntil?.getTime() ?? 0
    for (let renewals = 0; renewals < 9; renewals++) {
      const before = await end()
      await expect
        .poll(async () => {
          ahead.advance(1_000)
          return end()
        }, patience)
        .toBeGreaterThan(before)
      // The other looks again and again, up to a millisecond before the lease would end.
      harness.clock.advance((await end()) - harness.clock.now() - 1)
    }
    gate.open()
    await Promise.all([one.stop(), two.stop()])
    expect(await harness.jobs()).toMatchObject([{ status: 'done', attempt: 1 }])
    expect(begun).toEqual(['one'])
  })

  it('that is lost aborts the signal of that handler only', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const still = createTestClock()
    const gate = harness.gate()
    const signals: AbortSignal[] = []
    const one = await harness.worker(
      ({ signal }) => {
        signals.push(signal)
        return gate.passed
      },
      { clock: still },
    )
    // Has room for the one job that it takes over, and keeps it for an hour.
    const two = await harness.worker(() => gate.passed, { concurrency: 1, leaseMs: 3_600_000 })
    await one.start()
    await harness.put(one, {})
    await expect.poll(() => signals, patience).toHaveLength(1)
    harness.clock.advance(leaseMs)
    await two.start()
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'running', attempt: 2 }])
    await harness.put(one, {})
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
    await using harness = await createJobWorkers(createTestClock())
    const begun: string[] = []
    const gate = harness.gate()
    const one = await harness.worker(
      () => {
        begun.push('one')
        return gate.passed
      },
      { clock: createTestClock() },
    )
    const two = await harness.worker(async () => void begun.push('two'))
    await one.start()
    await harness.put(one, { maxAttempts: 1 })
    await expect.poll(() => begun, patience).toEqual(['one'])
    harness.clock.advance(leaseMs - 1)
    await two.start()
    harness.clock.advance(1)
    // It finds out by itself, within a third of a lease.
    await expect
      .poll(async () => {
        harness.clock.advance(1_000)
        return harness.jobs()
      }, patience)
      .toMatchObject([{ status: 'dead', attempt: 1 }])
    const dead = await harness.jobs()
    expect(await two.deadLetters({ tenants: 'all' })).toMatchObject([{ id: dead[0]?.id }])
    gate.open()
    await one.stop()
    expect(await harness.jobs()).toEqual(dead)
    expect(begun).toEqual(['one'])
  })
})
