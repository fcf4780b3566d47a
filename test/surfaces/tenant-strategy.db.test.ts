import type { ApiError } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../kit/app.ts'
import { changedTables, fingerprint } from '../kit/rows.ts'
import { agentOf, createTestRuntime, type TestRuntime } from '../kit/runtime.ts'

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    (error: ApiError) => ({ status: error.status, code: error.code, field: error.field }),
  )

let app: TestApp
let runtime: TestRuntime

beforeAll(async () => {
  runtime = await createTestRuntime()
  app = await createTestApp({ allowHosts: ['127.0.0.1'] })
})

afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await runtime[Symbol.asyncDispose]()
})

/** A tenant whose strategist and researcher are played by the test. */
async function tenant(): Promise<Team> {
  const team = await app.team()
  const { tenantId, adminId: id } = team
  const actor = { id, type: 'human', role: 'admin', tenantId, appAccess: ['dashboard'] } as const
  for (const role of ['strategist', 'researcher'])
    await app.copydesk.as({ tenantId, actor }).agents.configure(role, {
      adapterType: 'adapter_b',
      adapterConfig: { webhookUrl: runtime.url },
    })
  return team
}

const pending = ({ admin }: Team) =>
  app.until(
    async () =>
      (await admin.call('dashboard', 'GET /approvals', { query: { 'filter.status': 'pending' } })).data[0],
    'an approval is pending',
  )

const decide = (
  { admin }: Team,
  approvalId: string,
  body: { resolution: 'approved' | 'rejected'; note?: string },
) => admin.call('dashboard', 'POST /approvals/:approvalId/resolve', { params: { approvalId }, body })

const nothingMore = { status: 'success', metadata: { nothingToDo: true } } as const

describe('tenant.strategy', () => {
  it('is written, read, kept in versions and put back', async () => {
    const { admin, member, reviewer } = await tenant()
    const none = { content: '', version: 0, updatedOn: null, draft: null }
    expect(await reviewer.call('tenant', 'GET /strategy')).toEqual(none)
    await admin.call('tenant', 'PUT /strategy', { body: { content: 'First' } })
    const second = await admin.call('tenant', 'PUT /strategy', { body: { content: 'Second' } })
    expect(second).toMatchObject({ content: 'Second', version: 2 })
    await admin.call('tenant', 'POST /strategy/versions/:version/restore', { params: { version: '1' } })
    expect(await member.call('tenant', 'GET /strategy')).toMatchObject({ content: 'First', version: 3 })
    const { data } = await member.call('tenant', 'GET /strategy/versions')
    expect(data.map(({ note }) => note)).toEqual(['Version 1 put back', null, null])
    const body = { content: 'By a member' }
    expect(await refusal(member.call('tenant', 'PUT /strategy', { body }))).toMatchObject({ status: 403 })
  })

  it('becomes what the strategist wrote only once that is approved, and agents follow it', async () => {
    const team = await tenant()
    const { admin, member } = team
    await admin.call('tenant', 'PUT /strategy', { body: { content: 'The old way' } })
    await member.call('tenant', 'POST /goals', { body: goal({ title: 'Be known' }) })
    const started = await member.call('tenant', 'POST /strategy/generate', {
      body: { instructions: 'Mind the budget' },
    })
    const again = () => refusal(member.call('tenant', 'POST /strategy/generate', { body: {} }))
    expect(await again()).toMatchObject({ status: 409, code: 'CONFLICT' })
    const writer = agentOf(app, await runtime.next())
    expect(writer.runId).toBe(started.runId)
    const { prompt } = await writer.call('GET /runs/:runId/context')
    for (const words of ['The old way', '- Be known: 10 pieces finished', 'Mind the budget'])
      expect(prompt).toContain(words)
    await writer.deliver('A first try')
    const first = await pending(team)
    expect(first).toMatchObject({ type: 'strategy_change', riskLevel: 'high' })
    const draft = { activityId: started.activityId, status: 'awaiting_approval' }
    expect(await member.call('tenant', 'GET /strategy')).toMatchObject({ content: 'The old way', draft })
    expect(await again()).toMatchObject({ status: 409 })
    await decide(team, first.id, { resolution: 'rejected', note: 'Bolder' })
    await agentOf(app, await runtime.next()).deliver('The bold way')
    expect((await member.call('tenant', 'GET /strategy')).content).toBe('The old way')
    await decide(team, (await pending(team)).id, { resolution: 'approved' })
    await agentOf(app, await runtime.next()).call('POST /runs/:runId/result', nothingMore)
    const adopted = await app.until(async () => {
      const now = await member.call('tenant', 'GET /strategy')
      return now.version === 2 && now
    }, 'the strategy is adopted')
    expect(adopted).toMatchObject({ content: 'The bold way', draft: null })
    const next = await member.call('tenant', 'POST /strategy/generate', { body: {} })
    const told = await agentOf(app, await runtime.next()).call('GET /runs/:runId/context')
    expect(told.activityId).toBe(next.activityId)
    expect(told.prompt).toContain('# The strategy\n\nThe bold way')
  })

  it('is asked for once by many at the same moment', async () => {
    const { admin, member, tenantId } = await tenant()
    const ends = await Promise.all(
      [admin, member, admin, member].map((person) =>
        refusal(person.call('tenant', 'POST /strategy/generate', { body: {} })),
      ),
    )
    expect(ends.filter((end) => end === 'was not refused')).toHaveLength(1)
    const opened = await app.db.sql.all('select id from activities where tenant_id = ?', [tenantId])
    expect(opened).toHaveLength(1)
    await agentOf(app, await runtime.next()).fail('No', { family: 'invalid' })
  })

  it('is not generated where there is no strategist', async () => {
    const { admin, tenantId } = await app.team()
    await app.db.write((tx) =>
      tx.run(`delete from tenant_agents where tenant_id = ? and role = 'strategist'`, [tenantId]),
    )
    const before = await fingerprint(app.db)
    expect(await refusal(admin.call('tenant', 'POST /strategy/generate', { body: {} }))).toMatchObject({
      status: 422,
      code: 'UNPROCESSABLE',
    })
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  })
})

const goal = (changes: object = {}) => ({
  title: 'Pieces',
  metric: 'pieces_finished' as const,
  targetValue: 10,
  periodStart: '2026-01-01',
  periodEnd: '2026-03-31',
  ...changes,
})

describe('tenant.goals', () => {
  it('are set, listed, changed and deleted', async () => {
    const { member, reviewer } = await app.team()
    const one = await member.call('tenant', 'POST /goals', { body: goal({ targetValue: 12.5 }) })
    expect(one).toMatchObject(goal({ targetValue: 12.5 }))
    const two = await member.call('tenant', 'POST /goals', { body: goal({ title: 'Two' }) })
    const page = await reviewer.call('tenant', 'GET /goals', { query: { limit: 1 } })
    expect(page.data).toEqual([two])
    const query = { limit: 1, cursor: page.pagination.nextCursor ?? '' }
    expect((await reviewer.call('tenant', 'GET /goals', { query })).data).toEqual([one])
    const params = { goalId: one.id }
    const changed = await member.call('tenant', 'PATCH /goals/:goalId', {
      params,
      body: { periodEnd: '2026-06-30' },
    })
    expect(changed).toMatchObject({ targetValue: 12.5, periodEnd: '2026-06-30' })
    await member.call('tenant', 'DELETE /goals/:goalId', { params })
    expect(await refusal(member.call('tenant', 'GET /goals/:goalId', { params }))).toMatchObject({
      status: 404,
    })
  })

  it('refuses a metric that is none, a target of nothing, a period that is none, and too many', async () => {
    const { member, tenantId } = await app.team()
    const { id } = await member.call('tenant', 'POST /goals', { body: goal() })
    const before = await fingerprint(app.db)
    const set = (changes: object) =>
      refusal(member.call('tenant', 'POST /goals', { body: goal(changes) as never }))
    const wrong = (field: string) => ({ status: 400, code: 'VALIDATION_ERROR', field })
    expect(await set({ metric: 'happiness' })).toEqual(wrong('metric'))
    expect(await set({ targetValue: 0 })).toEqual(wrong('targetValue'))
    expect(await set({ periodEnd: '2025-12-31' })).toEqual(wrong('periodEnd'))
    expect(await set({ periodEnd: '2028-01-02' })).toEqual(wrong('periodEnd'))
    expect(await set({ periodStart: '2026-02-30' })).toEqual(wrong('periodStart'))
    const change = { params: { goalId: id }, body: { periodStart: '2026-04-01' } }
    expect(await refusal(member.call('tenant', 'PATCH /goals/:goalId', change))).toEqual(wrong('periodEnd'))
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
    const { goals } = app.copydesk.asSystem({ tenantId })
    for (let n = 1; n < 100; n += 1) await goals.create(goal())
    expect(await set({})).toMatchObject({ status: 422 })
  })
})
