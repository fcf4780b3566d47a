import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminOf, createTestApp, type TestApp } from '../../kit/app.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { refusal } from '../refusal.ts'

let app: TestApp

beforeAll(async () => {
  app = await createTestApp({ worker: false })
})

afterAll(() => app[Symbol.asyncDispose]())

const goal = (changes: object = {}) => ({
  title: 'Pieces',
  metric: 'pieces_finished' as const,
  targetValue: 10,
  periodStart: '2026-01-01',
  periodEnd: '2026-03-31',
  ...changes,
})

const wrong = (field: string) => ({ status: 400, code: 'VALIDATION_ERROR', field })
const forbidden = { status: 403, code: 'FORBIDDEN', field: undefined }
const missing = { status: 404, code: 'NOT_FOUND', field: undefined }

describe('tenant.goals.create', () => {
  it('creates a goal and returns it', async () => {
    const { member, reviewer } = await app.team()
    const made = await member.call('tenant', 'POST /goals', { body: goal({ targetValue: 12.5 }) })
    expect(made).toMatchObject(goal({ targetValue: 12.5 }))
    const params = { goalId: made.id }
    expect(await reviewer.call('tenant', 'GET /goals/:goalId', { params })).toEqual(made)
  })

  it('rejects an invalid metric, target and period, and stores nothing', async () => {
    const { member, reviewer } = await app.team()
    const before = await fingerprint(app.db)
    const set = (changes: object, client = member) =>
      refusal(client.call('tenant', 'POST /goals', { body: goal(changes) as never }))
    expect(await set({ metric: 'happiness' })).toEqual(wrong('metric'))
    expect(await set({ targetValue: 0 })).toEqual(wrong('targetValue'))
    expect(await set({ periodEnd: '2025-12-31' })).toEqual(wrong('periodEnd'))
    expect(await set({ periodEnd: '2028-01-02' })).toEqual(wrong('periodEnd'))
    expect(await set({ periodStart: '2026-02-30' })).toEqual(wrong('periodStart'))
    expect(await set({}, reviewer)).toEqual(forbidden)
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  })

  it('rejects the 101st goal', async () => {
    const team = await app.team()
    const own = app.copydesk.as(adminOf(team))
    for (let n = 0; n < 100; n += 1) await own.call('tenant.goals.create', { body: goal() })
    const call = team.member.call('tenant', 'POST /goals', { body: goal() })
    expect(await refusal(call)).toMatchObject({ status: 422, code: 'UNPROCESSABLE' })
  })
})

describe('tenant.goals.list', () => {
  it('pages through the goals of the tenant, newest first', async () => {
    const { member, reviewer } = await app.team()
    const one = await member.call('tenant', 'POST /goals', { body: goal() })
    const two = await member.call('tenant', 'POST /goals', { body: goal({ title: 'Two' }) })
    const page = await reviewer.call('tenant', 'GET /goals', { query: { limit: 1 } })
    expect(page.data).toEqual([two])
    const query = { limit: 1, cursor: page.pagination.nextCursor ?? '' }
    const last = await reviewer.call('tenant', 'GET /goals', { query })
    expect(last).toMatchObject({ data: [one], pagination: { nextCursor: null } })
  })
})

describe('tenant.goals.get', () => {
  it('returns one goal, and 404 for one of another tenant', async () => {
    const [ours, theirs] = [await app.team(), await app.team()]
    const made = await ours.member.call('tenant', 'POST /goals', { body: goal() })
    const params = { goalId: made.id }
    expect(await ours.reviewer.call('tenant', 'GET /goals/:goalId', { params })).toEqual(made)
    for (const client of [theirs.admin, theirs.reviewer])
      expect(await refusal(client.call('tenant', 'GET /goals/:goalId', { params }))).toEqual(missing)
  })
})

describe('tenant.goals.change', () => {
  it('changes the given fields and keeps the rest', async () => {
    const { member } = await app.team()
    const made = await member.call('tenant', 'POST /goals', { body: goal({ targetValue: 12.5 }) })
    const params = { goalId: made.id }
    const body = { periodEnd: '2026-06-30' }
    const changed = await member.call('tenant', 'PATCH /goals/:goalId', { params, body })
    expect(changed).toEqual({ ...made, ...body, updatedOn: changed.updatedOn })
    expect(await member.call('tenant', 'GET /goals/:goalId', { params })).toEqual(changed)
  })

  it('rejects a period that would end before it begins, and reviewers, and changes nothing', async () => {
    const { member, reviewer } = await app.team()
    const { id } = await member.call('tenant', 'POST /goals', { body: goal() })
    const before = await fingerprint(app.db)
    const change = { params: { goalId: id }, body: { periodStart: '2026-04-01' } }
    expect(await refusal(member.call('tenant', 'PATCH /goals/:goalId', change))).toEqual(wrong('periodEnd'))
    const title = { params: { goalId: id }, body: { title: 'Theirs' } }
    expect(await refusal(reviewer.call('tenant', 'PATCH /goals/:goalId', title))).toEqual(forbidden)
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  })
})

describe('tenant.goals.delete', () => {
  it('deletes one goal, which then returns 404, and no other', async () => {
    const { member, reviewer } = await app.team()
    const { id } = await member.call('tenant', 'POST /goals', { body: goal() })
    const other = await member.call('tenant', 'POST /goals', { body: goal({ title: 'Other' }) })
    const params = { goalId: id }
    const remove = (client = member) => refusal(client.call('tenant', 'DELETE /goals/:goalId', { params }))
    expect(await remove(reviewer)).toEqual(forbidden)
    expect((await member.call('tenant', 'GET /goals')).data).toHaveLength(2)
    await member.call('tenant', 'DELETE /goals/:goalId', { params })
    expect((await member.call('tenant', 'GET /goals')).data).toEqual([other])
    expect(await remove()).toEqual(missing)
  })
})
