import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Agent, type AgentHarness, agentOf, createAgentHarness, pricedModel } from '../../kit/runtime.ts'
import { refusal } from '../refusal.ts'

let harness: AgentHarness

beforeAll(async () => {
  harness = await createAgentHarness()
  await harness.configure({ concurrency: 10 })
})

afterAll(() => harness[Symbol.asyncDispose]())

const read = (agent: Agent) => agent.call('GET /runs/:runId/context')

describe('agent.runs.context', () => {
  it('returns the task as it was dispatched, with the limits of the agent', async () => {
    await harness.configure({ adapterConfig: { timeoutSec: 90, maxTurnsPerRun: 3 } }, ['social_writer'])
    const agent = await harness.order()
    const { prompt, systemPrompt } = agent.dispatch
    const { id: activityId } = await harness.activityOf(agent.runId)
    const context = await read(agent)
    expect(context).toEqual({
      runId: agent.runId,
      activityId,
      tenantId: harness.team.tenantId,
      agentRole: 'social_writer',
      wakeReason: agent.dispatch.wakeReason,
      prompt,
      systemPrompt,
      skills: [],
      model: pricedModel,
      maxTurns: 3,
      timeoutMs: 90_000,
    })
    expect(prompt).toContain('Hearth & Oat')
    await agent.deliver('A post')
  })

  it('returns the reviewer’s note and the previous text to the next run', async () => {
    const first = await harness.order()
    await first.deliver('A first try')
    const query = { 'filter.status': 'pending' as const, sortBy: 'created_on' as const }
    const [approval] = (await harness.team.reviewer.call('dm', 'GET /approvals', { query })).data
    await harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: approval?.id ?? '' },
      body: { resolution: 'revision_requested', note: 'Name the shop' },
    })
    const next = await harness.next()
    expect(await read(next)).toMatchObject({
      wakeReason: 'review_feedback',
      reviewerFeedback: 'Name the shop',
      priorOutput: 'A first try',
    })
    await next.deliver('A second try')
  })

  it('rejects the token of another run, and its own once the run has ended', async () => {
    const [one, other] = [await harness.order(), await harness.order()]
    const crossed = agentOf(harness.app, { ...one.dispatch, taskId: other.runId })
    expect(await refusal(read(crossed))).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    await one.deliver('A post')
    expect(await refusal(read(one))).toMatchObject({ status: 401 })
    await other.deliver('A post')
  })
})
