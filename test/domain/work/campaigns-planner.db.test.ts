import type { Client } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { asJson } from '../../kit/columns.ts'
import { campaignTables, contents } from '../contents.ts'
import { campaign, createPlanningApp, type PlanningApp } from './planning.ts'

const june = '2026-06-10T09:00:00Z'

async function create(app: PlanningApp, admin: Client, more: object = {}): Promise<string> {
  const { id } = await admin.call('dashboard', 'POST /campaigns', { body: campaign(more) })
  await app.planned()
  return id
}

const change = (admin: Client, campaignId: string, status: 'active' | 'paused') =>
  admin.call('dashboard', 'PATCH /campaigns/:campaignId', { params: { campaignId }, body: { status } })

describe('planning', () => {
  it('creates every step of every deliverable, wakes the first ones and activates the campaign', async () => {
    await using app = await createPlanningApp(june)
    const { admin } = await app.team()
    const id = await create(app, admin)
    const activities = await app.activitiesOf(id)
    expect(
      activities.map(({ title, status, agentRole, isFinalStep }) => [title, status, agentRole, isFinalStep]),
    ).toEqual([
      ['Blog post 1 of 2: research', 'assigned', 'researcher', false],
      ['Blog post 1 of 2: draft', 'created', 'blog_writer', true],
      ['Blog post 2 of 2: research', 'assigned', 'researcher', false],
      ['Blog post 2 of 2: draft', 'created', 'blog_writer', true],
    ])
    expect(activities[1]?.dependsOn).toEqual([activities[0]?.id])
    expect(activities[1]).toMatchObject({ approvalRequired: true, approvalType: 'content_review' })
    expect(activities[1]?.inputPrompt).toContain('It will appear on: Website.')
    const runs = await app.db.sql.all(`select * from runs where status = 'pending' order by id`)
    expect(runs.map((run) => run['activity_id'])).toEqual([activities[0]?.id, activities[2]?.id])

    const { data } = await admin.call('dashboard', 'GET /campaigns')
    expect(data).toMatchObject([
      { id, status: 'active', activityCount: { total: 4, inProgress: 0, pending: 4, done: 0 } },
    ])
    const told = await app.db.sql.all('select type, data from event where subject = ? order by seq', [id])
    expect(told.map((event) => asJson<{ status: string }>(event['data'])?.status)).toEqual([
      'draft',
      'active',
    ])
  })

  it('has no effect when repeated, and schedules the next period once', async () => {
    await using app = await createPlanningApp(june)
    const { tenantId, logIn } = await app.tenantIn('Asia/Kolkata')
    const admin = await logIn()
    const id = await create(app, admin)
    const first = await contents(app, ['activities', 'periods', 'runs'])
    await change(admin, id, 'paused')
    await change(admin, id, 'active')
    await app.planned()
    expect(await contents(app, ['activities', 'periods', 'runs'])).toEqual(first)
    expect(await app.activitiesOf(id)).toHaveLength(4)
    expect(await app.planJobs(tenantId, 'done')).toHaveLength(2)
    expect(await app.planJobs(tenantId, 'waiting')).toEqual([
      {
        status: 'waiting',
        uniqueKey: `campaign.plan:${id}:2026-07-01`,
        runAt: new Date('2026-06-30T18:30:00Z'),
      },
    ])
  })

  it('creates what is missing after its process was killed half-way', async () => {
    await using app = await createPlanningApp(june)
    const { admin, tenantId } = await app.team()
    const id = await create(app, admin, { deliverables: [{ type: 'social_post', quantity: 120 }] })
    const before = await app.activitiesOf(id)
    expect(before).toHaveLength(120)
    // As such a process leaves it: a part is there, and the job is still leased to someone who is gone.
    await app.run('delete from runs where activity_id in (select id from activities where piece > 70)')
    await app.run('delete from activities where piece > 70')
    await app.run(`update campaigns set status = 'draft'`)
    await app.run('delete from job where unique_key is not null')
    await app.run(
      `update job set status = 'running', worker = 'gone', lease_until = ?, finished_at = null where kind = 'campaign.plan'`,
      app.clock.date(),
    )
    await app.planned()
    const after = await app.activitiesOf(id)
    expect(after.map(({ piece }) => Number(piece)).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 120 }, (_, index) => index + 1),
    )
    const kept = before.filter(({ piece }) => Number(piece) <= 70).map((activity) => activity.id)
    expect(after.slice(0, 70).map((activity) => activity.id)).toEqual(kept)
    expect(await app.planJobs(tenantId, 'waiting')).toMatchObject([
      { uniqueKey: `campaign.plan:${id}:2026-07-01` },
    ])
    expect((await admin.call('dashboard', 'GET /campaigns')).data).toMatchObject([
      { status: 'active', activityCount: { total: 120, pending: 120 } },
    ])
  })

  it('plans one deliverable after another, with a template for each type', async () => {
    await using app = await createPlanningApp(june)
    const { admin } = await app.team()
    const types = [
      'blog_post',
      'social_post',
      'gbp_post',
      'ad_copy',
      'email_newsletter',
      'backlink',
      'website_audit',
      'performance_report',
    ]
    const id = await create(app, admin, { deliverables: types.map((type) => ({ type, quantity: 1 })) })
    const activities = await app.activitiesOf(id)
    const finals = activities.filter(({ isFinalStep }) => isFinalStep)
    expect(finals.map(({ deliverableType }) => deliverableType)).toEqual(types)
    const enabled = await app.db.sql.all<{ role: string }>('select role from tenant_agents')
    for (const { agentRole } of activities) expect(enabled.map(({ role }) => role)).toContain(agentRole)
    expect(activities.map(({ title }) => title)).toContain('Website audit: audit')
  })

  it.each(['paused', 'archived'] as const)('creates nothing for a campaign that is %s', async (status) => {
    await using app = await createPlanningApp(june, { worker: false })
    const { admin, tenantId } = await app.team()
    const { id } = await admin.call('dashboard', 'POST /campaigns', { body: campaign() })
    if (status === 'paused') await change(admin, id, 'paused')
    else await admin.call('dashboard', 'DELETE /campaigns/:campaignId', { params: { campaignId: id } })
    const tables = campaignTables.filter((table) => table !== 'job')
    const before = await contents(app, tables)
    await app.another({ worker: { concurrency: 0 } })
    await app.planned()
    expect(await app.planJobs(tenantId, 'done')).toHaveLength(1)
    expect(await app.planJobs(tenantId, 'waiting')).toEqual([])
    expect(await contents(app, tables)).toEqual(before)
    expect((await admin.call('dashboard', 'GET /campaigns')).data).toMatchObject([
      { id, status, activityCount: { total: 0 } },
    ])
  })
})
