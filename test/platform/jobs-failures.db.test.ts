import { describe, expect, it } from 'vitest'
import type { JobFailure } from '../../packages/core/src/platform/jobs/entities.ts'
import { Unretryable } from '../../packages/core/src/platform/jobs/jobs.ts'
import { createTestClock } from '../kit/clock.ts'
import { createJobWorkers, patience } from '../kit/job-queues.ts'

describe('a job that fails', () => {
  it('is retried after a growing, random delay, keeps its history, and becomes a dead letter in the end', async () => {
    await using harness = await createJobWorkers(createTestClock())
    let roll = 0
    const worker = await harness.worker(
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
      if (index === 0) await harness.put(worker, { tenantId: 'tenant', payload: { n: 7 }, maxAttempts: 4 })
      harness.clock.advance(wait)
      worker.wakeUp()
      const error = `the try ${attempt} was in vain`
      failures.push({ attempt, at: harness.clock.date().toISOString(), error })
      wait = next.wait
      const runAt = new Date(harness.clock.now() + wait)
      await expect
        .poll(harness.jobs, patience)
        .toMatchObject([{ status: 'waiting', attempt, runAt, failures }])
      expect(await worker.deadLetters({ tenants: 'all' })).toEqual([])
    }
    harness.clock.advance(wait)
    worker.wakeUp()
    const at = harness.clock.date()
    failures.push({ attempt: 4, at: at.toISOString(), error: 'the try 4 was in vain' })
    await expect
      .poll(harness.jobs, patience)
      .toMatchObject([{ status: 'dead', attempt: 4, finishedAt: at, failures }])
    expect(await worker.deadLetters({ tenants: 'all' })).toEqual([
      {
        id: expect.any(String),
        kind: 'test.work',
        tenantId: 'tenant',
        payload: { n: 7 },
        failures: failures.map((failure) => ({ ...failure, family: 'transient' })),
        createdAt: new Date(Date.parse(failures[0]?.at ?? '')),
        finishedAt: at,
      },
    ])
  })

  it('never waits for more than five minutes, not counting jitter', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const worker = await harness.worker(() => Promise.reject(new Error('no')), { random: () => 0.5 })
    await worker.start()
    await harness.put(worker, { maxAttempts: 12 })
    for (const [index, seconds] of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].entries()) {
      const runAt = new Date(harness.clock.now() + seconds * 1_000)
      await expect
        .poll(harness.jobs, patience)
        .toMatchObject([{ status: 'waiting', attempt: index + 1, runAt }])
      harness.clock.advance(seconds * 1_000)
      worker.wakeUp()
    }
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'dead', attempt: 12 }])
  })

  it('becomes a dead letter at once when its handler reports that a retry is pointless', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const worker = await harness.worker(() => Promise.reject(new Unretryable('there is no such campaign')))
    await worker.start()
    await harness.put(worker, { maxAttempts: 9 })
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'dead', attempt: 1 }])
    const at = harness.clock.date().toISOString()
    const failures = [{ attempt: 1, at, error: 'there is no such campaign', family: 'invalid' }]
    expect(await worker.deadLetters({ tenants: 'all' })).toMatchObject([{ failures }])
  })
})

describe('retry', () => {
  it('gives a dead letter all its attempts again and keeps its history', async () => {
    await using harness = await createJobWorkers(createTestClock())
    let tries = 0
    const worker = await harness.worker(
      async () => {
        if (++tries < 4) throw new Error(`failure ${tries}`)
      },
      { random: () => 0.5 },
    )
    await worker.start()
    await harness.put(worker, { maxAttempts: 2 })
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'waiting', failures: [{}] }])
    harness.clock.advance(1_000)
    worker.wakeUp()
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'dead' }])
    const [letter] = await worker.deadLetters({ tenants: 'all' })
    expect(await worker.retry(letter?.id ?? '')).toBe(true)
    // Two attempts again: the first failure of the new life is not its end.
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'waiting', failures: [{}, {}, {}] }])
    expect(await worker.deadLetters({ tenants: 'all' })).toEqual([])
    harness.clock.advance(1_000)
    worker.wakeUp()
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'done' }])
    const [{ failures } = { failures: [] }] = await harness.jobs()
    expect(failures.map(({ error }) => error)).toEqual(['failure 1', 'failure 2', 'failure 3'])
  })

  it('rejects jobs that are no dead letters, and changes nothing', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const worker = await harness.worker(async () => undefined)
    await worker.start()
    await harness.put(worker, {}, { runAt: new Date(harness.clock.now() + 60_000) })
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'done' }, { status: 'waiting' }])
    const before = await harness.jobs()
    for (const id of [...before.map((job) => job.id), 'unknown']) expect(await worker.retry(id)).toBe(false)
    expect(await harness.jobs()).toEqual(before)
  })
})

describe('deadLetters', () => {
  it('returns the newest first, up to the requested number', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const worker = await harness.worker(({ payload }) =>
      Promise.reject(new Unretryable(`${payload['name'] as string} cannot be done`)),
    )
    await worker.start()
    for (const name of ['a', 'b', 'c']) {
      await harness.put(worker, { payload: { name } })
      await expect
        .poll(() => worker.deadLetters({ tenants: 'all', limit: 1 }), patience)
        .toMatchObject([{ payload: { name } }])
      harness.clock.advance(1_000)
    }
    const told = async (limit?: number) =>
      (await worker.deadLetters({ tenants: 'all', ...(limit !== undefined && { limit }) })).map(
        ({ payload }) => payload['name'],
      )
    expect(await told()).toEqual(['c', 'b', 'a'])
    expect(await told(2)).toEqual(['c', 'b'])
  })

  it('does not block the unique key of a dead job', async () => {
    await using harness = await createJobWorkers(createTestClock())
    const worker = await harness.worker(() => Promise.reject(new Unretryable('no')))
    await worker.start()
    await harness.put(worker, { uniqueKey: 'plan:1' })
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'dead' }])
    await harness.put(worker, { uniqueKey: 'plan:1' })
    await expect.poll(harness.jobs, patience).toMatchObject([{ status: 'dead' }, { status: 'dead' }])
  })
})
