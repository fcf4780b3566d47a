import { describe, expect, it } from 'vitest'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'

const versions = (desk: AgentHarness) => desk.count('select count(*) as n from outputs')

describe('a dispatch', () => {
  it('contains what the contract requires, and the secret header that the tenant has set', async () => {
    await using desk = await createAgentHarness()
    const { dispatch } = await desk.order()
    const { headers, ...payload } = dispatch
    expect(payload).toEqual({
      taskId: expect.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
      tenantId: desk.team.tenantId,
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
    expect((await desk.activityOf(dispatch.taskId)).status).toBe('in_progress')
  })
})

describe('agent.runs.result', () => {
  it('stores the text as a version, ends the run and creates the approval', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    expect(await agent.deliver('A post about oats')).toEqual({ received: true, runId: agent.runId })
    expect((await desk.run(agent.runId)).status).toBe('completed')
    const activity = await desk.activityOf(agent.runId)
    expect(activity.status).toBe('awaiting_approval')
    const output = await desk.team.admin.call('dashboard', 'GET /activities/:activityId/output', {
      params: { activityId: activity.id },
    })
    expect(output).toMatchObject({ text: 'A post about oats', version: 1 })
  })

  it('is accepted once: a second one is rejected and changes nothing', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    await agent.deliver('The first')
    const before = await desk.state()
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
    expect(await desk.state()).toEqual(before)
  })

  it('is accepted once under concurrency, over both endpoints', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    const answers = await Promise.allSettled([
      agent.deliver('One'),
      agent.deliver('Two'),
      agent.call('POST /callback/:runId', { status: 'completed', output: 'Three' }),
      agent.fail('Four'),
    ])
    const lost = answers.filter((answer) => answer.status === 'rejected')
    expect(lost.map(({ reason }) => (reason as { code: string }).code)).toEqual(Array(3).fill('CONFLICT'))
    expect(await desk.count(`select count(*) as n from audit_records where action = 'run.result'`)).toBe(1)
    const run = await desk.run(agent.runId)
    expect(await versions(desk)).toBe(run.status === 'completed' ? 1 : 0)
  })

  it('requires a text, or a reason, and a rejection keeps the run active', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    const before = await desk.state()
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
    expect(await desk.state()).toEqual(before)
    await agent.deliver('After all')
    expect((await desk.run(agent.runId)).status).toBe('completed')
  })

  it('may report that there is nothing to do: no version is created', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order('email_newsletter')
    await agent.call('POST /runs/:runId/result', { status: 'success', metadata: { nothingToDo: true } })
    expect((await desk.run(agent.runId)).status).toBe('completed')
    expect((await desk.activityOf(agent.runId)).status).toBe('done')
    expect(await versions(desk)).toBe(0)
    // The step that stood behind it goes on.
    expect((await desk.next()).dispatch.wakeReason).toBe('new_task')
  })

  it('counts tokens and money in integers, on the run and on its activity', async () => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    await agent.deliver('First', { usage: { inputTokens: 1_001, outputTokens: 333 }, durationMs: 1234.6 })
    const run = await desk.run(agent.runId)
    expect([run.input_tokens, run.output_tokens, run.cost_micros, run.duration_ms].map(Number)).toEqual([
      1_001, 333, 2_666, 1_235,
    ])
    const { data } = await desk.team.reviewer.call('dm', 'GET /approvals')
    await desk.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: data[0]?.id ?? '' },
      body: { resolution: 'rejected', note: 'Shorter' },
    })
    const second = await desk.next()
    await second.deliver('Second', { usage: { inputTokens: 7, outputTokens: 1 } })
    const activity = await desk.activityOf(agent.runId)
    expect(Number(activity.cost_micros)).toBe(2_678)
    const shown = await desk.team.admin.call('dashboard', 'GET /activities/:activityId', {
      params: { activityId: activity.id },
    })
    expect(shown.runs.map(({ costUsd }) => costUsd).toSorted((a, b) => a - b)).toEqual([0.000012, 0.002666])
  })

  it('rejects the token of another run, and a forged one', async () => {
    await using desk = await createAgentHarness()
    const one = await desk.order()
    const other = await desk.order()
    const before = await desk.state()
    const params = { runId: other.runId }
    const body = { status: 'success' as const, text: 'Not mine' }
    await expect(
      desk.app.clientFor(one.dispatch.taskToken).call('agent', 'POST /runs/:runId/result', { params, body }),
    ).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    const [head, claims] = other.dispatch.taskToken.split('.')
    for (const token of [`${head}.${claims}.${'A'.repeat(43)}`, 'garbage', desk.team.adminToken]) {
      await expect(
        desk.app.clientFor(token).call('agent', 'POST /runs/:runId/result', { params, body }),
      ).rejects.toMatchObject({ status: 401, code: 'INVALID_TOKEN' })
    }
    expect(await desk.state()).toEqual(before)
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
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    expect(await agent.call('POST /callback/:runId', body)).toEqual({ received: true })
    const run = await desk.run(agent.runId)
    expect(run).toMatchObject({ status: 'completed' })
    expect(Number(run.cost_micros)).toBe(15)
    expect(await versions(desk)).toBe(1)
    await expect(agent.deliver('Again')).rejects.toMatchObject({ status: 409, code: 'CONFLICT' })
  })

  it.each([
    ['its own shape', { status: 'error', error: 'No idea' }],
    ['the webhook shape', { status: 'failed', output: null, sessionId: null, usage: null, error: 'No idea' }],
  ] as const)('accepts a failure in %s, with its reason', async (_, body) => {
    await using desk = await createAgentHarness()
    const agent = await desk.order()
    await agent.call('POST /callback/:runId', body)
    expect(await desk.run(agent.runId)).toMatchObject({ status: 'failed', error: 'No idea' })
    expect(await desk.activityOf(agent.runId)).toMatchObject({ status: 'failed', failure_reason: 'No idea' })
    expect(await versions(desk)).toBe(0)
  })
})
