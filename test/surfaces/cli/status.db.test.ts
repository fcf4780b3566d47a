import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createIds } from '../../../packages/core/src/platform/clock.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'
import { keyClient } from '../../kit/key-client.ts'
import { startCompatible } from '../../kit/model-servers.ts'
import { createOperator } from '../../kit/operator.ts'
import { refusal } from '../refusal.ts'
import { addReviewer } from '../steering.ts'

// 10 April 2026, noon in UTC: in Auckland it is midnight, and the 11th has just begun.
const now = Date.UTC(2026, 3, 10, 12)
const dayMs = 86_400_000

async function setUp(options: Parameters<typeof createTestApp>[0] = {}) {
  const clock = createTestClock(now)
  const app = await createTestApp({ clock, worker: false, ...options })
  const [ours, theirs] = [await app.team('Ours'), await app.team('Theirs')]
  return { app, clock, ours, theirs, insert: createRowInserter(app, clock) }
}

/** A run that was ordered at an instant; an open one is running. */
const addRun = (
  app: TestApp,
  tenantId: string,
  {
    at,
    micros = 0,
    status = 'completed',
    role = 'blog_writer',
  }: { at: number; micros?: number; status?: 'completed' | 'running' | 'pending'; role?: string },
) => {
  const id = createIds(createTestClock(at))()
  return app.db.write((tx) =>
    tx.run(
      `insert into runs (id, tenant_id, activity_id, agent_role, status, open, wake_reason, wake_note, priority, not_before,
         attempt, cancel_requested, input_tokens, output_tokens, cost_micros, priced, created_on)
       values (?, ?, ?, ?, ?, ?, 'new_task', '{}', 0, ?, 1, ?, 10, 5, ?, ?, ?)`,
      [
        id,
        tenantId,
        id,
        role,
        status,
        status !== 'completed',
        new Date(at),
        false,
        micros,
        true,
        new Date(at),
      ],
    ),
  )
}

const inZone = (app: TestApp, tenantId: string, zone: string) =>
  app.db.write((tx) => tx.run('update tenants set timezone = ? where id = ?', [zone, tenantId]))

describe('cli.status', () => {
  it('returns the status of every tenant, those with the most pending approvals first, and totals', async () => {
    const { app, ours, theirs, insert } = await setUp()
    await using _ = app
    const third = await app.team('A third')
    const all = [ours.tenantId, theirs.tenantId, third.tenantId]
    await insert.approval(ours.tenantId, 'Low', 'low', 5)
    await insert.approval(ours.tenantId, 'Low too', 'low', 5)
    await insert.approval(theirs.tenantId, 'High', 'high', 5)
    await insert.approval(third.tenantId, 'Low', 'low', 5)
    await insert.approval(third.tenantId, 'Low too', 'low', 5)
    await insert.blocked(ours.tenantId, 'Blocked', 1)
    await addRun(app, ours.tenantId, { at: now, status: 'running' })
    await addRun(app, ours.tenantId, { at: now, status: 'running' })
    await addRun(app, ours.tenantId, { at: now, status: 'running', role: 'ads_writer', micros: 250_000 })
    await addRun(app, theirs.tenantId, { at: now - dayMs, micros: 100_000 })
    await app.db.write((tx) =>
      tx.run('update tenants set spend_cap_micros = ? where id = ?', [5_000_000, ours.tenantId]),
    )
    const { client } = await addReviewer(app, 'all', all)
    const status = await client.call('cli', 'GET /status', {})
    expect(status.tenants.map(({ tenantName }) => tenantName)).toEqual(['Theirs', 'A third', 'Ours'])
    expect(status.tenants[2]).toEqual({
      tenantId: ours.tenantId,
      tenantName: 'Ours',
      pendingApprovals: 2,
      highRiskApprovals: 0,
      runningAgents: 2,
      blockedActivities: 1,
      costMtd: 0.25,
      creditUsed: 0.25,
      creditLimit: 5,
      costByDay: [...Array.from({ length: 13 }, () => 0), 0.25],
      doneByDay: Array.from({ length: 14 }, () => 0),
    })
    expect(status.tenants[0]).toMatchObject({ highRiskApprovals: 1, creditLimit: null, costMtd: 0.1 })
    expect(status.totals).toEqual({
      pendingApprovals: 5,
      runningAgents: 2,
      blockedActivities: 1,
      costMtd: 0.35,
    })
    expect(status.timestamp).toBe(new Date(now).toISOString())
  })

  it('uses days and months of each tenant’s time zone', async () => {
    const { app, ours, theirs, insert } = await setUp()
    await using _ = app
    await inZone(app, ours.tenantId, 'Pacific/Auckland')
    await inZone(app, theirs.tenantId, 'Asia/Kathmandu')
    for (const { tenantId } of [ours, theirs]) {
      // The last quarter of March and the first of April in UTC, the minute before this noon, and what is too old to be shown.
      await addRun(app, tenantId, { at: Date.UTC(2026, 2, 31, 23, 59), micros: 1_000_000 })
      await addRun(app, tenantId, { at: Date.UTC(2026, 3, 1, 0, 1), micros: 2_000_000 })
      await addRun(app, tenantId, { at: now - 60_000, micros: 4_000_000 })
      await addRun(app, tenantId, { at: now - 15 * dayMs, micros: 8_000_000 })
      await insert.activity(tenantId, 'Done', {
        status: 'done',
        is_final_step: true,
        completed_at: new Date(now - 60_000),
      })
      await insert.activity(tenantId, 'A step', { status: 'done', completed_at: new Date(now) })
      await insert.activity(tenantId, 'Failed', {
        status: 'failed',
        is_final_step: true,
        completed_at: new Date(now),
      })
    }
    const one = async (client: typeof ours.reviewer) =>
      (await client.call('cli', 'GET /status', {})).tenants[0]
    const auckland = await one(ours.reviewer)
    // There March has ended half a day earlier, and today has just begun.
    expect(auckland?.costMtd).toBe(7)
    expect(auckland?.costByDay).toEqual([0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0])
    expect(auckland?.doneByDay).toEqual([...Array.from({ length: 12 }, () => 0), 1, 0])
    const kathmandu = await one(theirs.reviewer)
    expect(kathmandu?.costMtd).toBe(7)
    expect(kathmandu?.costByDay).toEqual([0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 4])
    expect(kathmandu?.doneByDay.at(-1)).toBe(1)
  })

  it('returns every tenant of the caller, and with all=false only those with activity', async () => {
    const { app, ours, theirs, insert } = await setUp()
    await using _ = app
    await insert.blocked(ours.tenantId, 'Blocked', 1)
    const { client } = await addReviewer(app, 'both', [ours.tenantId, theirs.tenantId])
    const { client: operator } = await createOperator(app)
    const names = async (who: typeof client, query: { all?: boolean; tenantId?: string } = {}) =>
      (await who.call('cli', 'GET /status', { query })).tenants.map(({ tenantName }) => tenantName)
    expect(await names(client)).toEqual(['Ours', 'Theirs'])
    expect(await names(client, { all: true })).toEqual(['Ours', 'Theirs'])
    expect(await names(client, { all: false })).toEqual(['Ours'])
    expect(await names(client, { tenantId: theirs.tenantId })).toEqual(['Theirs'])
    expect(await names(operator)).toEqual(['Ours', 'Theirs'])
    expect(await names(operator, { all: false })).toEqual(['Ours'])
    await addRun(app, theirs.tenantId, { at: now - dayMs, micros: 1 })
    expect(await names(client, { all: false })).toEqual(['Ours', 'Theirs'])
  })

  it('counts nothing of tenants that are not assigned', async () => {
    const { app, ours, theirs, insert } = await setUp()
    await using _ = app
    await insert.approval(theirs.tenantId, 'Theirs', 'high', 5)
    await addRun(app, theirs.tenantId, { at: now, micros: 1_000_000, status: 'running' })
    const mine = await ours.reviewer.call('cli', 'GET /status', { query: { all: true } })
    expect(mine.tenants.map(({ tenantId }) => tenantId)).toEqual([ours.tenantId])
    expect(mine.totals).toEqual({ pendingApprovals: 0, runningAgents: 0, blockedActivities: 0, costMtd: 0 })
    const ask = (tenantId: string) =>
      refusal(ours.reviewer.call('cli', 'GET /status', { query: { tenantId } }))
    expect(await ask(theirs.tenantId)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    const both = await addReviewer(app, 'both', [ours.tenantId, theirs.tenantId])
    const narrow = await keyClient(app, both.id, { tenantIds: [theirs.tenantId] })
    const seen = await narrow.call('cli', 'GET /status', { query: { all: true } })
    expect(seen.tenants.map(({ tenantId }) => tenantId)).toEqual([theirs.tenantId])
    const nobody = await addReviewer(app, 'nobody', [])
    expect((await nobody.client.call('cli', 'GET /status', { query: { all: true } })).tenants).toEqual([])
  })

  it('reports health and latency of each dependency, and the number of queued jobs', async () => {
    const { app, clock, ours, theirs } = await setUp()
    await using _ = app
    const infrastructure = async () => (await ours.reviewer.call('cli', 'GET /status', {})).infrastructure
    const well = { status: 'healthy', latencyMs: 0, detail: null }
    expect(await infrastructure()).toEqual([
      { service: 'relational_store', ...well },
      { service: 'document_store', ...well },
      { service: 'cache', ...well },
      { service: 'vector_store', ...well },
      { service: 'local_model', status: 'healthy', latencyMs: null, detail: 'not configured' },
      { service: 'queue', status: 'healthy', latencyMs: null, detail: 'nothing waits' },
    ])
    await addRun(app, ours.tenantId, { at: now, status: 'pending' })
    await addRun(app, theirs.tenantId, { at: now - 60 * 60_000, status: 'pending' })
    clock.advance(90_000)
    expect((await infrastructure()).at(-1)).toMatchObject({
      status: 'healthy',
      detail: '1 run waits, the oldest for 90 s',
    })
    clock.advance(9 * 60_000)
    expect((await infrastructure()).at(-1)).toMatchObject({ status: 'degraded' })
    await app.db.write((tx) =>
      tx.run(`update tenant_agents set status = 'paused' where tenant_id = ?`, [ours.tenantId]),
    )
    expect((await infrastructure()).at(-1)).toMatchObject({ status: 'healthy', detail: 'nothing waits' })
  })

  it('reports an unusable data folder and a local model server that does not respond', async () => {
    const server = await startCompatible([], { models: ['llama3'] })
    const providers = [{ id: 'local', type: 'local' as const, baseUrl: server.url, models: ['llama3'] }]
    const { app, clock, ours } = await setUp({ allowErrors: true, allowHosts: ['127.0.0.1'], providers })
    await using _ = app
    const answers = async () => {
      const { infrastructure } = await ours.reviewer.call('cli', 'GET /status', {})
      return Object.fromEntries(infrastructure.map(({ service, status }) => [service, status]))
    }
    expect(await answers()).toMatchObject({ document_store: 'healthy', local_model: 'healthy' })
    await server[Symbol.asyncDispose]()
    await rm(join(app.options.dataDir, 'blobs'), { recursive: true })
    await writeFile(join(app.options.dataDir, 'blobs'), 'in the way')
    expect(await answers()).toMatchObject({ document_store: 'healthy', local_model: 'healthy' })
    // Until then an answer is good for everyone who asks.
    clock.advance(10_000)
    expect(await answers()).toMatchObject({
      relational_store: 'healthy',
      document_store: 'down',
      local_model: 'down',
    })
  })
})
