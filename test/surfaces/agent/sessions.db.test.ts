import { describe, expect, it } from 'vitest'
import { password } from '../../kit/app.ts'
import { keyClient } from '../../kit/key-client.ts'
import { createAgentHarness } from '../../kit/runtime.ts'

const role = 'social_writer'
const params = { agentRole: role }
const report = (sessionId: string, activityRunId: string, inputTokensSoFar = 10, outputTokensSoFar = 20) => ({
  sessionId,
  activityRunId,
  inputTokensSoFar,
  outputTokensSoFar,
})

describe('agent.sessions.put', () => {
  it('keeps one record per session, updated by the last report', async () => {
    await using harness = await createAgentHarness()
    const { runId } = await harness.order()
    const client = await keyClient(harness.app, harness.team.adminId)
    const none = await client.call('agent', 'GET /sessions/:agentRole/latest', { params })
    expect(none).toEqual({ sessionId: null, inputTokens: 0, outputTokens: 0, createdAt: null })
    for (const tokens of [10, 30]) {
      const body = report('one', runId, tokens, tokens + 1)
      const receipt = await client.call('agent', 'PUT /sessions/:agentRole', { params, body })
      expect(receipt).toEqual({ sessionId: 'one', upserted: true })
    }
    const latest = await client.call('agent', 'GET /sessions/:agentRole/latest', { params })
    expect(latest).toEqual({
      sessionId: 'one',
      inputTokens: 30,
      outputTokens: 31,
      createdAt: expect.any(String),
    })
    expect(await harness.count('select count(*) as n from agent_sessions')).toBe(1)
  })

  it('keeps one record when many reports arrive concurrently', async () => {
    await using harness = await createAgentHarness()
    const { runId } = await harness.order()
    const client = await keyClient(harness.app, harness.team.adminId)
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        client.call('agent', 'PUT /sessions/:agentRole', { params, body: report('one', runId, n) }),
      ),
    )
    expect(await harness.count('select count(*) as n from agent_sessions')).toBe(1)
  })

  it('rejects the run of another tenant, another role and an unknown role, and stores nothing', async () => {
    await using harness = await createAgentHarness()
    const { runId } = await harness.order()
    const neighbour = await harness.app.team()
    const own = await keyClient(harness.app, harness.team.adminId)
    const theirs = await keyClient(harness.app, neighbour.adminId)
    const put = (client: typeof own, agentRole: string) =>
      client.call('agent', 'PUT /sessions/:agentRole', { params: { agentRole }, body: report('one', runId) })
    await expect(put(theirs, role)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
    await expect(put(own, 'analyst')).rejects.toMatchObject({ status: 400, field: 'activityRunId' })
    await expect(put(own, 'nobody')).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
    await expect(
      own.call('agent', 'GET /sessions/:agentRole/latest', { params: { agentRole: 'nobody' } }),
    ).rejects.toMatchObject({ status: 404 })
    expect(await harness.count('select count(*) as n from agent_sessions')).toBe(0)
  })
})

describe('agent.sessions.latest', () => {
  it('uses the tenant of the key; a key with several tenants must name one', async () => {
    await using harness = await createAgentHarness()
    const { runId } = await harness.order()
    const other = await harness.app.team()
    const own = await keyClient(harness.app, harness.team.adminId)
    await own.call('agent', 'PUT /sessions/:agentRole', { params, body: report('one', runId) })
    const { id } = await harness.app.copydesk.asSystem().users.create({
      email: 'both@test.example',
      name: 'Both',
      password,
      role: 'reviewer',
      tenantIds: [harness.team.tenantId, other.tenantId],
    })
    const both = await keyClient(harness.app, id)
    const latest = (tenantId?: string) =>
      both.call('agent', 'GET /sessions/:agentRole/latest', {
        params,
        ...(tenantId && { headers: { 'x-tenant-id': tenantId } }),
      })
    expect((await latest(harness.team.tenantId)).sessionId).toBe('one')
    expect((await latest(other.tenantId)).sessionId).toBeNull()
    await expect(latest()).rejects.toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    const stranger = await harness.app.team()
    await expect(latest(stranger.tenantId)).rejects.toMatchObject({ status: 403 })
  })
})

describe('the session of a dispatch', () => {
  it('is the session reported by the last run of the same activity only', async () => {
    await using harness = await createAgentHarness()
    const first = await harness.order()
    expect(first.dispatch.sessionId).toBeNull()
    const usage = { inputTokens: 100, outputTokens: 50 }
    await first.call('POST /callback/:runId', {
      status: 'completed',
      output: 'A post',
      sessionId: 'talk-1',
      usage,
      error: null,
    })
    const { data } = await harness.team.reviewer.call('dm', 'GET /approvals', {
      query: { 'filter.status': 'pending' },
    })
    await harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: data[0]?.id ?? '' },
      body: { resolution: 'revision_requested', note: 'Shorter' },
    })
    const second = await harness.next()
    expect(second.dispatch.sessionId).toBe('talk-1')
    await second.deliver('Short', { usage, metadata: { sessionId: 'talk-1' } })
    const client = await keyClient(harness.app, harness.team.adminId)
    expect(await client.call('agent', 'GET /sessions/:agentRole/latest', { params })).toMatchObject({
      sessionId: 'talk-1',
      inputTokens: 200,
      outputTokens: 100,
    })
    expect((await harness.order()).dispatch.sessionId).toBeNull()
  })

  it('does not count tokens twice that a runtime has reported itself', async () => {
    await using harness = await createAgentHarness()
    const run = await harness.order()
    const client = await keyClient(harness.app, harness.team.adminId)
    await client.call('agent', 'PUT /sessions/:agentRole', {
      params,
      body: report('talk', run.runId, 100, 50),
    })
    await run.deliver('A post', {
      usage: { inputTokens: 100, outputTokens: 50 },
      metadata: { sessionId: 'talk' },
    })
    expect(await client.call('agent', 'GET /sessions/:agentRole/latest', { params })).toMatchObject({
      inputTokens: 100,
      outputTokens: 50,
    })
  })

  it.each([['a name with spaces'], [''], [7], [null]])(
    'is omitted when the runtime calls it %j in its metadata',
    async (sessionId) => {
      await using harness = await createAgentHarness()
      const run = await harness.order()
      await run.deliver('A post', { metadata: { sessionId } })
      expect(await harness.count('select count(*) as n from agent_sessions')).toBe(0)
      expect((await harness.run(run.runId)).status).toBe('completed')
    },
  )
})
