import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { type Agent, agentOf, createAgentHarness } from '../../kit/runtime.ts'

const beat = ({ call }: Agent) => call('POST /runs/:runId/heartbeat')
const minute = 60_000

describe('agent.runs.heartbeat', () => {
  it('extends the lease of the run and returns a token with the same lifetime', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    await harness.configure({ adapterConfig: { timeoutMs: 10 * minute } })
    await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const run = await harness.next(clock)
    const first = (await run.call('GET /runs/:runId/status')).expiresAt
    clock.advance(8 * minute)
    const answer = await beat(run)
    expect(answer).toMatchObject({ runId: run.runId, cancel: false })
    expect(Date.parse(answer.expiresAt)).toBe(clock.now() + 10 * minute)
    expect(Date.parse(answer.expiresAt)).toBeGreaterThan(Date.parse(first))
    clock.advance(5 * minute)
    await expect(run.deliver('Late')).rejects.toMatchObject({ status: 401, code: 'TOKEN_EXPIRED' })
    const renewed = agentOf(harness.app, { ...run.dispatch, taskToken: answer.taskToken })
    await renewed.deliver('A post')
    expect((await harness.run(run.runId)).status).toBe('completed')
  })

  it('stops extending the lease a day after the run started', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    await harness.configure({ adapterConfig: { timeoutMs: 60 * minute } })
    await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    let run: Agent = await harness.next(clock)
    const began = clock.now()
    let expiresAt = 0
    for (let n = 0; n < 47; n += 1) {
      clock.advance(30 * minute)
      const answer = await beat(run)
      expiresAt = Date.parse(answer.expiresAt)
      run = agentOf(harness.app, { ...run.dispatch, taskToken: answer.taskToken })
    }
    expect(expiresAt).toBeLessThanOrEqual(began + 24 * 60 * minute)
    expect(expiresAt).toBeGreaterThan(began + 23 * 60 * minute)
    clock.advance(31 * minute)
    await expect(beat(run)).rejects.toMatchObject({ status: 401 })
  })

  it('tells the runtime to cancel when the activity was reassigned', async () => {
    await using harness = await createAgentHarness()
    const run = await harness.order()
    expect((await beat(run)).cancel).toBe(false)
    await run.call('POST /runs/:runId/actions/reassign', { toRole: 'blog_writer', reason: 'A longer text' })
    expect((await beat(run)).cancel).toBe(true)
  })

  it('rejects an ended run, and the agent of another run', async () => {
    await using harness = await createAgentHarness()
    const one = await harness.order()
    const other = await harness.order()
    const foreign = { params: { runId: other.runId } }
    await expect(
      harness.app.clientFor(one.dispatch.taskToken).call('agent', 'POST /runs/:runId/heartbeat', foreign),
    ).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    await one.deliver('A post')
    const before = await harness.run(one.runId)
    await expect(beat(one)).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    expect(await harness.run(one.runId)).toEqual(before)
  })
})

describe('the rate limit of /agent/v1', () => {
  it('allows 60 requests a minute for each run, over both groups of endpoints', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const order = () =>
      harness.team.admin.call('dashboard', 'POST /campaigns', {
        body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
      })
    await order()
    const run = await harness.next(clock)
    await order()
    const other = await harness.next(clock)
    clock.advance(61_000)
    const follow = () =>
      harness.app.fetch(`/agent/v1/callback/${run.runId}/stream`, {
        headers: { authorization: `Bearer ${run.dispatch.taskToken}` },
      })
    for (let n = 0; n < 19; n += 1) {
      await run.call('GET /runs/:runId/status')
      await run.call('POST /runs/:runId/stream', { delta: 'x', sequenceNum: n })
      await (await follow()).body?.cancel()
    }
    await beat(run)
    await run.call('GET /runs/:runId/context')
    await run.call('POST /runs/:runId/actions/add-comment', { text: 'Nearly' })
    const refused = { status: 429, code: 'RATE_LIMITED' }
    expect((await follow()).status).toBe(429)
    await expect(beat(run)).rejects.toMatchObject(refused)
    await expect(
      run.call('POST /callback/:runId', { status: 'success', text: 'A post' }),
    ).rejects.toMatchObject(refused)
    await expect(run.deliver('A post')).rejects.toMatchObject(refused)
    await other.deliver('Another post')
    clock.advance(61_000)
    await run.deliver('A post')
  })
})
