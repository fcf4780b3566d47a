import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { asJson } from '../../kit/columns.ts'
import { createAgentHarness } from '../../kit/runtime.ts'
import { acts, auditOf, eventsOf, post, shown } from '../agent-harness.ts'

const call = acts['tool-call']

describe('agent.runs.tool_call', () => {
  it('is stored for the audit and the cost, and streamed to viewers', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const { id } = await harness.activityOf(agent.runId)
    const { toolCallId } = await agent.call('POST /runs/:runId/tool-call', {
      ...call,
      output: { hits: 3 },
      durationMs: 12.6,
      costUsd: 0.000_021,
    })
    const kept = await harness.app.db.sql.get<Record<string, unknown>>(
      'select * from tool_calls where id = ?',
      [toolCallId],
    )
    expect(kept).toMatchObject({
      tenant_id: harness.team.tenantId,
      run_id: agent.runId,
      activity_id: id,
      tool_name: 'search',
      method: 'GET',
      status: 'success',
      error: null,
      duration_ms: 13,
    })
    expect([asJson(kept?.['input']), asJson(kept?.['output'])]).toEqual([{ q: 'oats' }, { hits: 3 }])
    expect(Number(kept?.['cost_micros'])).toBe(21)
    const about = { tenantId: harness.team.tenantId, subject: id }
    expect(await eventsOf(harness, 'tool_call')).toEqual([
      { ...about, data: { activityId: id, name: 'search', input: { q: 'oats' } } },
    ])
    expect(await eventsOf(harness, 'tool_result')).toEqual([
      { ...about, data: { activityId: id, name: 'search', output: { hits: 3 } } },
    ])
    expect(await auditOf(harness, agent.runId)).toMatchObject([
      { action: 'run.tool_call', resource_type: 'run', resource_id: agent.runId, status: 201 },
    ])
    expect((await harness.activityOf(agent.runId)).status).toBe('in_progress')
  })

  it('that failed reports the error instead of the output', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    expect(
      (await post(harness, agent, 'tool-call', { ...call, status: 'error', error: 'No network' })).status,
    ).toBe(201)
    expect(await eventsOf(harness, 'tool_result')).toMatchObject([{ data: { output: 'No network' } }])
    expect(await harness.count(`select count(*) as n from tool_calls where error = 'No network'`)).toBe(1)
  })

  it('adds its cost in whole micro-dollars, under concurrency, before the result or with it', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    // 0.1 + 0.2 is not 0.3 in floating point, and a part of a micro-dollar is rounded call by call.
    const costs = [0.1, 0.2, 0.000_000_4, 0.000_000_6, ...Array<number>(26).fill(0.000_001_1)]
    const answers = await Promise.all(
      costs.map((costUsd) => post(harness, agent, 'tool-call', { ...call, costUsd })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(30)
    expect(Number((await harness.run(agent.runId))['cost_micros'])).toBe(300_027)
    await agent.deliver('A post', { usage: { inputTokens: 10, outputTokens: 2 } })
    expect(Number((await harness.run(agent.runId))['cost_micros'])).toBe(300_047)
    const { id, ...activity } = await harness.activityOf(agent.runId)
    expect(Number(activity['cost_micros'])).toBe(300_047)
    expect((await shown(harness, id)).runs).toMatchObject([{ costUsd: 0.300_047 }])
  })
})

describe('agent.runs.status', () => {
  it('returns the state of the run and the expiry of its token, before and after its end', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    await harness.configure({ adapterConfig: { timeoutMs: 600_000 } })
    const started = new Date(clock.now()).toISOString()
    const expiresAt = new Date(clock.now() + 600_000).toISOString()
    const agents = [await harness.order(), await harness.order()]
    const [well, badly] = agents as [(typeof agents)[0], (typeof agents)[0]]
    expect(await well.call('GET /runs/:runId/status')).toEqual({
      runId: well.runId,
      status: 'running',
      startedAt: started,
      expiresAt,
    })
    clock.advance(1_000)
    await well.deliver('A post')
    await badly.fail('No idea')
    expect(await well.call('GET /runs/:runId/status')).toEqual({
      runId: well.runId,
      status: 'completed',
      startedAt: started,
      expiresAt,
    })
    expect(await badly.call('GET /runs/:runId/status')).toMatchObject({ status: 'failed' })
  })

  it('rejects the token of another run', async () => {
    await using harness = await createAgentHarness()
    const [one, two] = [await harness.order(), await harness.order()]
    await expect(
      harness.app
        .clientFor(one.dispatch.taskToken)
        .call('agent', 'GET /runs/:runId/status', { params: { runId: two.runId } }),
    ).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    await expect(
      harness.team.admin.call('agent', 'GET /runs/:runId/status', { params: { runId: two.runId } }),
    ).rejects.toMatchObject({ status: 401, code: 'INVALID_TOKEN' })
  })
})
