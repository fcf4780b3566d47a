import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { neighbourOf } from '../../domain/agent-harness.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { addReviewer, refused, steerAgent, sweepOf } from '../steering.ts'

let harness: AgentHarness
let theirs: Awaited<ReturnType<typeof neighbourOf>>
let both: Client

beforeAll(async () => {
  harness = await createAgentHarness()
  theirs = await neighbourOf(harness)
  both = (await addReviewer(harness.app, 'both', [harness.team.tenantId, theirs.tenantId])).client
  await harness.configure({ concurrency: 5 })
})
afterAll(() => harness[Symbol.asyncDispose]())

const steer = (agentRole: string, reviewer = harness.team.reviewer, tenantId = harness.team.tenantId) =>
  steerAgent(reviewer, tenantId, agentRole)

const run = (role: string) =>
  harness.team.reviewer.call('dm', 'POST /agents/:role/run', {
    params: { role },
    body: { tenantId: harness.team.tenantId, prompt: 'Say hello' },
  })

describe('dm.agents.pause', () => {
  it('stays paused over a restart while the current run ends; a resumed agent starts the activity', async () => {
    const agent = await harness.order()
    const it = steer('social_writer')
    expect(await it.pause({ reason: 'Wrong tone' })).toMatchObject({
      role: 'social_writer',
      status: 'paused',
      runningCount: 1,
    })
    await agent.deliver('A post')
    expect((await harness.activityOf(agent.runId)).status).toBe('awaiting_approval')
    const { runId } = await run('social_writer')
    const neighbour = await theirs.order()
    // Another process that starts now knows only what is in the database.
    await harness.app.another()
    const other = await run('researcher')
    expect((await harness.next()).runId).toBe(other.runId)
    expect(await harness.run(runId)).toMatchObject({ status: 'pending', attempt: 0 })
    expect(await it.see()).toMatchObject({ status: 'paused', queueDepth: 1, runningCount: 0 })
    const { data } = await harness.team.reviewer.call('dm', 'GET /agents/queues')
    expect(data.find(({ agentRole }) => agentRole === 'social_writer')).toMatchObject({
      paused: true,
      waiting: 1,
    })
    expect(await sweepOf(harness)).toEqual([])

    expect(await it.resume()).toMatchObject({ status: expect.stringMatching(/active|running/) as string })
    const next = await harness.next()
    expect(next.runId).toBe(runId)
    await next.deliver('Hello')
    await neighbour.deliver('A post of theirs')
  })

  it('rejects a paused, an unknown and another tenant’s agent', async () => {
    const it = steer('analyst')
    await it.pause()
    expect(await refused(harness, () => it.pause())).toBe('422 UNPROCESSABLE')
    await it.resume()
    expect(await refused(harness, () => steer('astrologer').pause())).toBe('404 NOT_FOUND')
    const foreign = steer('analyst', harness.team.reviewer, theirs.tenantId)
    expect(await refused(harness, () => foreign.pause())).toBe('403 FORBIDDEN')
    expect(await steer('analyst', both, theirs.tenantId).see()).toMatchObject({ status: 'active' })
  })

  it('survives a suspension of the tenant, and is not lifted during one', async () => {
    const system = harness.app.copydesk.asSystem()
    const it = (agentRole: string) => steer(agentRole, both, theirs.tenantId)
    await it('analyst').pause()
    await system.tenants.suspend(theirs.tenantId, 'Unpaid')
    expect(await refused(harness, () => it('researcher').resume())).toBe('422 UNPROCESSABLE')
    await system.tenants.reinstate(theirs.tenantId)
    expect(await it('analyst').see()).toMatchObject({ status: 'paused' })
    expect(await it('researcher').see()).toMatchObject({ status: 'active' })
    await it('analyst').resume()
  })
})

describe('dm.agents.resume', () => {
  it('returns the agent as idle, and starts queued activities', async () => {
    const it = steer('analyst')
    await it.pause()
    const { runId } = await run('analyst')
    expect(await it.see()).toMatchObject({ status: 'paused', queueDepth: 1 })
    expect(await it.resume()).toMatchObject({
      role: 'analyst',
      status: expect.stringMatching(/active|running/) as string,
    })
    const next = await harness.next()
    expect(next.runId).toBe(runId)
    await next.deliver('Hello')
  })

  it('rejects an agent that is not paused, unknown or of another tenant', async () => {
    expect(await refused(harness, () => steer('analyst').resume())).toBe('422 UNPROCESSABLE')
    expect(await refused(harness, () => steer('astrologer').resume())).toBe('404 NOT_FOUND')
    await steer('analyst', both, theirs.tenantId).pause()
    const foreign = steer('analyst', harness.team.reviewer, theirs.tenantId)
    expect(await refused(harness, () => foreign.resume())).toBe('403 FORBIDDEN')
    expect(await steer('analyst', both, theirs.tenantId).see()).toMatchObject({ status: 'paused' })
  })
})
