import { describe, expect, it } from 'vitest'
import { createSystemClock } from '../../packages/core/src/platform/clock.ts'
import type { JobQueue } from '../../packages/core/src/platform/jobs/queue.ts'
import { createTestClock } from '../kit/clock.ts'
import { alphabetically, createJobWorkers, note, notebook, patience } from '../kit/job-queues.ts'

describe('enqueue', () => {
  it('gives each of 200 jobs to one worker once, with three processes', async () => {
    await using harness = await createJobWorkers(createSystemClock())
    const ran: string[] = []
    const arrived = new Set<string>()
    const all = harness.gate()
    const workers = await Promise.all(
      ['one', 'two', 'three'].map((name) =>
        harness.worker({
          // No one goes on before all three have a job in hand, so that none of them does it all alone.
          'test.note': async ({ payload }) => {
            if (arrived.add(name).size === 3) all.open()
            await all.passed
            ran.push(payload['name'] as string)
          },
        }),
      ),
    )
    const names = Array.from({ length: 200 }, (_, n) => `job ${n}`)
    await harness.db.write((tx) =>
      (workers[0] as JobQueue).enqueue(
        tx,
        names.map((name) => note(name)),
      ),
    )
    await Promise.all(workers.map((worker) => worker.start()))
    await expect
      .poll(async () => (await harness.jobs()).filter(({ status }) => status === 'done').length, patience)
      .toBe(200)
    await Promise.all(workers.map((worker) => worker.stop()))
    expect(ran.toSorted(alphabetically)).toEqual(names.toSorted(alphabetically))
    expect(new Set((await harness.jobs()).map(({ attempt }) => attempt))).toEqual(new Set([1]))
  })

  it('stores nothing when its transaction rolls back', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const { names, note: write } = notebook()
    const worker = await harness.worker({ 'test.note': write })
    await worker.start()
    const changed = harness.db.write(async (tx) => {
      await worker.enqueue(tx, [note('rolled back', { priority: 9 })])
      throw new Error('changed my mind')
    })
    await expect(changed).rejects.toThrow('changed my mind')
    await harness.db.write((tx) => worker.enqueue(tx, [note('committed')]))
    worker.wakeUp()
    await expect.poll(() => names, patience).toEqual(['committed'])
    await worker.stop()
    expect(names).toEqual(['committed'])
    expect(await harness.jobs()).toMatchObject([{ status: 'done' }])
  })

  it.each([1, 10])(
    'is served by priority, then due time, then creation, %i at a time',
    async (concurrency) => {
      await using harness = await createJobWorkers(createTestClock())
      const { names, note: write } = notebook()
      const worker = await harness.worker({ 'test.note': write }, { concurrency })
      const ago = (ms: number) => new Date(harness.clock.now() - ms)
      await harness.db.write((tx) =>
        worker.enqueue(tx, [
          note('now'),
          note('now too'),
          note('an hour late', { runAt: ago(3_600_000) }),
          note('a minute late', { runAt: ago(60_000) }),
          note('can wait', { priority: -1, runAt: ago(3_600_000) }),
          note('urgent', { priority: 5 }),
          note('urgent and late', { priority: 5, runAt: ago(1) }),
        ]),
      )
      await worker.start()
      await expect
        .poll(() => names, patience)
        .toEqual(['urgent and late', 'urgent', 'an hour late', 'a minute late', 'now', 'now too', 'can wait'])
    },
  )

  it('delays a job until it is due, whatever its priority', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const { names, note: write } = notebook()
    const worker = await harness.worker({ 'test.note': write })
    const runAt = new Date(harness.clock.now() + 60_000)
    await harness.db.write((tx) =>
      worker.enqueue(tx, [note('in a minute', { runAt, priority: 9 }), note('at once')]),
    )
    await worker.start()
    await expect.poll(() => names, patience).toEqual(['at once'])
    // Its lease ends within the minute: what is still being done would be done again.
    const isUnderWay = async () => (await harness.jobs()).some(({ status }) => status === 'running')
    await expect.poll(isUnderWay, patience).toBe(false)
    harness.clock.advance(59_999)
    await harness.db.write((tx) => worker.enqueue(tx, [note('a moment too early')]))
    worker.wakeUp()
    await expect.poll(() => names, patience).toEqual(['at once', 'a moment too early'])
    // No one pokes: the worker looks by itself every two seconds.
    harness.clock.advance(2_000)
    await expect.poll(() => names, patience).toEqual(['at once', 'a moment too early', 'in a minute'])
  })

  it('leaves kinds without a handler to a worker that has one', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const here = notebook()
    const there = notebook()
    const one = await harness.worker({ 'test.note': here.note })
    const two = await harness.worker({ 'test.other': there.note })
    await harness.db.write((tx) =>
      one.enqueue(tx, [note('foreign', { kind: 'test.other', priority: 9 }), note('own')]),
    )
    await one.start()
    await expect.poll(() => here.names, patience).toEqual(['own'])
    await one.stop()
    expect(await harness.jobs()).toMatchObject([
      { kind: 'test.other', status: 'waiting', attempt: 0 },
      { kind: 'test.note', status: 'done', attempt: 1 },
    ])
    await two.start()
    await expect.poll(() => there.names, patience).toEqual(['foreign'])
    expect(here.names).toEqual(['own'])
  })
})
