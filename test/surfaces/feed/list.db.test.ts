import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'
import { addReviewer } from '../steering.ts'

let app: TestApp
let clock: TestClock
let insert: ReturnType<typeof createRowInserter>

beforeAll(async () => {
  clock = createTestClock()
  app = await createTestApp({ clock, worker: false })
  insert = createRowInserter(app, clock)
})

afterAll(() => app[Symbol.asyncDispose]())

const feedOf = async (client: Client, query = {}) =>
  (await client.call('dashboard', 'GET /feed', { query })).data
const titles = async (client: Client, query = {}) => (await feedOf(client, query)).map(({ title }) => title)

async function everyPage(client: Client, limit: number) {
  const seen: string[] = []
  let cursor: string | null | undefined
  do {
    const page = await client.call('dm', 'GET /feed', { query: { limit, ...(cursor && { cursor }) } })
    expect(page.data.length).toBeLessThanOrEqual(limit)
    seen.push(...page.data.map(({ title }) => title))
    cursor = page.pagination.nextCursor
    expect(page.pagination.hasMore).toBe(cursor !== null)
  } while (cursor)
  return seen
}

/** Everything that a feed can contain, the most urgent first, and what it cannot. */
async function insertAll({ tenantId }: Pick<Team, 'tenantId'>): Promise<string[]> {
  const { approval, blocked, failed, budget, activity } = insert
  await approval(tenantId, 'low, in 5 h', 'low', 5)
  await approval(tenantId, 'medium, in 30 h', 'medium', 30)
  await approval(tenantId, 'medium, in 20 h', 'medium', 20)
  await approval(tenantId, 'low, in 3 h', 'low', 3)
  await approval(tenantId, 'medium, in 4 h', 'medium', 4)
  await approval(tenantId, 'high, in 20 h', 'high', 20)
  await approval(tenantId, 'high, in 2 h', 'high', 2)
  await approval(tenantId, 'high, over', 'high', -0.1)
  await approval(tenantId, 'low, over', 'low', 0)
  await budget(tenantId, 3)
  await failed(tenantId, 'failed 2 h ago', 2)
  await failed(tenantId, 'failed 8 h ago', 8)
  await failed(tenantId, 'failed long ago', 31 * 24)
  await failed(tenantId, 'cancelled', 1, { failure_reason: 'cancelled_by_reviewer' })
  await blocked(tenantId, 'blocked 1 h ago', 1)
  await blocked(tenantId, 'blocked 90 days ago', 90 * 24)
  await blocked(tenantId, 'paused', 1, { hold: 'paused', blocker: null })
  await activity(tenantId, 'in progress')
  await activity(tenantId, 'done', { status: 'done' })
  return [
    'high, in 2 h',
    'high, in 20 h',
    'low, in 3 h',
    'medium, in 4 h',
    'blocked 90 days ago',
    'blocked 1 h ago',
    'failed 8 h ago',
    'failed 2 h ago',
    'A budget is nearly used up',
    'medium, in 20 h',
    'medium, in 30 h',
    'low, in 5 h',
  ]
}

describe('dashboard.feed.list', () => {
  it('ranks by risk, expiry, blocked activities, budget, and due date', async () => {
    const team = await app.team()
    const expected = await insertAll(team)
    const feed = await feedOf(team.admin)
    expect(feed.map(({ title }) => title)).toEqual(expected)
    expect(feed.map(({ rank }) => rank)).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 8, 8, 9])
    const [risky, , expiring] = feed
    expect(risky).toEqual({
      id: expect.any(String),
      kind: 'approval',
      rank: 1,
      title: 'high, in 2 h',
      reason: 'High risk: channel action',
      since: insert.at(-1).toISOString(),
      deadline: insert.at(2).toISOString(),
      riskLevel: 'high',
      subject: { kind: 'approval', id: risky?.id },
      actions: ['resolve', 'snooze'],
    })
    expect(expiring).toMatchObject({
      reason: 'Expires soon: content review',
      actions: ['resolve', 'snooze', 'dismiss'],
    })
    expect(feed[4]).toMatchObject({
      reason: 'No figures',
      actions: ['retry', 'comment', 'snooze', 'dismiss'],
    })
    expect(feed[6]).toMatchObject({ reason: 'The model refuses', actions: ['retry', 'snooze', 'dismiss'] })
    expect(feed[8]).toMatchObject({
      reason: 'Nearly all is spent',
      subject: { kind: 'tenant', id: team.tenantId },
      actions: ['snooze', 'dismiss'],
    })
    for (const [kind, ranks] of Object.entries({
      approval: [1, 1, 2, 2, 8, 8, 9],
      blocked: [3, 3],
      failed: [4, 4],
      budget: [5],
      mention: [],
      campaign: [],
    }))
      expect((await feedOf(team.admin, { 'filter.kind': kind })).map(({ rank }) => rank)).toEqual(ranks)
    expect(await everyPage(team.reviewer, 1)).toEqual(expected)
    expect(await everyPage(team.reviewer, 5)).toEqual(expected)
  })

  it('returns only items on which members can act, to members', async () => {
    const team = await app.team()
    await insertAll(team)
    const feed = await feedOf(team.member)
    expect(feed.map(({ kind, actions }) => ({ kind, actions }))).toEqual([
      { kind: 'blocked', actions: ['comment', 'snooze', 'dismiss'] },
      { kind: 'blocked', actions: ['comment', 'snooze', 'dismiss'] },
    ])
    expect(await feedOf(team.member, { 'filter.kind': 'approval' })).toEqual([])
  })

  it('returns each item once over pages with equal ranks, while items come and go', async () => {
    const team = await app.team()
    const { tenantId, admin } = team
    const names = Array.from({ length: 23 }, (_, i) => `equal ${String(i).padStart(2, '0')}`)
    for (const name of names) await insert.approval(tenantId, name, 'medium', 40)
    const blocked = ['b1', 'b2', 'b3', 'b4']
    for (const name of blocked) await insert.blocked(tenantId, name, 2)
    const seen: string[] = []
    let cursor: string | null | undefined
    do {
      const page = await admin.call('dashboard', 'GET /feed', {
        query: { limit: 4, ...(cursor && { cursor }) },
      })
      seen.push(...page.data.map(({ title }) => title))
      cursor = page.pagination.nextCursor
      // The item that the cursor was made of is gone, one comes before it and one behind.
      const last = page.data.at(-1)
      if (last?.kind === 'approval')
        await app.db.write((tx) => tx.run(`update approvals set status = 'approved' where id = ?`, [last.id]))
      await insert.approval(tenantId, 'new and urgent', 'high', 20)
      await insert.approval(tenantId, 'new and late', 'low', 70)
      clock.advance(60_000)
    } while (cursor && seen.length < 200)
    const old = seen.filter((title) => !title.startsWith('new'))
    expect(old).toEqual([...blocked, ...names])
    expect(seen.filter((title) => title === 'new and urgent')).toEqual([])
  })

  it('keeps the ranking of expiring items stable over the pages of one reading', async () => {
    const team = await app.team()
    const { tenantId, admin } = team
    await insert.approval(tenantId, 'first', 'low', 3)
    await insert.blocked(tenantId, 'second', 1)
    await insert.approval(tenantId, 'third', 'low', 4.1)
    const read = (cursor?: string | null) =>
      admin.call('dashboard', 'GET /feed', { query: { limit: 1, ...(cursor && { cursor }) } })
    const one = await read()
    const two = await read(one.pagination.nextCursor)
    // It would be of a rank by now that was read already.
    clock.advance(600_000)
    const three = await read(two.pagination.nextCursor)
    expect([one, two, three].map(({ data }) => data[0]?.title)).toEqual(['first', 'second', 'third'])
    expect(await titles(admin)).toEqual(['first', 'third', 'second'])
  })

  it('continues after an item id, and rejects any other cursor', async () => {
    const team = await app.team()
    await insertAll(team)
    const all = await feedOf(team.admin)
    for (const at of [0, 4, all.length - 1])
      expect(await feedOf(team.admin, { cursor: all[at]?.id })).toEqual(all.slice(at + 1))
    for (const cursor of ['x', team.adminId, '9.1.x.1', `1.zzzzzzzzzz.${team.adminId}.1`, '1.1..1'])
      await expect(feedOf(team.admin, { cursor })).rejects.toMatchObject({ status: 400, field: 'cursor' })
  })

  it('omits archived campaigns, changed caps and past months', async () => {
    const team = await app.team()
    const { tenantId, admin } = team
    const { id } = await admin.call('dashboard', 'POST /campaigns', {
      body: {
        name: 'Old',
        brief: 'Old',
        deliverables: [{ type: 'social_post', quantity: 1 }],
        budgetCapUsd: 2,
      },
    })
    await insert.blocked(tenantId, 'of the campaign', 1, { campaign_id: id })
    await insert.failed(tenantId, 'of it too', 1, { campaign_id: id })
    await insert.budget(tenantId, 1)
    await insert.budget(tenantId, 1, { cap_id: id, scope: 'campaign', limit_micros: 2_000_000, level: 100 })
    expect(await titles(admin)).toEqual([
      'of the campaign',
      'of it too',
      'A budget is nearly used up',
      'A budget is used up',
    ])
    expect((await feedOf(admin))[3]?.actions).toEqual(['change_budget', 'snooze', 'dismiss'])
    const params = { campaignId: id }
    await admin.call('dashboard', 'PATCH /campaigns/:campaignId', { params, body: { budgetCapUsd: 3 } })
    expect(await titles(admin, { 'filter.kind': 'budget' })).toEqual(['A budget is nearly used up'])
    await app.db.write((tx) =>
      tx.run('update budget_alerts set until = ? where cap_id = ?', [insert.at(0), tenantId]),
    )
    expect(await titles(admin, { 'filter.kind': 'budget' })).toEqual([])
    await app.db.write((tx) => tx.run(`update campaigns set status = 'paused' where id = ?`, [id]))
    expect((await feedOf(admin)).map(({ actions }) => actions)).toEqual([
      ['comment', 'snooze', 'dismiss'],
      ['snooze', 'dismiss'],
    ])
    await app.db.write((tx) => tx.run(`update campaigns set status = 'archived' where id = ?`, [id]))
    expect(await titles(admin)).toEqual([])
  })
})

describe('dm.feed.list', () => {
  it('returns items of all assigned tenants with their tenant, of one, and by kind', async () => {
    const [ours, theirs] = [await app.team('Ours'), await app.team('Theirs')]
    await insert.approval(ours.tenantId, 'ours, risky', 'high', 20)
    await insert.blocked(ours.tenantId, 'ours, blocked', 1)
    await insert.approval(theirs.tenantId, 'theirs, riskier', 'high', 2)
    const { client: both } = await addReviewer(app, 'both', [ours.tenantId, theirs.tenantId])
    const read = async (client: Client, query = {}) =>
      (await client.call('dm', 'GET /feed', { query })).data.map(({ title, tenantId, tenantName }) => [
        title,
        tenantId,
        tenantName,
      ])
    const mine = [
      ['ours, risky', ours.tenantId, 'Ours'],
      ['ours, blocked', ours.tenantId, 'Ours'],
    ]
    const other = ['theirs, riskier', theirs.tenantId, 'Theirs']
    expect(await read(both)).toEqual([other, ...mine])
    expect(await read(both, { tenantId: ours.tenantId })).toEqual(mine)
    expect(await read(both, { 'filter.kind': 'approval' })).toEqual([other, mine[0]])
    expect(await read(ours.reviewer)).toEqual(mine)
    const foreign = read(ours.reviewer, { tenantId: theirs.tenantId })
    await expect(foreign).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' })
  })
})
