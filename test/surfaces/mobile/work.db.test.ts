import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ComparedTenant, createTwoTenants, type TwoTenants } from '../../kit/two-tenants.ts'
import { idOf, rowIds } from './row-ids.ts'

let two: TwoTenants
let ours: ComparedTenant
let theirs: ComparedTenant
let ids: ReturnType<typeof rowIds>

beforeAll(async () => {
  two = await createTwoTenants()
  ours = await two.twin('aardvark')
  theirs = await two.twin('bumblebee')
  ids = rowIds(two.app, ours.tenantId)
})

afterAll(() => two[Symbol.asyncDispose]())

describe('mobile.activities.list', () => {
  it('lists the newest first and filters by status and campaign', async () => {
    const find = (query: object) => ours.member.call('mobile', 'GET /activities', { query })
    const all = await find({})
    expect(all.data.map(idOf)).toEqual((await ids('activities')).slice(0, 20))
    expect(all.data.at(-1)).toEqual({
      id: expect.any(String),
      title: expect.any(String),
      status: expect.any(String),
      agentRole: 'social_writer',
      updatedOn: expect.stringMatching(/Z$/),
      campaign: { id: ours.ids['campaignId'], name: 'Spring' },
    })
    const failed = await find({ 'filter.status': 'failed' })
    expect(failed.data.map(idOf)).toEqual(await ids('activities', "status = 'failed'"))
    expect(failed.total).toBe(1)
    const campaignId = ours.ids['campaignId'] ?? ''
    const ofCampaign = await find({ 'filter.campaignId': campaignId })
    expect(ofCampaign.data.map(idOf)).toEqual(await ids('activities', `campaign_id = '${campaignId}'`))
    expect(ofCampaign.total).toBe(ofCampaign.data.length)
    expect((await find({ offset: all.total - 1, limit: 5 })).data).toHaveLength(1)
  })
})

describe('mobile.activities.get', () => {
  it('returns the beginning of the latest text, its latest approval, and the time of the last change', async () => {
    const activityId = ours.ids['activityId'] ?? ''
    const activity = await ours.member.call('mobile', 'GET /activities/:activityId', {
      params: { activityId },
    })
    expect(activity).toEqual({
      id: activityId,
      title: expect.any(String),
      type: expect.any(String),
      status: 'awaiting_approval',
      agentRole: 'social_writer',
      campaign: { id: ours.ids['campaignId'], name: 'Spring' },
      outputRef: expect.any(String),
      outputPreview: 'The second aardvark',
      approval: { id: expect.any(String), type: 'channel_action', status: 'pending' },
      lastRunAt: expect.stringMatching(/Z$/),
      costUsd: expect.any(Number),
      createdOn: expect.stringMatching(/Z$/),
    })
    const open = await ours.member.call('mobile', 'GET /activities/:activityId', {
      params: { activityId: ours.openActivityId },
    })
    expect(open).not.toHaveProperty('outputPreview')
    expect(open.costUsd).toBe(0.25)
  })
})

describe('mobile.campaigns.list', () => {
  it('counts active items of each', async () => {
    const { data, total } = await ours.member.call('mobile', 'GET /campaigns', {
      query: { 'filter.status': 'active' },
    })
    expect(total).toBe(data.length)
    expect(data.map(idOf)).toEqual(await ids('campaigns', "status = 'active'"))
    const campaignId = ours.ids['campaignId'] ?? ''
    const count = async (table: string, status: string) =>
      (await ids(table, `status = '${status}' and campaign_id = '${campaignId}'`)).length
    expect(data.find(({ id }) => id === campaignId)).toEqual({
      id: campaignId,
      name: 'Spring',
      status: 'active',
      pendingApprovals: await count('approvals', 'pending'),
      activitiesInProgress: await count('activities', 'in_progress'),
      spentUsd: 0.25,
      budgetCapUsd: null,
      updatedOn: expect.stringMatching(/Z$/),
    })
    const drafts = await ours.member.call('mobile', 'GET /campaigns', { query: { 'filter.status': 'draft' } })
    expect(drafts.data.map(idOf)).toEqual(
      await ids('campaigns', "status in ('draft', 'dm_review', 'client_review')"),
    )
  })
})

describe('mobile.campaigns.get', () => {
  it('returns the progress of its deliverables in the current period', async () => {
    const params = { campaignId: ours.ids['campaignId'] ?? '' }
    const campaign = await ours.member.call('mobile', 'GET /campaigns/:campaignId', { params })
    expect(campaign).toMatchObject({
      id: params.campaignId,
      brief: expect.stringContaining('aardvark'),
      spentUsd: 0.25,
    })
    expect(campaign.deliverables).toEqual([
      {
        id: expect.any(String),
        type: 'social_post',
        quantity: 4,
        completed: 1,
        inProgress: 2,
        status: expect.any(String),
      },
    ])
    expect(Object.keys(campaign.recentActivities[0] ?? {}).toSorted()).toEqual([
      'agentRole',
      'id',
      'status',
      'title',
      'updatedOn',
    ])
  })
})

describe('mobile.analytics.spend', () => {
  it('returns the cost of this month, its cap, and the last seven days of the tenant’s zone', async () => {
    const spend = () => ours.member.call('mobile', 'GET /analytics/spend')
    const free = await spend()
    expect(free).toMatchObject({ totalUsd: 0.25, topAgents: [{ agentRole: 'social_writer', costUsd: 0.25 }] })
    expect(free).not.toHaveProperty('budgetCapUsd')
    expect(free.last7Days).toHaveLength(7)
    expect(free.last7Days.at(-1)).toEqual({
      date: two.clock.date().toISOString().slice(0, 10),
      costUsd: 0.25,
    })
    const cap = (micros: number | null) =>
      two.app.db.write((tx) =>
        tx.run('update tenants set spend_cap_micros = ? where id = ?', [micros, ours.tenantId]),
      )
    for (const [micros, budgetUsedPct] of [
      [750_000, 33.33],
      [250_000, 100],
      [100_000, 100],
      [0, 100],
    ] as const) {
      await cap(micros)
      expect(await spend()).toMatchObject({ budgetCapUsd: micros / 1_000_000, budgetUsedPct })
    }
    await cap(null)
  })
})

describe('every read', () => {
  it('has an ETag, and returns 304 without a body for the same version', async () => {
    const ask = (path: string, tag?: string, token = ours.tokens.member) =>
      two.app.fetch(`/mobile/v1${path}`, {
        headers: { authorization: `Bearer ${token}`, ...(tag && { 'if-none-match': tag }) },
      })
    const { approvalId, activityId, campaignId } = ours.ids
    for (const path of [
      '/approvals',
      `/approvals/${approvalId}`,
      '/activities',
      `/activities/${activityId}`,
      `/activities/${activityId}/output`,
      '/campaigns',
      `/campaigns/${campaignId}`,
      '/analytics/spend',
      '/home',
    ]) {
      const tag = (await ask(path)).headers.get('etag') ?? ''
      expect(tag, path).toMatch(/^W\/"[\w-]{27}"$/)
      const again = await ask(path, tag)
      expect({ path, status: again.status, text: await again.text() }).toEqual({
        path,
        status: 304,
        text: '',
      })
      expect((await ask(path, 'W/"another"')).status).toBe(200)
    }
    const mine = (await ask('/campaigns')).headers.get('etag') ?? ''
    expect((await ask('/campaigns', mine, theirs.tokens.member)).status).toBe(200)
  })
})
