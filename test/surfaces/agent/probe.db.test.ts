import type { Client } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { keyClient } from '../../kit/key-client.ts'
import { type AgentHarness, agentOf, createAgentHarness, pricedModel } from '../../kit/runtime.ts'
import { addSuperAdmin } from '../../kit/seeded-work.ts'
import { readStream } from '../../kit/sse.ts'

const params = { agentRole: 'social_writer' }
const probe = (client: Client) => client.call('agent', 'POST /health/:agentRole/test', { params })

/** An active probe of a harness whose runtimes are played by the test. */
async function begin(harness: AgentHarness) {
  const client = await keyClient(harness.app, harness.team.adminId)
  const answer = probe(client)
  return { answer, run: agentOf(harness.app, await harness.runtime.next()) }
}

/** A run as operators see it. */
async function operatorOf(app: TestApp, runId: string) {
  const { operator } = await addSuperAdmin(app)
  return operator.call('admin', 'GET /runs/:runId', { params: { runId } })
}

/** What people of a tenant can see of its work. */
async function seen(app: TestApp, { admin, tenantId }: Team) {
  const [activities, events, outputs, notes] = await Promise.all([
    admin.call('dashboard', 'GET /activities'),
    app.db.sql.all(`select * from event where tenant_id = ? and type not like 'run_%'`, [tenantId]),
    app.db.sql.all('select * from outputs'),
    app.db.sql.all('select * from notifications'),
  ])
  return { activities, events, outputs, notes }
}

describe('agent.health.test', () => {
  it('uses the built-in loop and returns the model’s text', async () => {
    await using app = await createTestApp({ writerPaceMs: 0 })
    const team = await app.team()
    const before = await seen(app, team)
    const answer = await probe(await keyClient(app, team.adminId))
    expect(answer).toMatchObject({ ok: true, durationMs: expect.any(Number), runId: expect.any(String) })
    expect(answer.probeOutput).toMatch(/\w/)
    expect(await seen(app, team)).toEqual(before)
  })

  it('uses an external runtime and its callback, records the cost, and creates no activity', async () => {
    await using harness = await createAgentHarness()
    const { app, team } = harness
    const before = await seen(app, team)
    const live = await app.fetch('/dashboard/v1/events/stream', {
      headers: { authorization: `Bearer ${team.adminToken}` },
    })
    const { answer, run } = await begin(harness)
    expect(run.dispatch).toMatchObject({ agentRole: 'social_writer', wakeReason: 'manual', sessionId: null })
    expect(run.dispatch.headers['x-runtime-key']).toBe('the secret')
    const context = await run.call('GET /runs/:runId/context')
    expect(context).toMatchObject({ runId: run.runId, prompt: run.dispatch.prompt, model: pricedModel })
    expect((await run.call('GET /runs/:runId/status')).status).toBe('running')
    expect((await run.call('POST /runs/:runId/heartbeat')).cancel).toBe(false)
    const told = readStream(
      await app.fetch(`/agent/v1/callback/${run.runId}/stream`, {
        headers: { authorization: `Bearer ${run.dispatch.taskToken}` },
      }),
    )
    await run.call('POST /runs/:runId/stream', { delta: 'It works', sequenceNum: 0 })
    await run.call('POST /runs/:runId/tool-call', {
      toolName: 'look_up',
      method: 'call',
      input: {},
      status: 'success',
      durationMs: 1,
      costUsd: 0.25,
    })
    await run.call('POST /callback/:runId', {
      status: 'completed',
      output: 'It works',
      sessionId: 'probe-talk',
      usage: { inputTokens: 10, outputTokens: 2 },
      error: null,
    })
    expect(await answer).toMatchObject({ ok: true, probeOutput: 'It works', runId: run.runId })
    expect((await told).map(({ event }) => event)).toEqual(['text_delta', 'completed'])
    expect(await harness.run(run.runId)).toMatchObject({ status: 'completed', purpose: 'probe' })
    expect(Number((await harness.run(run.runId))['cost_micros'])).toBe(250_000 + 10 + 2 * 5)
    expect(await seen(app, team)).toEqual(before)
    expect(await harness.count('select count(*) as n from agent_sessions')).toBe(0)
    const shown = await operatorOf(app, run.runId)
    expect(shown).toMatchObject({ status: 'completed', inputSummary: run.dispatch.prompt })
    expect(shown.transcript?.map(({ type }) => type)).toContain('assistant')
    // A later event of the tenant is all that its people hear of.
    await team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const heard = await readStream(live, ({ event }) => event === 'activity_started')
    expect(heard.map(({ event }) => event)).not.toContain('text_delta')
  })

  it('rejects actions of the runtime that would change activities', async () => {
    await using harness = await createAgentHarness()
    const { answer, run } = await begin(harness)
    const before = await harness.state()
    const refused = { status: 422, code: 'UNPROCESSABLE' }
    const act = run.call
    await expect(act('POST /runs/:runId/actions/add-comment', { text: 'Hello' })).rejects.toMatchObject(
      refused,
    )
    await expect(
      act('POST /runs/:runId/actions/create-subtask', { title: 'a', agentRole: 'analyst', prompt: 'b' }),
    ).rejects.toMatchObject(refused)
    await expect(
      act('POST /runs/:runId/actions/request-review', { title: 'a', description: 'b' }),
    ).rejects.toMatchObject(refused)
    await expect(
      act('POST /runs/:runId/actions/create-approval', { title: 'a', type: 'channel_action' }),
    ).rejects.toMatchObject(refused)
    await expect(
      act('POST /runs/:runId/actions/reassign', { toRole: 'analyst', reason: 'b' }),
    ).rejects.toMatchObject(refused)
    await expect(
      act('POST /runs/:runId/actions/report-blocker', {
        blockerType: 'insufficient_data',
        description: 'b',
      }),
    ).rejects.toMatchObject(refused)
    expect(await harness.state()).toEqual(before)
    await run.deliver('Fine')
    expect((await answer).ok).toBe(true)
    await expect(run.deliver('Twice')).rejects.toMatchObject({ status: 409, code: 'CONFLICT' })
  })

  it('returns the error, does not retry, and does not set the agent to error', async () => {
    await using harness = await createAgentHarness()
    const { answer, run } = await begin(harness)
    await run.fail('The model refuses the key', { family: 'auth' })
    expect(await answer).toMatchObject({ ok: false, error: 'The model refuses the key', runId: run.runId })
    expect(await harness.count('select count(*) as n from runs')).toBe(1)
    expect(await harness.count(`select count(*) as n from tenant_agents where status = 'error'`)).toBe(0)
  })

  it('reports that the runtime rejected the dispatch', async () => {
    await using harness = await createAgentHarness({ answer: () => 401 })
    const client = await keyClient(harness.app, harness.team.adminId)
    expect(await probe(client)).toMatchObject({
      ok: false,
      error: 'The runtime refused the dispatch with 401',
    })
  })

  it('times out after a minute, and rejects later results', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const { answer, run } = await begin(harness)
    await harness.app.until(
      async () => (await harness.run(run.runId))['lease_owner'] === null,
      'the run is left to the runtime',
    )
    clock.advance(60_000)
    expect(await answer).toMatchObject({ ok: false, error: 'No result came within 60 seconds' })
    expect((await harness.run(run.runId)).status).toBe('timeout')
    await expect(run.deliver('Late')).rejects.toMatchObject({ status: 401 })
  })

  it('says that the server is stopped, also while the runtime takes its time to answer', async () => {
    const arrived = Promise.withResolvers<string>()
    const answerNever = ({ taskId }: { taskId: string }) => {
      arrived.resolve(taskId)
      return new Promise<number>(() => undefined)
    }
    await using harness = await createAgentHarness({ answer: answerNever })
    const answer = probe(await keyClient(harness.app, harness.team.adminId))
    const runId = await arrived.promise
    const stopped = harness.app.copydesk.stop()
    expect(await answer).toMatchObject({ ok: false, error: expect.stringContaining('being stopped'), runId })
    await stopped
    expect((await harness.run(runId))['error']).toContain('being stopped')
  })

  it('does not delay the shutdown of the server', async () => {
    await using harness = await createAgentHarness()
    const { answer, run } = await begin(harness)
    const stopped = harness.app.copydesk.stop()
    expect(await answer).toMatchObject({ ok: false, error: expect.stringContaining('being stopped') })
    await stopped
    expect(await harness.run(run.runId)).toMatchObject({ status: 'failed', error_family: 'transient' })
  })

  it('does not start when the monthly budget is spent', async () => {
    await using harness = await createAgentHarness()
    const { app, team } = harness
    await app.db.write((tx) =>
      tx.run('update tenants set spend_cap_micros = 0 where id = ?', [team.tenantId]),
    )
    const answer = await probe(await keyClient(app, team.adminId))
    expect(answer).toMatchObject({ ok: false, durationMs: 0 })
    expect(answer.error).toMatch(/has reached its monthly cap of \$0/)
    expect(await harness.count('select count(*) as n from runs')).toBe(0)
  })

  it('also tests a paused agent, in parallel to its runs', async () => {
    await using harness = await createAgentHarness()
    await harness.configure({ concurrency: 1 })
    const { answer, run } = await begin(harness)
    const work = await harness.order()
    expect(work.runId).not.toBe(run.runId)
    await run.deliver('Fine')
    expect((await answer).ok).toBe(true)
    await harness.app.db.write((tx) => tx.run(`update tenant_agents set status = 'paused'`))
    const again = await begin(harness)
    await again.run.deliver('Fine')
    expect((await again.answer).ok).toBe(true)
  })

  it('is ended by another process when the waiting process was killed', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const client = await keyClient(harness.app, harness.team.adminId)
    void probe(client).catch(() => undefined)
    const run = agentOf(harness.app, await harness.runtime.next())
    const isTaken = async () => (await harness.run(run.runId))['lease_owner'] === null
    await harness.app.until(isTaken, 'the run is left to the runtime')
    await harness.app.db.write((tx) =>
      tx.run('update runs set lease_owner = ?, lease_until = ? where id = ?', [
        'gone:1:x',
        clock.date(),
        run.runId,
      ]),
    )
    await harness.app.until(async () => {
      clock.advance(1_000)
      return (await harness.run(run.runId)).status === 'failed'
    }, 'the probe is ended')
    expect(await harness.run(run.runId)).toMatchObject({ error: 'The process that ran it died' })
  })

  it('rejects a role that is not enabled, and requires a tenant when there are several', async () => {
    await using harness = await createAgentHarness()
    const own = await keyClient(harness.app, harness.team.adminId)
    await expect(
      own.call('agent', 'POST /health/:agentRole/test', { params: { agentRole: 'nobody' } }),
    ).rejects.toMatchObject({ status: 404 })
    const other = await harness.app.team()
    await harness.app.copydesk.asSystem().users.assign(harness.team.reviewerId, other.tenantId)
    const wide = await keyClient(harness.app, harness.team.reviewerId)
    await expect(probe(wide)).rejects.toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect(await harness.count('select count(*) as n from runs')).toBe(0)
  })
})

describe('agent.health.check', () => {
  it('returns the result of the check, for the tenant of the key', async () => {
    await using harness = await createAgentHarness()
    const client = await keyClient(harness.app, harness.team.adminId)
    const check = (agentRole: string) =>
      client.call('agent', 'GET /health/:agentRole', { params: { agentRole } })
    const health = await check('social_writer')
    expect(health).toMatchObject({
      agentRole: 'social_writer',
      adapterType: 'adapter_b',
      ok: true,
      checkedAt: expect.any(String),
    })
    expect(health.checks.every(({ ok }) => ok)).toBe(true)
    await harness.configure({ adapterType: 'local' }, ['social_writer'])
    expect(await check('social_writer')).toMatchObject({ adapterType: 'local' })
    await expect(check('nobody')).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  it('reports errors first', async () => {
    await using harness = await createAgentHarness()
    await harness.configure({ adapterConfig: { webhookUrl: 'http://127.0.0.1:1/', authValue: 'x' } }, [
      'social_writer',
    ])
    const client = await keyClient(harness.app, harness.team.adminId)
    const health = await client.call('agent', 'GET /health/:agentRole', { params })
    expect(health.ok).toBe(false)
    expect(health.message).toMatch(/cannot work: /)
  })
})
