import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { neighbourOf } from '../../domain/agent-harness.ts'
import type { Team } from '../../kit/app.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { addReviewer, steer } from '../steering.ts'

let harness: AgentHarness
let theirs: Team
let both: Client
let agent: Agent
let ourId: string
let theirId: string

beforeAll(async () => {
  harness = await createAgentHarness()
  const neighbour = await neighbourOf(harness)
  theirs = neighbour
  both = (await addReviewer(harness.app, 'both', [harness.team.tenantId, theirs.tenantId])).client
  agent = await harness.order('email_newsletter')
  ourId = (await harness.activityOf(agent.runId)).id
  theirId = (await harness.activityOf((await neighbour.order()).runId)).id
})
afterAll(() => harness[Symbol.asyncDispose]())

type Query = NonNullable<Parameters<typeof list>[1]>
const list = (client: Client, query: Record<string, string | number> = {}) =>
  client.call('dm', 'GET /activities', { query: query as never })

async function paged(client: Client, query: Query = {}) {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof list>> = await list(client, {
      ...query,
      limit: 1,
      ...(cursor && { cursor }),
    })
    ids.push(...page.data.map(({ id }) => id))
    cursor = page.pagination.nextCursor
  } while (cursor)
  return ids
}

describe('dm.activities.list', () => {
  it('lists the activities of all assigned tenants with their tenant, or of the named tenant', async () => {
    const { data } = await list(both)
    const names = new Map(data.map(({ id, tenantId, tenantName }) => [id, `${tenantId} ${tenantName}`]))
    expect(names.get(ourId)).toBe(`${harness.team.tenantId} Tenant 1`)
    expect(names.get(theirId)).toBe(`${theirs.tenantId} Tenant 2`)
    const ours = await list(harness.team.reviewer)
    expect(ours.data).toEqual(data.filter(({ tenantId }) => tenantId === harness.team.tenantId))
    expect(await list(both, { tenantId: harness.team.tenantId })).toEqual(ours)
    await expect(list(harness.team.reviewer, { tenantId: theirs.tenantId })).rejects.toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
    })
  })

  it('returns every activity once, page by page, in both orders', async () => {
    const { data } = await list(both)
    const ids = data.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted().toReversed())
    expect(await paged(both)).toEqual(ids)
    expect(await paged(both, { order: 'asc' })).toEqual(ids.toReversed())
    await expect(list(both, { cursor: 'nonsense' })).rejects.toMatchObject({ status: 400, field: 'cursor' })
  })

  it('filters by status, role and type', async () => {
    const { data } = await list(both)
    for (const [name, field] of [
      ['filter.status', 'status'],
      ['filter.agentRole', 'agentRole'],
      ['filter.type', 'type'],
    ] as const)
      for (const value of new Set(data.map((item) => item[field] as string)))
        expect(await paged(both, { [name]: value }), `${name} ${value}`).toEqual(
          data.filter((item) => item[field] === value).map(({ id }) => id),
        )
    for (const name of ['filter.status', 'filter.type'])
      await expect(list(both, { [name]: 'nonsense' })).rejects.toMatchObject({ status: 400, field: name })
  })

  it('returns all tenants to a super-admin', async () => {
    const superAdmin = {
      id: harness.team.adminId,
      type: 'human',
      role: 'super_admin',
      appAccess: ['dm-portal'],
    } as const
    const seen = await harness.app.copydesk.as(superAdmin).call('dm.activities.list')
    const ids = (items: Array<{ id: string }>) => items.map(({ id }) => id)
    expect(ids(seen.data)).toEqual(ids((await list(both)).data))
  })

  it('reads the newest of each tenant by its index, whatever their number', async () => {
    if (harness.app.db.dialect !== 'sqlite') return
    const plan = await harness.app.db.sql.all<{ detail: string }>(
      `explain query plan select a.id from activities a where a.tenant_id = ? and a.agent_role = ? order by a.id desc limit 26`,
      [harness.team.tenantId, 'social_writer'],
    )
    expect(plan.map(({ detail }) => detail).join()).toMatch(/USING (COVERING )?INDEX activities_by_role/)
  })
})

describe('dm.activities.get', () => {
  it('returns ended runs and the active one beside them, on every surface', async () => {
    const social = await harness.order('social_post')
    const { id } = await harness.activityOf(social.runId)
    const seen = async () => {
      const { runs, currentRun } = await steer(harness.team.reviewer, id).see()
      const others = [
        await harness.team.member.call('dashboard', 'GET /activities/:activityId', {
          params: { activityId: id },
        }),
        await harness.team.reviewer.call('cli', 'GET /activities/:id', { params: { id } }),
      ]
      for (const other of others)
        expect({ runs: other.runs, currentRun: other.currentRun }).toEqual({ runs, currentRun })
      return { runs, currentRun }
    }
    const { started_at: startedAt } = await harness.run(social.runId)
    const began = new Date(startedAt as string | number).toISOString()
    expect(await seen()).toEqual({ runs: [], currentRun: { id: social.runId, startedAt: began } })
    await social.deliver('A post')
    const { runs, currentRun } = await seen()
    expect(currentRun).toBeUndefined()
    expect(runs).toMatchObject([
      { id: social.runId, status: 'completed', startedAt: began, durationMs: expect.any(Number) },
    ])
  })

  it('returns what the dashboard returns, with the tenant and the possible actions', async () => {
    const { tenantId, tenantName, canIntervene, ...rest } = await steer(both, ourId).see()
    expect({ tenantId, tenantName, canIntervene }).toEqual({
      tenantId: harness.team.tenantId,
      tenantName: 'Tenant 1',
      canIntervene: true,
    })
    const params = { activityId: ourId }
    expect(rest).toEqual(
      await harness.team.member.call('dashboard', 'GET /activities/:activityId', { params }),
    )
    await expect(steer(harness.team.reviewer, theirId).see()).rejects.toMatchObject({ status: 404 })
  })

  it('allows a retry of a failed activity, and no action on a completed one', async () => {
    const piece = await harness.order()
    const it = steer(harness.team.reviewer, (await harness.activityOf(piece.runId)).id)
    await piece.fail('No', { family: 'refusal' })
    expect(await it.see()).toMatchObject({ status: 'failed', canIntervene: true })
    const { runId } = await it.retry()
    const again = await harness.next()
    expect(again.runId).toBe(runId)
    await again.deliver('A post')
    const approvalId = (await it.see()).approval?.id ?? ''
    await harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId },
      body: { resolution: 'approved' },
    })
    await (await harness.next()).call('POST /runs/:runId/result', {
      status: 'success',
      metadata: { nothingToDo: true },
    })
    expect(await it.see()).toMatchObject({ status: 'done', canIntervene: false })
  })
})

describe('dm.activities.log', () => {
  it('returns events, oldest first and page by page, to callers with access', async () => {
    const params = { activityId: ourId }
    const { data, pagination } = await steer(both, ourId).log()
    expect(pagination).toEqual({ hasMore: false, nextCursor: null })
    expect(data[0]).toMatchObject({ kind: 'status', message: 'Created', data: { to: 'created' } })
    expect(data.map(({ message }) => message)).toContainEqual(expect.stringContaining('is running'))
    expect(data.find(({ kind }) => kind === 'run')).toMatchObject({ runId: agent.runId })
    const pages: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Awaited<ReturnType<ReturnType<typeof steer>['log']>> = await both.call(
        'dm',
        'GET /activities/:activityId/log',
        { params, query: { limit: 2, ...(cursor && { cursor }) } },
      )
      pages.push(...page.data.map(({ id }) => id))
      cursor = page.pagination.nextCursor
    }
    expect(pages).toEqual(data.map(({ id }) => id))
    await expect(steer(harness.team.reviewer, theirId).log()).rejects.toMatchObject({ status: 404 })
  })
})

describe('dm.activities.comment', () => {
  it('is visible on the dashboard to the team, and to no other tenant', async () => {
    const params = { activityId: ourId }
    const made = await both.call('dm', 'POST /activities/:activityId/comments', {
      params,
      body: { text: `For @human:${harness.team.adminId} and @human:${theirs.adminId}` },
    })
    expect(made).toMatchObject({
      type: 'comment',
      author: { name: 'both', type: 'human' },
      mentions: [{ type: 'human', id: harness.team.adminId, name: 'Ada Admin' }],
    })
    const seen = await harness.team.member.call('dashboard', 'GET /activities/:activityId/comments', {
      params,
    })
    expect(seen.data).toEqual([made])
    expect(await both.call('dm', 'GET /activities/:activityId/comments', { params })).toEqual(seen)
    const foreign = { params: { activityId: theirId } }
    await expect(
      harness.team.reviewer.call('dm', 'GET /activities/:activityId/comments', foreign),
    ).rejects.toMatchObject({ status: 404 })
  })
})
