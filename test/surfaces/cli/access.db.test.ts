import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIds } from '../../../packages/core/src/platform/clock.ts'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { keyClient } from '../../kit/key-client.ts'
import { createOperator, type Operator } from '../../kit/operator.ts'
import { refusal } from '../refusal.ts'
import { addReviewer } from '../steering.ts'

/** What the terminal asks in the words of operators shows reviewers no more than they are assigned to. */

let app: TestApp
let clock: TestClock
let ours: Team
let theirs: Team
let operator: Operator
let both: Awaited<ReturnType<typeof addReviewer>>
let narrow: Client

beforeAll(async () => {
  clock = createTestClock()
  app = await createTestApp({ clock, worker: false })
  ours = await app.team('Ours')
  theirs = await app.team('Theirs')
  operator = await createOperator(app)
  both = await addReviewer(app, 'both', [ours.tenantId, theirs.tenantId])
  narrow = await keyClient(app, both.id, { tenantIds: [theirs.tenantId] })
  await spend(ours.tenantId, 1_000_000)
  await spend(theirs.tenantId, 2_000_000)
})

afterAll(() => app[Symbol.asyncDispose]())

function spend(tenantId: string, micros: number) {
  const at = new Date(clock.now() - 60_000)
  const id = createIds(createTestClock(at.getTime()))()
  return app.db.write((tx) =>
    tx.run(
      `insert into runs (id, tenant_id, activity_id, agent_role, status, open, wake_reason, wake_note, priority, not_before,
         attempt, cancel_requested, input_tokens, output_tokens, cost_micros, priced, created_on)
       values (?, ?, ?, 'blog_writer', 'completed', ?, 'new_task', '{}', 0, ?, 1, ?, 10, 5, ?, ?, ?)`,
      [id, tenantId, id, false, at, false, micros, true, at],
    ),
  )
}

const forbidden = { status: 403, code: 'FORBIDDEN' }
const twoNamed = { status: 400, code: 'VALIDATION_ERROR', field: 'tenantId' }

describe('cli.tenants.list', () => {
  const names = async (client: Client, input: object = {}) =>
    (await client.call('cli', 'GET /tenants', input)).data.map(({ name }) => name).toSorted()

  it('returns a reviewer’s assigned tenants, those of a key, and all to operators', async () => {
    expect(await names(ours.reviewer)).toEqual(['Ours'])
    expect(await names(both.client)).toEqual(['Ours', 'Theirs'])
    expect(await names(narrow)).toEqual(['Theirs'])
    expect(await names(operator.client)).toEqual(['Ours', 'Theirs'])
  })

  it.each([
    ['a control character', 'a\0b'],
    ['a quote', "'"],
    ['a long text', 'x'.repeat(10_000)],
    ['an emoji', '😀'],
    ['a lone percent sign', '%'],
  ])('rejects %s as the name of a tenant, from operators too', async (_what, named) => {
    const query = new URLSearchParams({ tenantId: named }).toString()
    for (const path of ['/dm/v1/agents', '/dm/v1/agents/queues', '/dm/v1/approvals/next', '/cli/v1/agents']) {
      const { status, code } = await operator.send('GET', `${path}?${query}`)
      expect({ path, status, code }).toEqual({ path, status: 403, code: 'FORBIDDEN' })
    }
  })

  it('finds no other tenants by search', async () => {
    expect(await names(ours.reviewer, { query: { search: 'Theirs' } })).toEqual([])
    expect(await names(narrow, { query: { search: 'Ours' } })).toEqual([])
    expect(await names(both.client, { query: { search: 'Theirs' } })).toEqual(['Theirs'])
  })

  it('is restricted to the named tenant, and rejects another one', async () => {
    expect(await names(both.client, { headers: { 'x-tenant-id': ours.tenantId } })).toEqual(['Ours'])
    expect(
      await refusal(names(ours.reviewer, { headers: { 'x-tenant-id': theirs.tenantId } })),
    ).toMatchObject(forbidden)
    expect(await refusal(names(narrow, { headers: { 'x-tenant-id': ours.tenantId } }))).toMatchObject(
      forbidden,
    )
  })
})

describe('cli.cost', () => {
  const cost = async (client: Client, input: object = {}) => {
    const { totalUsd, breakdown } = await client.call('cli', 'GET /cost', input)
    return [totalUsd, breakdown.map(({ label }) => label)]
  }

  it('sums up what the caller may see, in every grouping', async () => {
    expect(await cost(ours.reviewer)).toEqual([1, ['Ours']])
    expect(await cost(both.client)).toEqual([3, ['Theirs', 'Ours']])
    expect(await cost(narrow)).toEqual([2, ['Theirs']])
    expect(await cost(operator.client)).toEqual([3, ['Theirs', 'Ours']])
    for (const groupBy of ['agent', 'model', 'campaign'])
      expect((await cost(ours.reviewer, { query: { groupBy } }))[0]).toBe(1)
  })

  it('is restricted to the named tenant, rejects another one, and two different names', async () => {
    expect(await cost(both.client, { query: { tenantId: ours.tenantId } })).toEqual([1, ['Ours']])
    expect(await refusal(cost(ours.reviewer, { query: { tenantId: theirs.tenantId } }))).toMatchObject(
      forbidden,
    )
    expect(await refusal(cost(narrow, { query: { tenantId: ours.tenantId } }))).toMatchObject(forbidden)
    const query = { tenantId: ours.tenantId }
    const headers = { 'x-tenant-id': theirs.tenantId }
    expect(await refusal(cost(both.client, { query, headers }))).toMatchObject(twoNamed)
  })
})

describe('the terminal', () => {
  it('accepts reviewers and operators, with token and key, and no users of tenants', async () => {
    const adminsKey = await keyClient(app, ours.adminId)
    for (const client of [ours.admin, ours.member, adminsKey])
      expect(await refusal(client.call('cli', 'GET /queue', {}))).toMatchObject(forbidden)
    const key = await keyClient(app, operator.id)
    for (const client of [ours.reviewer, narrow, operator.client, key])
      expect((await client.call('cli', 'GET /queue', {})).counts.pending).toBe(0)
  })
})
