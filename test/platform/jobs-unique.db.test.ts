import { describe, expect, it } from 'vitest'
import { Unretryable } from '../../packages/core/src/platform/jobs/jobs.ts'
import { createTestClock } from '../kit/clock.ts'
import { dialect } from '../kit/database.ts'
import { createJobWorkers, note, notebook, patience } from '../kit/job-queues.ts'

describe('a unique key', () => {
  it('merges jobs while one waits, has a running one done once more, and accepts a new one afterwards', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const names: unknown[] = []
    const gates = [harness.gate(), harness.gate()]
    const worker = await harness.worker({
      'test.note': async ({ payload, attempt }) => {
        names.push(payload['name'])
        await gates[attempt - 1]?.passed
      },
    })
    const ask = (db: typeof harness.db, name: string) =>
      db.write((tx) => worker.enqueue(tx, [note(name, { uniqueKey: 'plan:1' })]))
    const processes = [harness.db, await harness.again(), await harness.again()]
    await ask(harness.db, 'first')
    await Promise.all(processes.flatMap((db) => [ask(db, 'while it waits'), ask(db, 'while it waits')]))
    await worker.start()
    await expect.poll(() => names, patience).toEqual(['first'])
    await Promise.all(processes.map((db) => ask(db, 'while it is running')))
    expect(await harness.jobs()).toMatchObject([{ status: 'running' }])
    gates[0]?.open()
    await expect.poll(() => names, patience).toEqual(['first', 'while it is running'])
    gates[1]?.open()
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'done', attempt: 2 }])
    await ask(harness.db, 'afterwards')
    worker.wakeUp()
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'done' }, { status: 'done' }])
    expect(names).toEqual(['first', 'while it is running', 'afterwards'])
  })

  it.each([
    { end: 'a last failure', fault: new Error('no'), ends: 'dead' },
    { end: 'a failure that no other try would mend', fault: new Unretryable('never'), ends: 'dead' },
    { end: 'an end in a transaction of its own', fault: undefined, ends: 'done' },
  ])('has what is asked for while it is running done after $end', async ({ fault, ends }) => {
    await using harness = await createJobWorkers(createTestClock())
    const gate = harness.gate()
    let tries = 0
    const worker = await harness.worker(async ({ finish }) => {
      tries += 1
      await gate.passed
      if (fault) throw fault
      await harness.db.write(finish)
    })
    const asked = { uniqueKey: 'plan:1', maxAttempts: 1 }
    await worker.start()
    await harness.put(worker, asked)
    await expect.poll(() => tries, patience).toBe(1)
    await harness.put(worker, asked)
    gate.open()
    await expect
      .poll(async () => {
        harness.clock.advance(2_000)
        return await harness.jobs()
      }, patience)
      .toMatchObject([{ status: ends, attempt: 2 }])
    expect(tries).toBe(2)
  })

  it('has what is asked for while it is running done after its process has died', async () => {
    await using harness = await createJobWorkers(createTestClock())
    let tries = 0
    const gate = harness.gate()
    const work = async () => {
      tries += 1
      await gate.passed
    }
    const asked = { uniqueKey: 'plan:1', maxAttempts: 1 }
    // Its clock is stopped, so it renews no lease.
    const one = await harness.worker(work, { clock: createTestClock() })
    await one.start()
    await harness.put(one, asked)
    await expect.poll(() => tries, patience).toBe(1)
    await harness.put(one, asked)
    harness.clock.advance(30_000)
    const two = await harness.worker(work)
    await two.start()
    await expect.poll(() => tries, patience).toBe(2)
    gate.open()
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'done', attempt: 2 }])
  })

  // On SQLite no one takes a job while a transaction writes.
  it.runIf(dialect === 'postgresql')(
    'keeps a job from workers while one that folds into it may be taken back',
    async () => {
      await using harness = await createJobWorkers(createTestClock())
      const { names, note: write } = notebook()
      const worker = await harness.worker({ 'test.note': write })
      const keyed = note('keyed', { uniqueKey: 'plan:1', priority: 9 })
      await harness.db.write((tx) => worker.enqueue(tx, [keyed]))
      await harness.db.write(async (tx) => {
        await worker.enqueue(tx, [keyed])
        await worker.start()
        await harness.put(worker, note('other'))
        await expect.poll(() => names, patience).toEqual(['other'])
      })
      worker.wakeUp()
      await expect.poll(() => names, patience).toEqual(['other', 'keyed'])
    },
  )

  it('creates one job for a single call, and for several concurrent processes', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const queue = await harness.worker({})
    const keyed = note('keyed', { uniqueKey: 'plan:1' })
    await harness.db.write((tx) => queue.enqueue(tx, [keyed, note('free'), keyed, note('free')]))
    expect(await harness.jobs()).toHaveLength(3)
    const processes = [harness.db, await harness.again(), await harness.again()]
    const other = note('other', { uniqueKey: 'plan:2' })
    await Promise.all(processes.map((db) => db.write((tx) => queue.enqueue(tx, [other]))))
    expect(await harness.jobs()).toHaveLength(4)
  })
})
