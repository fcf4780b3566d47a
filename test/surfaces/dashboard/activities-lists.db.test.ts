import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'
import { refusal } from '../refusal.ts'

let app: TestApp
let clock: TestClock
let insert: ReturnType<typeof createRowInserter>

beforeAll(async () => {
  clock = createTestClock()
  app = await createTestApp({ clock, worker: false })
  insert = createRowInserter(app, clock)
})

afterAll(() => app[Symbol.asyncDispose]())

/**
 * A tenant with a campaign whose only deliverable has three activities, and with one activity outside of it;
 * another tenant has one.
 */
async function insertLists() {
  const [team, theirs] = [await app.team(), await app.team()]
  const { id: campaign_id } = await team.admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 3 }] },
  })
  const params = { campaignId: campaign_id }
  const { data } = await team.admin.call('dashboard', 'GET /campaigns/:campaignId/deliverables', { params })
  const deliverable_id = data[0]?.id ?? ''
  const of = { campaign_id, deliverable_id }
  const add = (tenantId: string, title: string, more = {}) => {
    clock.advance(1)
    return insert.activity(tenantId, title, more)
  }
  await add(team.tenantId, 'One', { ...of, status: 'done' })
  await add(team.tenantId, 'Two', { ...of, agent_role: 'blog_writer' })
  await add(team.tenantId, 'Three', { ...of, wake_reason: 'retry' })
  await add(team.tenantId, 'Beside')
  await add(theirs.tenantId, 'Theirs')
  return { team, theirs, campaignId: campaign_id, deliverableId: deliverable_id }
}

const titles = ({ data }: { data: ReadonlyArray<{ title: string }> }) => data.map(({ title }) => title)

describe('dashboard.activities.list', () => {
  it('lists the activities of the tenant in both orders, with every filter', async () => {
    const { team, campaignId, deliverableId } = await insertLists()
    const list = (query: object = {}, client: Client = team.member) =>
      client.call('dashboard', 'GET /activities', { query })
    const all = ['Beside', 'Three', 'Two', 'One']
    const page = await list()
    expect(titles(page)).toEqual(all)
    expect(page.data[1]).toMatchObject({
      status: 'in_progress',
      agentRole: 'social_writer',
      campaignId,
      campaignName: 'Spring',
      deliverableId,
      costUsd: 0,
    })
    for (const [query, found] of [
      [{ order: 'asc' }, all.toReversed()],
      [{ 'filter.status': 'done' }, ['One']],
      [{ 'filter.agentRole': 'blog_writer' }, ['Two']],
      [{ 'filter.campaignId': campaignId }, ['Three', 'Two', 'One']],
      [{ 'filter.deliverableId': deliverableId, 'filter.status': 'in_progress' }, ['Three', 'Two']],
      [{ 'filter.wakeReason': 'retry' }, ['Three']],
    ] as const)
      expect(titles(await list(query)), JSON.stringify(query)).toEqual(found)
    const first = await list({ limit: 3 })
    expect(titles(first)).toEqual(all.slice(0, 3))
    expect(titles(await list({ limit: 3, cursor: first.pagination.nextCursor }))).toEqual(['One'])
    expect(await refusal(list({ 'filter.status': 'lost' }))).toMatchObject({
      status: 400,
      field: 'filter.status',
    })
  })
})

describe('dashboard.deliverables.activities', () => {
  it('lists the activities of one deliverable, newest first, by status and page', async () => {
    const { team, theirs, deliverableId } = await insertLists()
    const list = (query: object = {}, client: Client = team.member) =>
      client.call('dashboard', 'GET /deliverables/:deliverableId/activities', {
        params: { deliverableId },
        query,
      })
    expect(titles(await list())).toEqual(['Three', 'Two', 'One'])
    expect(titles(await list({ 'filter.status': 'done' }))).toEqual(['One'])
    const page = await list({ limit: 2 })
    expect(titles(await list({ limit: 2, cursor: page.pagination.nextCursor }))).toEqual(['One'])
    expect(await refusal(list({}, theirs.member))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('dashboard.queue', () => {
  it('lists pending approvals to the users of a tenant, and other activities by filter', async () => {
    const { tenantId, member } = await app.team('Ours')
    const theirs = await app.team()
    await insert.approval(theirs.tenantId, 'Theirs', 'high', 2)
    await insert.approval(tenantId, 'Low', 'low', 10)
    await insert.approval(tenantId, 'High', 'high', 20)
    await insert.blocked(tenantId, 'Stuck', 1)
    await insert.activity(tenantId, 'Running')
    await insert.failed(tenantId, 'Broken', 1)
    const read = (query: object = {}) => member.call('dashboard', 'GET /queue', { query })
    const shown = async (query: object = {}) => {
      const { pending, blocked, running, failed } = await read(query)
      return [pending, blocked, running, failed].map((items) => items.map(({ title }) => title))
    }
    expect(await shown()).toEqual([['High', 'Low'], ['Stuck'], [], []])
    expect(await shown({ status: 'all' })).toEqual([['High', 'Low'], ['Stuck'], ['Running'], ['Broken']])
    expect(await shown({ status: 'failed' })).toEqual([[], [], [], ['Broken']])
    const { counts, pending, pagination } = await read({ limit: 1 })
    expect(counts).toEqual({ pending: 2, running: 1, blocked: 1, failed: 1 })
    expect(pending).toMatchObject([{ title: 'High', tenantId, riskLevel: 'high', status: 'pending' }])
    expect(await shown({ limit: 1, cursor: pagination.nextCursor })).toEqual([['Low'], [], [], []])
    // There is no naming another tenant.
    expect(await shown({ tenantId: theirs.tenantId })).toEqual(await shown())
  })
})
