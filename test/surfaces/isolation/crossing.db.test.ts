import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { entities } from '../../../packages/core/src/composition/entities.ts'
import { contents } from '../../domain/contents.ts'
import { password } from '../../kit/app.ts'
import { type Owners, ownersOf } from '../../kit/isolation-owners.ts'
import { type ComparedTenant, createTwoTenants, type TwoTenants } from '../../kit/two-tenants.ts'

/** People and texts that touch more than one tenant. */

const tables = entities.map((entity) => entity.meta.tableName)

let two: TwoTenants
let a: ComparedTenant
let b: ComparedTenant
/** Someone of neither, and a reviewer of both. */
let strangerId: string
let both: Client
let bothId: string
let bothToken: string
let owners: Owners

beforeAll(async () => {
  two = await createTwoTenants()
  a = await two.twin('aardvark')
  b = await two.twin('bumblebee')
  const system = two.app.copydesk.asSystem()
  strangerId = (await two.app.team()).tenantId
  const email = 'both@test.example'
  const tenantIds = [a.tenantId, b.tenantId]
  bothId = (await system.users.create({ email, name: 'Bo Both', password, role: 'reviewer', tenantIds })).id
  const body = { email, password, app: 'dm-portal' as const }
  bothToken = (await two.app.clientFor().call('auth', 'POST /login', { body })).accessToken
  both = two.app.clientFor(bothToken)
  owners = await ownersOf(two)
})

afterAll(() => two[Symbol.asyncDispose]())

async function listed(client: Client, query: { tenantId?: string; cursor?: string } = {}) {
  const seen: Array<{ id: string; tenantId: string }> = []
  let cursor: string | null | undefined
  do {
    const page = await client.call('dm', 'GET /approvals', {
      query: { limit: 2, ...query, ...(cursor && { cursor }) },
    })
    seen.push(...page.data)
    cursor = page.pagination.nextCursor
  } while (cursor)
  return seen
}

const tenantsIn = (items: Array<{ tenantId: string }>) =>
  [...new Set(items.map((item) => item.tenantId))].toSorted()

describe('a reviewer', () => {
  it('of both tenants sees both, page by page, and one when it is named', async () => {
    const everything = await listed(both)
    expect(tenantsIn(everything)).toEqual([a.tenantId, b.tenantId])
    for (const twin of [a, b]) {
      const own = await listed(both, { tenantId: twin.tenantId })
      expect(tenantsIn(own)).toEqual([twin.tenantId])
      expect(own).toEqual(everything.filter(({ tenantId }) => tenantId === twin.tenantId))
      expect(own).toEqual(await listed(twin.reviewer))
    }
  })

  it('of both does not find rows outside of the named tenant', async () => {
    const before = await contents(two.app, tables)
    const path = `/dm/v1/approvals/${b.ids['approvalId']}`
    const call = (query: string, init: RequestInit = {}) =>
      two.app.fetch(`${path}${query}`, {
        ...init,
        headers: { authorization: `Bearer ${bothToken}`, 'content-type': 'application/json' },
      })
    expect((await call('')).status).toBe(200)
    expect((await call(`?tenantId=${b.tenantId}`)).status).toBe(200)
    expect((await call(`?tenantId=${a.tenantId}`)).status).toBe(404)
    expect((await call(`?tenantId=${strangerId}`)).status).toBe(403)
    expect((await call(`?%74enantId=${strangerId}`)).status).toBe(403)
    expect((await call('?tenantId=')).status).toBe(403)
    expect((await call(`?tenantId=${a.tenantId}&tenantId=${b.tenantId}`)).status).toBe(400)
    const verdict = { method: 'POST', body: JSON.stringify({ resolution: 'rejected', note: 'No' }) }
    const resolve = await two.app.fetch(`${path}/resolve?tenantId=${a.tenantId}`, {
      ...verdict,
      headers: { authorization: `Bearer ${bothToken}`, 'content-type': 'application/json' },
    })
    expect(resolve.status).toBe(404)
    expect(await contents(two.app, tables)).toEqual(before)
  })

  it('of one sees nothing of the other, and loses access when the assignment ends', async () => {
    const text = JSON.stringify(await listed(a.reviewer))
    expect(owners.strangersIn(text, [a.tenantId])).toEqual([])
    expect(tenantsIn(await listed(a.reviewer))).toEqual([a.tenantId])
    const assignment = [bothId, b.tenantId]
    await two.app.db.write((tx) =>
      tx.run('delete from tenant_assignments where user_id = ? and tenant_id = ?', assignment),
    )
    expect(tenantsIn(await listed(both))).toEqual([a.tenantId])
    await expect(listed(both, { tenantId: b.tenantId })).rejects.toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
    })
    await expect(
      both.call('dm', 'GET /approvals/:approvalId', { params: { approvalId: b.ids['approvalId'] ?? '' } }),
    ).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
    await two.app.copydesk.asSystem().users.assign(bothId, b.tenantId)
  })

  it('of both gives a verdict in the tenant of its approval, and changes nothing in the other', async () => {
    const rowsOf = async ({ tenantId }: ComparedTenant) => {
      const all = Object.entries(await contents(two.app, tables))
      return all.map(([table, rows]) => [
        table,
        (rows as Array<{ tenant_id?: string }>).filter((row) => row.tenant_id === tenantId),
      ])
    }
    const before = await rowsOf(b)
    const from = (await two.app.db.sql.get<{ seq: number }>('select max(seq) as seq from event'))?.seq ?? 0
    await both.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: a.ids['approvalId'] ?? '' },
      body: { resolution: 'rejected', note: 'Too many ants' },
    })
    expect(await rowsOf(b)).toEqual(before)
    const events = await two.app.db.sql.all('select tenant_id, type from event where seq > ?', [from])
    expect(events).toContainEqual({ tenant_id: a.tenantId, type: 'approval_resolved' })
    const records = await two.app.db.sql.all(
      `select * from audit_records where actor_id = ? and action <> 'auth.login'`,
      [bothId],
    )
    expect(records.map((row) => (row as { tenant_id: string | null }).tenant_id)).toEqual([a.tenantId])
  })
})

describe('a text that mentions another tenant', () => {
  it('has no effect there: no notification, no wake, not even a name', async () => {
    const inbox = () => two.app.db.sql.all('select * from notifications where tenant_id = ?', [a.tenantId])
    const wakes = 'select id, wake_reason, wake_note, next_wake from runs where tenant_id = ? order by id'
    const runs = () => two.app.db.sql.all(wakes, [a.tenantId])
    const before = [await inbox(), await runs()]
    const text = `@human:${a.adminId} @human:${a.reviewerId} @agent:social_writer @human:${b.adminId}`
    const byMember = await b.member.call('dashboard', 'POST /activities/:activityId/comments', {
      params: { activityId: b.openActivityId },
      body: { text },
    })
    expect(byMember.mentions.map(({ id }) => id)).toEqual(['social_writer', b.adminId])
    await b.agent.call('POST /runs/:runId/actions/add-comment', { text })
    expect([await inbox(), await runs()]).toEqual(before)
  })
})

describe('the same request', () => {
  it('of two tenants with the same Idempotency-Key is executed twice, with separate responses', async () => {
    const create = async (twin: ComparedTenant) => {
      const response = await two.app.fetch('/dashboard/v1/campaigns', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${twin.adminToken}`,
          'content-type': 'application/json',
          'idempotency-key': 'the-same-for-both',
        },
        body: JSON.stringify({
          name: 'Same',
          brief: 'Same',
          deliverables: [{ type: 'social_post', quantity: 1 }],
          startDate: '2030-01-01',
        }),
      })
      expect(response.status).toBe(201)
      return { ...(await response.json()), replayed: response.headers.get('idempotent-replayed') }
    }
    const [first, second, again] = [await create(a), await create(b), await create(a)]
    expect(second).toMatchObject({ replayed: null })
    expect(second.id).not.toBe(first.id)
    expect(again).toMatchObject({ id: first.id, replayed: 'true' })
    const campaigns = await two.app.db.sql.all(`select tenant_id, id from campaigns where name = 'Same'`)
    expect(campaigns).toHaveLength(2)
    expect(campaigns).toContainEqual({ tenant_id: a.tenantId, id: first.id })
    expect(campaigns).toContainEqual({ tenant_id: b.tenantId, id: second.id })
  })
})
