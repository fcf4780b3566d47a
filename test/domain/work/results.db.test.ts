import { describe, expect, it } from 'vitest'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'

const versions = (harness: AgentHarness) => harness.count('select count(*) as n from outputs')

describe('a dispatch', () => {
  it('contains what the contract requires, and the secret header that the tenant has set', async () => {
    await using harness = await createAgentHarness()
    const { dispatch } = await harness.order()
    const { headers, ...payload } = dispatch
    expect(payload).toEqual({
      taskId: expect.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
      tenantId: harness.team.tenantId,
      agentRole: 'social_writer',
      prompt: expect.stringContaining('Hearth & Oat is a small bakery'),
      systemPrompt: expect.stringMatching(/Tenant 1(?!.*\{\{)/s),
      skillsContext: '',
      wakeReason: 'new_task',
      sessionId: null,
      callbackUrl: `http://127.0.0.1:1/agent/v1/callback/${dispatch.taskId}`,
      taskToken: expect.any(String),
      timeoutMs: 1_800_000,
    })
    expect(headers['x-runtime-key']).toBe('the secret')
    expect((await harness.activityOf(dispatch.taskId)).status).toBe('in_progress')
  })
})

describe('agent.runs.result', () => {
  it('stores the text as a version, ends the run and creates the approval', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    expect(await agent.deliver('A post about oats')).toEqual({ received: true, runId: agent.runId })
    expect((await harness.run(agent.runId)).status).toBe('completed')
    const activity = await harness.activityOf(agent.runId)
    expect(activity.status).toBe('awaiting_approval')
    const output = await harness.team.admin.call('dashboard', 'GET /activities/:activityId/output', {
      params: { activityId: activity.id },
    })
    expect(output).toMatchObject({ text: 'A post about oats', version: 1 })
  })

  it('is accepted once: a second one is rejected and changes nothing', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await agent.deliver('The first')
    const before = await harness.state()
    const conflict = { status: 409, code: 'CONFLICT' }
    await expect(agent.deliver('The second')).rejects.toMatchObject(conflict)
    await expect(agent.fail('Sorry')).rejects.toMatchObject(conflict)
    for (const body of [
      { status: 'success' as const, text: 'By callback' },
      { status: 'completed' as const, output: 'By webhook' },
      { status: 'failed' as const, error: 'By webhook' },
    ]) {
      await expect(agent.call('POST /callback/:runId', body)).rejects.toMatchObject(conflict)
    }
    expect(await harness.state()).toEqual(before)
  })

  it('is accepted once under concurrency, over both endpoints', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const answers = await Promise.allSettled([
      agent.deliver('One'),
      agent.deliver('Two'),
      agent.call('POST /callback/:runId', { status: 'completed', output: 'Three' }),
      agent.fail('Four'),
    ])
    const lost = answers.filter((answer) => answer.status === 'rejected')
    expect(lost.map(({ reason }) => (reason as { code: string }).code)).toEqual(Array(3).fill('CONFLICT'))
    expect(await harness.count(`select count(*) as n from audit_records where action = 'run.result'`)).toBe(1)
    const run = await harness.run(agent.runId)
    expect(await versions(harness)).toBe(run.status === 'completed' ? 1 : 0)
  })

  it('requires a text, or a reason, and a rejection keeps the run active', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const before = await harness.state()
    const refused = (field: string) => ({ status: 400, code: 'VALIDATION_ERROR', field })
    for (const text of [undefined, '', ' \n\t']) {
      await expect(agent.call('POST /runs/:runId/result', { status: 'success', text })).rejects.toMatchObject(
        refused('text'),
      )
      await expect(agent.call('POST /callback/:runId', { status: 'success', text })).rejects.toMatchObject(
        refused('text'),
      )
    }
    await expect(
      agent.call('POST /callback/:runId', { status: 'completed', output: null }),
    ).rejects.toMatchObject(refused('output'))
    await expect(agent.call('POST /runs/:runId/result', { status: 'error' })).rejects.toMatchObject(
      refused('error'),
    )
    expect(await harness.state()).toEqual(before)
    await agent.deliver('After all')
    expect((await harness.run(agent.runId)).status).toBe('completed')
  })

  it('may report that there is nothing to do: no version is created', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order('email_newsletter')
    await agent.call('POST /runs/:runId/result', { status: 'success', metadata: { nothingToDo: true } })
    expect((await harness.run(agent.runId)).status).toBe('completed')
    expect((await harness.activityOf(agent.runId)).status).toBe('done')
    expect(await versions(harness)).toBe(0)
    // The step that stood behind it goes on.
    expect((await harness.next()).dispatch.wakeReason).toBe('new_task')
  })

  it('counts tokens and money in integers, on the run and on its activity', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await agent.deliver('First', { usage: { inputTokens: 1_001, outputTokens: 333 }, durationMs: 1234.6 })
    const run = await harness.run(agent.runId)
    expect([run.input_tokens, run.output_tokens, run.cost_micros, run.duration_ms].map(Number)).toEqual([
      1_001, 333, 2_666, 1_235,
    ])
    const { data } = await harness.team.reviewer.call('dm', 'GET /approvals')
    await harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: data[0]?.id ?? '' },
      body: { resolution: 'rejected', note: 'Shorter' },
    })
    const second = await harness.next()
    await second.deliver('Second', { usage: { inputTokens: 7, outputTokens: 1 } })
    const activity = await harness.activityOf(agent.runId)
    expect(Number(activity.cost_micros)).toBe(2_678)
    const shown = await harness.team.admin.call('dashboard', 'GET /activities/:activityId', {
      params: { activityId: activity.id },
    })
    expect(shown.runs.map(({ costUsd }) => costUsd).toSorted((a, b) => a - b)).toEqual([0.000012, 0.002666])
  })

  it('rejects the token of another run, and a forged one', async () => {
    await using harness = await createAgentHarness()
    const one = await harness.order()
    const other = await harness.order()
    const before = await harness.state()
    const params = { runId: other.runId }
    const body = { status: 'success' as const, text: 'Not mine' }
    await expect(
      harness.app
        .clientFor(one.dispatch.taskToken)
        .call('agent', 'POST /runs/:runId/result', { params, body }),
    ).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    const [head, claims] = other.dispatch.taskToken.split('.')
    for (const token of [`${head}.${claims}.${'A'.repeat(43)}`, 'garbage', harness.team.adminToken]) {
      await expect(
        harness.app.clientFor(token).call('agent', 'POST /runs/:runId/result', { params, body }),
      ).rejects.toMatchObject({ status: 401, code: 'INVALID_TOKEN' })
    }
    expect(await harness.state()).toEqual(before)
  })
})

describe('agent.callback.receive', () => {
  it.each([
    ['its own shape', { status: 'success', text: 'A post', usage: { inputTokens: 5, outputTokens: 2 } }],
    [
      'the webhook shape',
      {
        status: 'completed',
        output: 'A post',
        sessionId: null,
        usage: { inputTokens: 5, outputTokens: 2 },
        error: null,
      },
    ],
  ] as const)('accepts a success in %s', async (_, body) => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    expect(await agent.call('POST /callback/:runId', body)).toEqual({ received: true })
    const run = await harness.run(agent.runId)
    expect(run).toMatchObject({ status: 'completed' })
    expect(Number(run.cost_micros)).toBe(15)
    expect(await versions(harness)).toBe(1)
    await expect(agent.deliver('Again')).rejects.toMatchObject({ status: 409, code: 'CONFLICT' })
  })

  it.each([
    ['its own shape', { status: 'error', error: 'No idea' }],
    ['the webhook shape', { status: 'failed', output: null, sessionId: null, usage: null, error: 'No idea' }],
  ] as const)('accepts a failure in %s, with its reason', async (_, body) => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await agent.call('POST /callback/:runId', body)
    expect(await harness.run(agent.runId)).toMatchObject({ status: 'failed', error: 'No idea' })
    expect(await harness.activityOf(agent.runId)).toMatchObject({
      status: 'failed',
      failure_reason: 'No idea',
    })
    expect(await versions(harness)).toBe(0)
  })
})
