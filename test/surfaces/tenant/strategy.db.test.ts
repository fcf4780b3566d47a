import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { agentOf, createTestRuntime, type TestRuntime } from '../../kit/runtime.ts'
import { refusal } from '../refusal.ts'

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
  const { tenantId } = team
  for (const role of ['strategist', 'researcher'])
    await app.copydesk.asSystem({ tenantId }).agents.configure(role, {
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

const goal = {
  title: 'Be known',
  metric: 'pieces_finished',
  targetValue: 10,
  periodStart: '2026-01-01',
  periodEnd: '2026-03-31',
} as const

/** A tenant whose admin has written a strategy, and another. */
async function twice(): Promise<Team> {
  const team = await app.team()
  for (const content of ['First', 'Second'])
    await team.admin.call('tenant', 'PUT /strategy', { body: { content } })
  return team
}

const missing = { status: 404, code: 'NOT_FOUND', field: undefined }

describe('tenant.strategy.get', () => {
  it('returns an empty text with version 0 by default, then the active strategy', async () => {
    const { admin, member, reviewer } = await app.team()
    const none = { content: '', version: 0, updatedOn: null, draft: null }
    expect(await reviewer.call('tenant', 'GET /strategy')).toEqual(none)
    const put = await admin.call('tenant', 'PUT /strategy', { body: { content: 'First' } })
    expect(put).toMatchObject({ content: 'First', version: 1, draft: null })
    expect(await member.call('tenant', 'GET /strategy')).toEqual(put)
  })
})

describe('tenant.strategy.put', () => {
  it('stores the strategy as a new version; an equal text is no change', async () => {
    const { admin } = await twice()
    const put = (content: string) => admin.call('tenant', 'PUT /strategy', { body: { content } })
    expect(await put('Third')).toMatchObject({ content: 'Third', version: 3 })
    expect(await put('Third')).toMatchObject({ version: 3 })
  })

  it('rejects everyone but admins, and changes nothing', async () => {
    const { member, reviewer } = await twice()
    const before = await fingerprint(app.db)
    for (const client of [member, reviewer])
      expect(
        await refusal(client.call('tenant', 'PUT /strategy', { body: { content: 'Mine' } })),
      ).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  })
})

describe('tenant.strategy.versions', () => {
  it('lists every version, newest first, with author and restored version', async () => {
    const { admin, reviewer } = await twice()
    await admin.call('tenant', 'POST /strategy/versions/:version/restore', { params: { version: '1' } })
    const { data } = await reviewer.call('tenant', 'GET /strategy/versions')
    expect(data.map(({ version, note, createdBy }) => [version, note, createdBy.name])).toEqual([
      [3, 'Version 1 put back', 'Ada Admin'],
      [2, null, 'Ada Admin'],
      [1, null, 'Ada Admin'],
    ])
  })
})

describe('tenant.strategy.version', () => {
  it('returns an earlier version, and the word-by-word difference from another one', async () => {
    const { reviewer } = await twice()
    const read = (version: string, query: { against?: number } = {}) =>
      reviewer.call('tenant', 'GET /strategy/versions/:version', { params: { version }, query })
    expect(await read('1')).toMatchObject({ version: 1, data: { content: 'First' } })
    expect((await read('2', { against: 1 })).changes).toMatchObject([
      { field: 'content', before: 'First', after: 'Second' },
    ])
    expect(await refusal(read('3'))).toEqual(missing)
    expect(await refusal(read('2', { against: 3 }))).toEqual(missing)
  })
})

describe('tenant.strategy.restore', () => {
  const restore = (client: Client, version: string) =>
    client.call('tenant', 'POST /strategy/versions/:version/restore', { params: { version } })

  it('restores an earlier strategy as a new version', async () => {
    const { admin, member } = await twice()
    const restored = await restore(admin, '1')
    expect(restored).toMatchObject({ content: 'First', version: 3 })
    expect(await member.call('tenant', 'GET /strategy')).toEqual(restored)
  })

  it('rejects everyone but admins and an unknown version, and changes nothing', async () => {
    const { admin, member, reviewer } = await twice()
    const before = await fingerprint(app.db)
    for (const client of [member, reviewer])
      expect(await refusal(restore(client, '1'))).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(await refusal(restore(admin, '3'))).toEqual(missing)
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  })
})

describe('tenant.strategy.generate', () => {
  it('activates the generated strategy once it is approved, and agents use it from then on', async () => {
    const team = await tenant()
    const { admin, member } = team
    await admin.call('tenant', 'PUT /strategy', { body: { content: 'The old way' } })
    await member.call('tenant', 'POST /goals', { body: goal })
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

  it('starts once for concurrent requests', async () => {
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

  it('rejects a tenant without a strategist, and changes nothing', async () => {
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
