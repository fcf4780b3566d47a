import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'
import { refusal } from '../refusal.ts'

let app: TestApp
let insert: ReturnType<typeof createRowInserter>
let team: Team
let campaignId: string

const missing = { status: 404, code: 'NOT_FOUND', field: undefined }
const params = () => ({ campaignId })

beforeAll(async () => {
  const clock = createTestClock()
  app = await createTestApp({ clock, worker: false })
  insert = createRowInserter(app, clock)
  team = await app.team()
  const made = await team.admin.call('dashboard', 'POST /campaigns', {
    body: {
      name: 'Spring',
      brief: 'Oats',
      budgetCapUsd: 12.5,
      startDate: '2026-04-01',
      deliverables: [
        { type: 'social_post', quantity: 3 },
        { type: 'blog_post', quantity: 1, platformIds: ['cms_site'] },
      ],
    },
  })
  campaignId = made.id
})

afterAll(() => app[Symbol.asyncDispose]())

describe('dashboard.campaigns.get', () => {
  it('returns a campaign with its deliverables, its cost by agent, and its latest activities', async () => {
    const of = { campaign_id: campaignId, cost_micros: 1_500_000 }
    await insert.activity(team.tenantId, 'A post', of)
    await insert.activity(team.tenantId, 'An article', { ...of, agent_role: 'blog_writer' })
    await insert.activity(team.tenantId, 'Beside it', { cost_micros: 9_000_000 })
    const seen = await team.member.call('dashboard', 'GET /campaigns/:campaignId', { params: params() })
    expect(seen).toMatchObject({
      id: campaignId,
      name: 'Spring',
      status: 'draft',
      brief: 'Oats',
      budgetCapUsd: 12.5,
      spentUsd: 3,
      startDate: '2026-04-01',
      endDate: null,
      createdBy: { id: team.adminId, name: 'Ada Admin' },
      pendingApprovals: 0,
      deliverables: [
        { type: 'social_post', quantity: 3, platforms: [] },
        { type: 'blog_post', quantity: 1, platforms: [{ id: 'cms_site', name: 'Website' }] },
      ],
    })
    expect(new Set(seen.recentActivities.map(({ title }) => title))).toEqual(
      new Set(['A post', 'An article']),
    )
    expect(seen.costByAgent).toEqual([
      { agentRole: 'blog_writer', costUsd: 1.5 },
      { agentRole: 'social_writer', costUsd: 1.5 },
    ])
  })

  it('returns 404 to another tenant', async () => {
    const { admin } = await app.team()
    const call = admin.call('dashboard', 'GET /campaigns/:campaignId', { params: params() })
    expect(await refusal(call)).toEqual(missing)
  })
})

describe('dashboard.deliverables.list', () => {
  it('returns the deliverables of a campaign, without a period until it is planned', async () => {
    const path = 'GET /campaigns/:campaignId/deliverables'
    expect(await team.member.call('dashboard', path, { params: params() })).toEqual({
      data: [
        { id: expect.any(String), type: 'social_post', quantity: 3, periods: [] },
        { id: expect.any(String), type: 'blog_post', quantity: 1, periods: [] },
      ],
    })
  })

  it('returns each period with its planned and completed activities', async () => {
    await using working = await createTestApp({ writerPaceMs: 0 })
    const { admin } = await working.team()
    const { id } = await admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Now', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const read = async () => {
      const { data } = await admin.call('dashboard', 'GET /campaigns/:campaignId/deliverables', {
        params: { campaignId: id },
      })
      return data[0]?.periods ?? []
    }
    const begun = await working.until(async () => {
      const periods = await read()
      return periods[0]?.inProgress === 1 && periods
    }, 'the piece is begun')
    expect(begun).toMatchObject([{ target: 1, completed: 0, status: expect.any(String) }])
    const [approval] = await working.until(async () => {
      const { data } = await admin.call('dashboard', 'GET /approvals')
      return data.length > 0 && data
    }, 'it waits for approval')
    await admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: approval?.id ?? '' },
      body: { resolution: 'approved' },
    })
    const done = await working.until(async () => {
      const periods = await read()
      return periods[0]?.completed === 1 && periods
    }, 'the piece is finished')
    expect(done).toMatchObject([{ id: begun[0]?.id, target: 1, inProgress: 0, status: 'on_track' }])
  })

  it('returns 404 to another tenant', async () => {
    const { admin } = await app.team()
    const call = admin.call('dashboard', 'GET /campaigns/:campaignId/deliverables', { params: params() })
    expect(await refusal(call)).toEqual(missing)
  })
})
