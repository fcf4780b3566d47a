import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'

let app: TestApp
let clock: TestClock
let insert: ReturnType<typeof createRowInserter>

beforeAll(async () => {
  clock = createTestClock()
  app = await createTestApp({ clock, worker: false })
  insert = createRowInserter(app, clock)
})

afterAll(() => app[Symbol.asyncDispose]())

/** A tenant with approvals of every kind; another tenant has one. */
async function insertLists(): Promise<Team> {
  const [team, theirs] = [await app.team(), await app.team()]
  const resolved = (days: number) => ({ status: 'approved', resolved_at: insert.at(-24 * days) })
  const add = async (title: string, risk: 'low' | 'high', inHours: number, more = {}, to = team) => {
    clock.advance(1)
    await insert.approval(to.tenantId, title, risk, inHours, undefined, more)
  }
  await add('Low', 'low', 40)
  await add('High', 'high', 30)
  await add('Soon', 'high', 23)
  await add('Approved', 'low', 40, resolved(6))
  await add('Approved long ago', 'low', 40, resolved(8))
  await add('Theirs', 'high', 2, {}, theirs)
  return team
}

describe('dashboard.approvals.list', () => {
  it('lists the approvals of the tenant in both orders, by status, type and risk', async () => {
    const { member } = await insertLists()
    const list = (query: object = {}, client: Client = member) =>
      client.call('dashboard', 'GET /approvals', { query })
    const titles = async (query: object = {}) => (await list(query)).data.map(({ title }) => title)
    const all = ['Approved long ago', 'Approved', 'Soon', 'High', 'Low']
    expect(await titles()).toEqual(all)
    for (const [query, found] of [
      [{ order: 'asc' }, all.toReversed()],
      [{ 'filter.status': 'approved' }, all.slice(0, 2)],
      [{ 'filter.riskLevel': 'high' }, ['Soon', 'High']],
      [{ 'filter.type': 'content_review', 'filter.status': 'pending' }, ['Low']],
    ] as const)
      expect(await titles(query), JSON.stringify(query)).toEqual(found)
    const page = await list({ limit: 4 })
    expect(await titles({ limit: 4, cursor: page.pagination.nextCursor })).toEqual(['Low'])
  })
})

describe('dashboard.approvals.stats', () => {
  it('counts pending, high-risk and soon expiring approvals, and verdicts of the last seven days', async () => {
    const { member } = await insertLists()
    expect(await member.call('dashboard', 'GET /approvals/stats')).toEqual({
      pending: 3,
      highRisk: 2,
      expiringIn24h: 1,
      resolvedThisWeek: 1,
    })
    const nothing = await app.team()
    expect(await nothing.member.call('dashboard', 'GET /approvals/stats')).toEqual({
      pending: 0,
      highRisk: 0,
      expiringIn24h: 0,
      resolvedThisWeek: 0,
    })
  })
})
