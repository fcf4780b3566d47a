import { describe, expect, it } from 'vitest'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { steer } from '../../surfaces/steering.ts'
import { acts, resolve } from '../agent-harness.ts'

/** Runs at an external runtime that are to end, and when they give their place back. */

async function officeWith(changes: Parameters<AgentHarness['configure']>[0] = {}) {
  const clock = createTestClock()
  const harness = await createAgentHarness({ clock })
  await harness.configure({ concurrency: 1, ...changes })
  return { clock, harness }
}

/** A run in progress, and another of the same agent that waits for its place. */
async function oneAndNext(harness: AgentHarness): Promise<{ agent: Agent; activityId: string }> {
  const agent = await harness.order()
  const { id } = await harness.activityOf(agent.runId)
  await harness.team.admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Next', brief: 'Rye', deliverables: [{ type: 'social_post', quantity: 1 }] },
  })
  return { agent, activityId: id }
}

/** Moves the clock on in steps at which the server looks round, until the run is open no more. @returns seconds that it took */
async function secondsUntilEnded(harness: AgentHarness, clock: TestClock, runId: string): Promise<number> {
  const began = clock.now()
  await harness.app.until(async () => {
    if (!(await harness.run(runId))['completed_at']) clock.advance(1_000)
    return (await harness.run(runId))['completed_at'] !== null
  }, 'the run has ended')
  const { completed_at: end } = await harness.run(runId)
  return (new Date(end as string).getTime() - began) / 1_000
}

/** When the run would have ended as too long, seconds. */
const timeout = 1_800

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'taken',
    (error: { status: number; code: string }) => `${error.status} ${error.code}`,
  )

describe('a run at a runtime that sends nothing', () => {
  it('frees its slot 30 seconds after it was cancelled; later requests are rejected', async () => {
    const { clock, harness } = await officeWith()
    await using _ = harness
    const { agent, activityId } = await oneAndNext(harness)
    await steer(harness.team.reviewer, activityId).cancel()
    clock.advance(29_000)
    expect(await harness.run(agent.runId)).toMatchObject({ status: 'running' })
    const next = await harness.next(clock)
    expect(next.runId).not.toBe(agent.runId)
    expect(await harness.run(agent.runId)).toMatchObject({
      status: 'failed',
      error: 'It was to stop, and its runtime has said nothing since',
    })
    const before = await harness.state()
    expect(await codeOf(agent.deliver('Too late'))).toBe('409 CONFLICT')
    expect(
      await codeOf(agent.call('POST /callback/:runId', { status: 'completed', output: 'Too late' })),
    ).toBe('409 CONFLICT')
    expect(await codeOf(agent.call('POST /runs/:runId/heartbeat'))).toBe('401 UNAUTHORIZED')
    expect(await harness.state()).toEqual(before)
  })

  it.each([0, 120])('has the %i seconds of grace of its agent', async (graceSec) => {
    const { clock, harness } = await officeWith({ adapterConfig: { graceSec } })
    await using _ = harness
    const { agent, activityId } = await oneAndNext(harness)
    await steer(harness.team.reviewer, activityId).cancel()
    const seconds = await secondsUntilEnded(harness, clock, agent.runId)
    expect(seconds).toBeGreaterThanOrEqual(graceSec)
    expect(seconds).toBeLessThan(timeout)
  })

  it('frees its slot when its activity was reassigned', async () => {
    const { clock, harness } = await officeWith()
    await using _ = harness
    const { agent, activityId } = await oneAndNext(harness)
    await steer(harness.team.reviewer, activityId).reassign('agent', 'blog_writer')
    const seconds = await secondsUntilEnded(harness, clock, agent.runId)
    expect(seconds).toBeGreaterThanOrEqual(30)
    expect(seconds).toBeLessThan(timeout)
    expect(await codeOf(agent.deliver('Too late'))).toBe('409 CONFLICT')
  })
})

describe('a runtime that is told to cancel', () => {
  it('has its grace period from then on, and no heartbeat extends it', async () => {
    const { clock, harness } = await officeWith()
    await using _ = harness
    const { agent, activityId } = await oneAndNext(harness)
    await steer(harness.team.reviewer, activityId).cancel()
    clock.advance(20_000)
    const told = await agent.call('POST /runs/:runId/heartbeat')
    expect(told).toMatchObject({ cancel: true, expiresAt: new Date(clock.now() + 30_000).toISOString() })
    clock.advance(20_000)
    const again = await agent.call('POST /runs/:runId/heartbeat')
    expect(again).toMatchObject({ cancel: true, expiresAt: told.expiresAt })
    await agent.deliver('As far as I got')
    expect(await harness.run(agent.runId)).toMatchObject({ status: 'completed' })
    const { status } = await harness.activityOf(agent.runId)
    expect(status).toBe('failed')
  })

  it('loses the run when it does not stop', async () => {
    const { clock, harness } = await officeWith()
    await using _ = harness
    const { agent, activityId } = await oneAndNext(harness)
    await steer(harness.team.reviewer, activityId).cancel()
    for (let beats = 0; beats < 2; beats += 1) {
      await agent.call('POST /runs/:runId/heartbeat')
      await agent.call('POST /runs/:runId/stream', { delta: 'more ', sequenceNum: beats })
      clock.advance(14_000)
    }
    const seconds = await secondsUntilEnded(harness, clock, agent.runId)
    expect(seconds).toBeLessThan(timeout)
    expect(await codeOf(agent.deliver('Too late'))).toMatch(/^(401 TOKEN_EXPIRED|409 CONFLICT)$/)
  })
})

describe('a verdict while the requesting run is active', () => {
  async function asked(harness: AgentHarness) {
    const agent = await harness.order()
    const { id } = await harness.activityOf(agent.runId)
    const { approvalId } = await agent.call(
      'POST /runs/:runId/actions/request-review',
      acts['actions/request-review'],
    )
    return { agent, activityId: id, approvalId }
  }
  const sentBack = { resolution: 'revision_requested', note: 'Mention the rye' } as const

  it('wakes the agent when its runtime was silent for the grace period of the agent', async () => {
    const { clock, harness } = await officeWith()
    await using _ = harness
    const { agent, activityId, approvalId } = await asked(harness)
    // However long people take, the question alone ends nothing.
    clock.advance(600_000)
    expect(await harness.run(agent.runId)).toMatchObject({ status: 'running' })
    await resolve(harness.team, approvalId, sentBack)
    clock.advance(29_000)
    expect(await harness.run(agent.runId)).toMatchObject({ status: 'running' })
    const next = await harness.next(clock)
    expect((await harness.activityOf(next.runId)).id).toBe(activityId)
    expect(next.dispatch.wakeReason).toBe('review_feedback')
    expect(next.dispatch.prompt).toContain('Mention the rye')
    expect(await harness.run(agent.runId)).toMatchObject({ status: 'timeout' })
    expect(await codeOf(agent.deliver('Too late'))).toBe('409 CONFLICT')
    await next.deliver('With rye')
    expect((await harness.activityOf(next.runId)).status).toBe('awaiting_approval')
  })

  it('wakes the agent at the end of that run, whose result is kept', async () => {
    const { clock, harness } = await officeWith()
    await using _ = harness
    const { agent, approvalId } = await asked(harness)
    await resolve(harness.team, approvalId, sentBack)
    await agent.deliver('Before I heard of it')
    expect(await harness.run(agent.runId)).toMatchObject({ status: 'completed' })
    const next = await harness.next(clock)
    expect(next.dispatch.prompt).toContain('Before I heard of it')
  })

  it('tells a runtime that only sends heartbeats to end its run', async () => {
    const { clock, harness } = await officeWith()
    await using _ = harness
    const { agent, approvalId } = await asked(harness)
    expect(await agent.call('POST /runs/:runId/heartbeat')).toMatchObject({ cancel: false })
    await resolve(harness.team, approvalId, sentBack)
    expect(await agent.call('POST /runs/:runId/heartbeat')).toMatchObject({ cancel: true })
    const seconds = await secondsUntilEnded(harness, clock, agent.runId)
    expect(seconds).toBeGreaterThanOrEqual(30)
    expect(seconds).toBeLessThan(timeout)
  })

  it('waits for a runtime that makes progress', async () => {
    const { clock, harness } = await officeWith()
    await using _ = harness
    const { agent, approvalId } = await asked(harness)
    await resolve(harness.team, approvalId, sentBack)
    await agent.call('POST /runs/:runId/stream', { delta: 'And ', sequenceNum: 0 })
    expect(await agent.call('POST /runs/:runId/heartbeat')).toMatchObject({ cancel: false })
    clock.advance(300_000)
    await agent.deliver('And more')
    expect(await harness.run(agent.runId)).toMatchObject({ status: 'completed' })
  })
})
