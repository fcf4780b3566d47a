import { describe, expect, it } from 'vitest'
import type { JobHandler } from '../../packages/core/src/platform/jobs/jobs.ts'
import type { JobQueue } from '../../packages/core/src/platform/jobs/queue.ts'
import { createTestClock } from '../kit/clock.ts'
import { alphabetically, createJobWorkers, note, notebook, patience } from '../kit/job-queues.ts'

describe('caps', () => {
  it('run one job of a group over two processes, and do not delay others', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const { names, note: write } = notebook()
    const gate = harness.gate()
    const grouped: unknown[] = []
    const queues: JobQueue[] = []
    let atWork = 0
    let most = 0
    const handlers: Record<string, JobHandler> = {
      'test.note': write,
      'test.grouped': async ({ payload }) => {
        most = Math.max(most, ++atWork)
        grouped.push(payload['name'])
        await gate.passed
        // Both poll for more while this one still has its slot.
        for (const queue of queues) queue.wakeUp()
        await harness.jobs()
        atWork--
      },
    }
    queues.push(await harness.worker(handlers, { caps: { x: 1 } }))
    queues.push(await harness.worker(handlers, { caps: { x: 1 } }))
    const list = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    await Promise.all(queues.map((queue) => queue.start()))
    await harness.db.write((tx) =>
      (queues[0] as JobQueue).enqueue(tx, [
        ...list.map((name) => note(name, { kind: 'test.grouped', group: 'x', priority: 1 })),
        ...list.map((name) => note(name)),
        ...list.map((name) => note(name, { group: 'y' })),
      ]),
    )
    // Both at the same moment, so that each could take the free place for its own.
    for (const queue of queues) queue.wakeUp()
    // The one of the group stands still all the while that the others, which come after it, are done.
    await expect
      .poll(() => names.toSorted(alphabetically), patience)
      .toEqual([...list, ...list].toSorted(alphabetically))
    expect(grouped).toEqual(['a'])
    gate.open()
    await expect.poll(() => grouped, patience).toEqual(list)
    expect(most).toBe(1)
  })

  it('of two start a third when one of the two has ended', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const gates = {
      a: harness.gate(),
      b: harness.gate(),
      c: harness.gate(),
      free: harness.gate(),
      later: harness.gate(),
    }
    const begun: unknown[] = []
    const worker = await harness.worker(
      {
        'test.note': async ({ payload }) => {
          begun.push(payload['name'])
          await gates[payload['name'] as keyof typeof gates].passed
        },
      },
      { caps: { x: 2 }, concurrency: 5 },
    )
    await harness.db.write((tx) =>
      worker.enqueue(tx, [...['a', 'b', 'c'].map((name) => note(name, { group: 'x' })), note('free')]),
    )
    await worker.start()
    await expect.poll(() => begun, patience).toEqual(['a', 'b', 'free'])
    // Comes after the third, so the third would have begun before it.
    await harness.db.write((tx) => worker.enqueue(tx, [note('later')]))
    worker.wakeUp()
    await expect.poll(() => begun, patience).toEqual(['a', 'b', 'free', 'later'])
    gates.b.open()
    await expect.poll(() => begun, patience).toEqual(['a', 'b', 'free', 'later', 'c'])
  })
})

describe('caps of tenants', () => {
  it('leave the place of a group that one tenant may not take to others, however many of its own come first', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const gate = harness.gate()
    const begun: string[] = []
    const queues: JobQueue[] = []
    const handler: JobHandler = async ({ payload }) => {
      begun.push(payload['name'] as string)
      if (!payload['isQuick']) await gate.passed
    }
    for (let n = 0; n < 2; n += 1)
      queues.push(await harness.worker(handler, { caps: { x: 3 }, tenantCaps: { x: 2 } }))
    const [queue] = queues as [JobQueue]
    const of = (tenantId: string | null, name: string, isQuick = false) => ({
      kind: 'test.work',
      tenantId,
      group: 'x',
      payload: { name, isQuick },
    })
    await harness.put(
      queue,
      ...Array.from({ length: 20 }, (_, n) => of('slow', `slow ${n}`)),
      of('quick', 'quick 1', true),
      of(null, 'of no one 1', true),
      of('quick', 'quick 2', true),
      of(null, 'of no one 2', true),
    )
    await Promise.all(queues.map((one) => one.start()))
    await expect
      .poll(() => begun.toSorted(alphabetically), patience)
      .toEqual(['of no one 1', 'of no one 2', 'quick 1', 'quick 2', 'slow 0', 'slow 1'])
    gate.open()
    await expect.poll(() => begun.length, patience).toBe(24)
  })
})

describe('prune', () => {
  it('deletes jobs completed before the instant: not those completed then, dead, queued or running', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const gate = harness.gate()
    const { names, note: write } = notebook()
    const worker = await harness.worker({
      'test.note': write,
      'test.hold': () => gate.passed,
      'test.fail': () => Promise.reject(new Error('no')),
    })
    const states = async () => (await harness.jobs()).map(({ kind, status }) => `${kind} ${status}`)
    const later = new Date(harness.clock.now() + 3_600_000)
    await harness.db.write((tx) =>
      worker.enqueue(tx, [
        note('old'),
        note('hold', { kind: 'test.hold' }),
        note('fail', { kind: 'test.fail', maxAttempts: 1 }),
        note('late', { runAt: later }),
      ]),
    )
    const others = ['test.hold running', 'test.fail dead', 'test.note waiting']
    await worker.start()
    await expect.poll(states, patience).toEqual(['test.note done', ...others])
    harness.clock.advance(1_000)
    const now = harness.clock.date()
    await harness.db.write((tx) => worker.enqueue(tx, [note('new')]))
    worker.wakeUp()
    await expect.poll(states, patience).toEqual(['test.note done', ...others, 'test.note done'])
    expect(await worker.prune(now)).toBe(1)
    expect(await states()).toEqual([...others, 'test.note done'])
    expect(await worker.prune(now)).toBe(0)
    expect(names).toEqual(['old', 'new'])
  })
})

describe('stop', () => {
  it('waits for running jobs, starts no new ones, and aborts none', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const happened: string[] = []
    const gate = harness.gate()
    const worker = await harness.worker({
      'test.note': async ({ payload, signal }) => {
        const name = payload['name'] as string
        happened.push(`${name} begins`)
        await gate.passed
        happened.push(`${name} ends${signal.aborted ? ' in a hurry' : ''}`)
      },
    })
    await worker.start()
    await harness.db.write((tx) => worker.enqueue(tx, [note('a')]))
    worker.wakeUp()
    await expect.poll(() => happened, patience).toEqual(['a begins'])
    const stopped = worker.stop().then(() => happened.push('stopped'))
    await harness.db.write((tx) => worker.enqueue(tx, [note('b')]))
    worker.wakeUp()
    gate.open()
    await stopped
    worker.wakeUp()
    await worker.stop()
    expect(happened).toEqual(['a begins', 'a ends', 'stopped'])
    expect(await harness.jobs()).toMatchObject([
      { status: 'done', attempt: 1 },
      { status: 'waiting', attempt: 0 },
    ])
  })

  it('aborts a job that exceeds the grace period, and leaves it to another process', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const { names, note: write } = notebook()
    const signals: AbortSignal[] = []
    const one = await harness.worker({
      'test.note': ({ signal }) => {
        signals.push(signal)
        const { promise, reject } = Promise.withResolvers<void>()
        signal.addEventListener('abort', () => reject(new Error('told to stop')))
        return promise
      },
    })
    const two = await harness.worker({ 'test.note': write })
    await one.start()
    await harness.db.write((tx) => one.enqueue(tx, [note('long')]))
    one.wakeUp()
    await expect.poll(() => signals, patience).toHaveLength(1)
    const from = harness.clock.now()
    const stopped = one.stop(5_000)
    await expect
      .poll(() => {
        if (!signals[0]?.aborted) harness.clock.advance(500)
        return signals[0]?.aborted
      }, patience)
      .toBe(true)
    expect(harness.clock.now() - from).toBeGreaterThanOrEqual(5_000)
    await stopped
    expect(await harness.jobs()).toMatchObject([{ status: 'waiting', attempt: 1 }])
    harness.clock.advance(60_000)
    await two.start()
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'done', attempt: 2 }])
    expect(names).toEqual(['long'])
  })
})
