import { describe, expect, it } from 'vitest'
import { createTestApp, password, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createOperator } from '../../kit/operator.ts'
import { createAgentHarness, pricedModel } from '../../kit/runtime.ts'
import { sendForm } from '../skill-forms.ts'

const path = '/admin/v1/runs'

/** A day later the token that the team began with is over. */
async function logIn(app: TestApp) {
  const body = { email: 'admin.1.tenant-1@test.example', password, app: 'dashboard' as const }
  return app.clientFor((await app.clientFor().call('auth', 'POST /login', { body })).accessToken)
}

describe('admin.runs.list', () => {
  it('returns a run in the shape of the contract', async () => {
    await using harness = await createAgentHarness()
    const operator = await createOperator(harness.app)
    const agent = await harness.order()
    await agent.deliver('A post', { usage: { inputTokens: 100, outputTokens: 20 }, durationMs: 1_234 })
    const { status, json } = await operator.send('GET', path)
    expect(status).toBe(200)
    expect(json).toEqual({
      data: [
        {
          runId: agent.runId,
          tenantId: harness.team.tenantId,
          tenantName: 'Tenant 1',
          agentRole: 'social_writer',
          agentName: 'Social writer',
          model: pricedModel,
          status: 'completed',
          timedOut: false,
          inputTokens: 100,
          outputTokens: 20,
          costUsd: 0.0002,
          priced: true,
          durationMs: 1_234,
          startedAt: expect.stringMatching(/Z$/),
          completedAt: expect.stringMatching(/Z$/),
          error: null,
          errorFamily: null,
        },
      ],
      nextCursor: null,
    })
  })

  it('filters by tenant, role, state and time, newest first, page by page', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const operator = await createOperator(harness.app)
    const first = await harness.order()
    await first.deliver('A post')
    clock.advance(86_400_000)
    await operator.renew()
    const admin = await logIn(harness.app)
    await admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'May', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const second = await harness.next(clock)
    await second.fail('The model refuses', { family: 'refusal' })
    const find = async (query: string) => (await operator.send('GET', `${path}?${query}`)).json
    const ids = async (query: string) => (await find(query)).data.map(({ runId }: { runId: string }) => runId)
    expect(await ids('')).toEqual([second.runId, first.runId])
    expect(await ids('status=failed')).toEqual([second.runId])
    expect(await ids('status=completed')).toEqual([first.runId])
    expect(await ids('status=running')).toEqual([])
    expect(await ids(`tenantId=${harness.team.tenantId}&agentRole=social_writer`)).toHaveLength(2)
    expect(await ids('agentRole=auditor')).toEqual([])
    expect(await ids(`tenantId=${first.runId}`)).toEqual([])
    const today = clock.date().toISOString().slice(0, 10)
    expect(await ids(`startDate=${today}`)).toEqual([second.runId])
    expect(await ids(`startDate=${today}&endDate=${today}`)).toEqual([second.runId])
    expect(await ids(`endDate=${clock.date().toISOString()}`)).toContain(first.runId)
    const page = await find('limit=1')
    expect(page.nextCursor).toBe(second.runId)
    expect(await ids(`limit=1&cursor=${page.nextCursor}`)).toEqual([first.runId])
    for (const [query, field] of [
      ['status=lost', 'status'],
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['startDate=yesterday', 'startDate'],
      [`startDate=${today}&endDate=2020-01-01`, 'endDate'],
      ['cursor=x', 'cursor'],
    ])
      expect(await operator.send('GET', `${path}?${query}`), query).toMatchObject({ status: 400, field })
  })
})

describe('admin.runs.get', () => {
  it('returns input, events and result of a remote runtime, in their order and without secrets', async () => {
    await using harness = await createAgentHarness()
    const operator = await createOperator(harness.app)
    await sendForm(harness.app, 'POST', '/dashboard/v1/skills', harness.team.adminToken, {
      file: '# Tone\n\nWarm.\n',
      name: 'tone',
      description: 'How we sound',
      agentRoles: 'social_writer',
    })
    const agent = await harness.order()
    await agent.call('POST /runs/:runId/stream', { delta: 'Once ', sequenceNum: 0 })
    await agent.call('POST /runs/:runId/tool-call', {
      toolName: 'look_up',
      method: 'call',
      input: { word: 'oat', apiKey: 'sk-abcdefghijklmnop1234' },
      output: 'a cereal',
      status: 'success',
      durationMs: 40,
    })
    await agent.call('POST /runs/:runId/tool-call', {
      toolName: 'look_up',
      method: 'call',
      input: {},
      status: 'error',
      error: 'the shelf is empty',
      durationMs: 1,
    })
    await agent.deliver('A post about oats')
    const { json, text } = await operator.send('GET', `${path}/${agent.runId}`)
    expect(json).toMatchObject({
      runId: agent.runId,
      adapter: 'adapter_b',
      inputPrompt: agent.dispatch.prompt,
      output: 'A post about oats',
      skills: ['tone'],
      agentConfig: { name: 'Social writer', systemPrompt: agent.dispatch.systemPrompt },
    })
    expect(agent.dispatch.prompt).toContain(json.inputSummary.slice(0, 40))
    expect(json.transcript).toMatchObject([
      { type: 'system', content: agent.dispatch.systemPrompt },
      { type: 'user', content: agent.dispatch.prompt },
      { type: 'tool_use', content: expect.stringContaining('oat'), metadata: { toolName: 'look_up' } },
      { type: 'tool_result', content: 'a cereal', metadata: { toolName: 'look_up', durationMs: 40 } },
      { type: 'tool_use' },
      { type: 'tool_result', content: 'the shelf is empty', metadata: { failed: true } },
      { type: 'assistant', content: 'A post about oats' },
    ])
    for (const { timestamp } of json.transcript)
      expect(Math.abs(timestamp - Date.now())).toBeLessThan(600_000)
    expect(text).not.toContain('sk-abcdefgh')
  })

  it('returns the text that was streamed before a run failed, and the error', async () => {
    await using harness = await createAgentHarness()
    const operator = await createOperator(harness.app)
    const agent = await harness.order()
    await agent.call('POST /runs/:runId/stream', { delta: 'Once upon a time', sequenceNum: 0 })
    await agent.fail('The model refuses', { family: 'refusal' })
    const { json } = await operator.send('GET', `${path}/${agent.runId}`)
    expect(json).toMatchObject({ status: 'failed', error: 'The model refuses', output: null })
    expect(json.transcript.slice(2)).toMatchObject([
      { type: 'assistant', content: 'Once upon a time', metadata: { streamed: true } },
      { type: 'error', content: 'The model refuses', metadata: { family: 'refusal' } },
    ])
  })

  it('reports an expired lease for a run that its runtime lost', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const operator = await createOperator(harness.app)
    const agent = await harness.order()
    await harness.app.until(async () => {
      clock.advance(60_000)
      return (await harness.run(agent.runId)).status === 'timeout'
    }, 'its time is over')
    await operator.renew()
    const { json } = await operator.send('GET', `${path}/${agent.runId}`)
    expect(json).toMatchObject({ status: 'failed', timedOut: true, errorFamily: 'transient' })
    expect(json.transcript.at(-1)).toMatchObject({ type: 'error' })
    expect((await operator.send('GET', `${path}?status=failed`)).json.data).toHaveLength(1)
  })

  it('returns 404 for an unknown run', async () => {
    await using app: TestApp = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    for (const id of ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'nonsense'])
      expect(await operator.send('GET', `${path}/${id}`)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('admin.system.llm_calls', () => {
  it('lists the usage reported by a remote runtime, in one line per run', async () => {
    await using harness = await createAgentHarness()
    const operator = await createOperator(harness.app)
    const agent = await harness.order()
    await agent.fail('It broke', { family: 'invalid' })
    const other = await harness.order('ad_copy')
    await other.deliver('An ad', { usage: { inputTokens: 100, outputTokens: 20 }, durationMs: 1_234 })
    const calls = '/admin/v1/system/llm-calls'
    const { json } = await operator.send('GET', calls)
    expect(json).toEqual({
      data: [
        {
          id: expect.any(String),
          tenantId: harness.team.tenantId,
          tenantName: 'Tenant 1',
          runId: other.runId,
          agentRole: 'strategist',
          provider: null,
          model: pricedModel,
          inputTokens: 100,
          outputTokens: 20,
          estimated: false,
          costUsd: 0.0002,
          priced: true,
          durationMs: 1_234,
          status: 'completed',
          family: null,
          createdOn: expect.any(String),
        },
      ],
      pagination: { hasMore: false, nextCursor: null },
    })
    const count = async (query: string) => (await operator.send('GET', `${calls}?${query}`)).json.data.length
    expect(await count(`model=${pricedModel}&tenantId=${harness.team.tenantId}`)).toBe(1)
    expect(await count('model=another')).toBe(0)
    expect(await count('endDate=2020-01-01')).toBe(0)
    expect(await count('startDate=2020-01-01')).toBe(1)
  })
})
