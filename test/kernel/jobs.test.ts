import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Ctx } from '../../packages/core/src/kernel/context.ts'
import { handleJob } from '../../packages/core/src/kernel/job-handlers.ts'
import { defineJob, toNewJob } from '../../packages/core/src/kernel/jobs.ts'
import { type ClaimedJob, Unretryable } from '../../packages/core/src/platform/jobs/jobs.ts'

const bake = defineJob('bread.bake', z.object({ loaves: z.int() }), { cap: 2, maxAttempts: 3 })
const claimed = (payload: Record<string, unknown>): ClaimedJob => ({
  id: 'one',
  kind: bake.kind,
  tenantId: null,
  payload,
  attempt: 1,
  maxAttempts: 3,
  signal: new AbortController().signal,
  finish: async () => undefined,
})

describe('defineJob', () => {
  it('gives each job the group, the concurrency and the attempts of its kind', () => {
    const runAt = new Date(0)
    expect(toNewJob(bake, { tenantId: 't', payload: { loaves: 2 }, runAt, uniqueKey: 'rye' })).toEqual({
      kind: 'bread.bake',
      tenantId: 't',
      payload: { loaves: 2 },
      group: 'bread.bake',
      maxAttempts: 3,
      runAt,
      uniqueKey: 'rye',
    })
  })

  it('rejects a payload of another shape when the job is enqueued', () => {
    expect(() => toNewJob(bake, { tenantId: null, payload: { loaves: 'two' } as never })).toThrow('loaves')
  })
})

describe('handleJob', () => {
  it('passes the payload to the handler, typed', async () => {
    const seen: number[] = []
    const { handler } = handleJob(bake, async (_, { loaves }) => void seen.push(loaves))
    await handler(() => ({}) as Ctx)(claimed({ loaves: 4 }))
    expect(seen).toEqual([4])
  })

  it('makes a job with a stored payload of another shape a dead letter at once, and names the field', async () => {
    const { handler } = handleJob(bake, async () => expect.unreachable())
    const done = handler(() => ({}) as Ctx)(claimed({ loaves: 'four' }))
    await expect(done).rejects.toBeInstanceOf(Unretryable)
    await expect(done).rejects.toThrow('The payload of bread.bake is wrong at "loaves"')
  })
})
