import { describe, expect, it } from 'vitest'
import { brief } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { silent } from '../../kit/database.ts'
import { createAgentHarness } from '../../kit/runtime.ts'

describe('a run at an external runtime', () => {
  it('times out when its lease expires; the next attempt starts and the late result is rejected', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    await harness.configure({ adapterConfig: { timeoutMs: 60_000 } })
    const late = await harness.order()
    expect(await late.call('GET /runs/:runId/status')).toEqual({
      runId: late.runId,
      status: 'running',
      startedAt: new Date(clock.now()).toISOString(),
      expiresAt: new Date(clock.now() + 60_000).toISOString(),
    })
    clock.advance(61_000)
    const again = await harness.next(clock)
    expect(await harness.run(late.runId)).toMatchObject({ status: 'timeout', error_family: 'transient' })
    expect(again.runId).not.toBe(late.runId)
    expect(again.dispatch.wakeReason).toBe('retry')

    const before = await harness.state()
    const expired = { status: 401, code: 'TOKEN_EXPIRED' }
    await expect(late.deliver('Too late')).rejects.toMatchObject(expired)
    await expect(
      late.call('POST /callback/:runId', { status: 'completed', output: 'Too late' }),
    ).rejects.toMatchObject(expired)
    expect(await harness.state()).toEqual(before)
    await again.deliver('In time')
    expect((await harness.run(again.runId)).status).toBe('completed')
  })

  it('has a limited number of attempts', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    await harness.configure({ adapterConfig: { timeoutMs: 10_000 } })
    const first = await harness.order()
    for (let tries = 1; tries < 4; tries += 1) {
      clock.advance(11_000)
      await harness.next(clock)
    }
    await harness.app.until(async () => {
      clock.advance(2_000)
      return (await harness.activityOf(first.runId)).status === 'failed'
    }, 'the activity has failed')
    expect(await harness.count(`select count(*) as n from runs where status = 'timeout'`)).toBe(4)
    expect(await harness.count(`select count(*) as n from runs where open = ?`, true)).toBe(0)
  })
})

describe('a process that loses its lease', () => {
  it('is fenced: its results change nothing once another process has started the run again', async () => {
    // The writer of the first process waits for a clock that stands still, as a process does that hangs.
    const clock = createTestClock()
    const others = createTestClock()
    const said: string[] = []
    const hear = (message: string) => void said.push(message)
    const log = { ...silent, info: hear, error: hear, child: () => log }
    await using harness = await createAgentHarness({ clock, log, writerPaceMs: 1 })
    await harness.configure({ adapterType: 'local', model: 'builtin-writer' })
    await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const run = await harness.app.until(
      () => harness.app.db.sql.get<{ id: string }>(`select id from runs where prompt is not null`),
      'the run has begun',
    )
    expect(await harness.run(run.id)).toMatchObject({ status: 'running', attempt: 1 })

    await harness.configure({ adapterType: 'adapter_b' })
    await harness.app.another({ clock: others })
    others.advance(20_000)
    const agent = await harness.next(others)
    expect(agent.runId).toBe(run.id)
    expect(await harness.run(run.id)).toMatchObject({ status: 'running', attempt: 2 })

    // What the first one spends is spent.
    const withoutTokens = async () =>
      JSON.stringify(await harness.state()).replace(/"(in|out)put_tokens":\d+/g, '')
    const before = await withoutTokens()
    await harness.app.until(async () => {
      clock.advance(50)
      return said.includes('a dispatch came to nothing; the run is left to another attempt')
    }, 'the first process has delivered')
    expect(await withoutTokens()).toEqual(before)
    await agent.deliver('By the second')
    expect(await harness.run(run.id)).toMatchObject({ status: 'completed', attempt: 2 })
  })
})
