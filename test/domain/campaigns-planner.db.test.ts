import { describe, expect, it } from 'vitest'
import { Activity } from '../../packages/core/src/domain/activities/entities.ts'
import { changeCampaign } from '../../packages/core/src/domain/campaigns/change.ts'
import { createCampaign } from '../../packages/core/src/domain/campaigns/create.ts'
import { Campaign, Period } from '../../packages/core/src/domain/campaigns/entities.ts'
import { planCampaign } from '../../packages/core/src/domain/campaigns/planner.ts'
import {
  getCampaign,
  listCampaigns,
  listDeliverables,
} from '../../packages/core/src/domain/campaigns/queries.ts'
import { NewCampaign } from '../../packages/core/src/domain/campaigns/schemas.ts'
import type { EntityManager } from '../../packages/core/src/platform/database/database.ts'
import { createRig, type Rig } from './rig.ts'

const input = (more: object = {}) =>
  NewCampaign.parse({
    name: 'Spring',
    brief: 'Oats for breakfast.',
    deliverables: [{ type: 'blog_post', quantity: 2, platformIds: ['cms_site'] }],
    ...more,
  })

const inDatabase = <T>(rig: Rig, work: (em: EntityManager) => Promise<T>) => rig.db.unitOfWork('all', work)
const activitiesOf = (rig: Rig, campaignId: string) =>
  inDatabase(rig, (em) => em.find(Activity, { campaignId }, { orderBy: { id: 'asc' } }))
const plan = (rig: Rig, campaignId: string) => planCampaign(rig.system(), { campaignId })

async function close(rig: Rig, campaignId: string, status: 'done' | 'failed' = 'done') {
  await inDatabase(rig, async (em) => {
    for (const activity of await em.find(Activity, { campaignId })) activity.status = status
  })
}

describe('planCampaign', () => {
  it('opens every step of every piece, wakes the first ones and makes the campaign active', async () => {
    await using rig = await createRig('2026-06-10T09:00:00Z')
    const { ctx } = await rig.tenant()
    const { id } = await createCampaign(ctx, input())
    await plan(rig, id)
    const activities = await activitiesOf(rig, id)
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
    const runs = await rig.db.sql.get<{ n: number }>('select count(*) as n from runs')
    expect(Number(runs?.n)).toBe(2)
    expect(await getCampaign(ctx, id)).toMatchObject({ status: 'active' })
    expect(rig.events.at(-1)).toMatchObject({
      type: 'campaign_update',
      subject: id,
      data: { status: 'active' },
    })
    const [item] = (await listCampaigns(ctx, { limit: 1, order: 'desc' })).data
    expect(item?.activityCount).toEqual({ total: 4, inProgress: 0, pending: 4, done: 0 })
  })

  it('does nothing twice, and asks for the next period once a key', async () => {
    await using rig = await createRig('2026-06-10T09:00:00Z')
    const { ctx, id: tenantId } = await rig.tenant('Asia/Kolkata')
    const { id } = await createCampaign(ctx, input())
    await plan(rig, id)
    const first = (await activitiesOf(rig, id)).map((activity) => activity.id)
    await plan(rig, id)
    expect((await activitiesOf(rig, id)).map((activity) => activity.id)).toEqual(first)
    const asked = rig.jobs.filter(({ uniqueKey }) => uniqueKey)
    expect(asked).toHaveLength(2)
    expect(new Set(asked.map(({ uniqueKey }) => uniqueKey))).toEqual(
      new Set([`campaign.plan:${id}:2026-07-01`]),
    )
    expect(asked[0]).toMatchObject({
      tenantId,
      payload: { campaignId: id },
      runAt: new Date('2026-06-30T18:30:00Z'),
    })
  })

  it('fills in what is missing after it was stopped half-way', async () => {
    await using rig = await createRig('2026-06-10T09:00:00Z')
    const { ctx } = await rig.tenant()
    const { id } = await createCampaign(
      ctx,
      input({ deliverables: [{ type: 'social_post', quantity: 120 }] }),
    )
    await plan(rig, id)
    await inDatabase(rig, async (em) => {
      await em.nativeDelete(Activity, { campaignId: id, piece: { $gt: 70 } })
      const campaign = await em.findOneOrFail(Campaign, { id })
      campaign.status = 'draft'
    })
    await plan(rig, id)
    const pieces = (await activitiesOf(rig, id)).map(({ piece }) => piece)
    expect(pieces.toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 120 }, (_, index) => index + 1),
    )
  })

  it('serves one promise after another, with a template for each type', async () => {
    await using rig = await createRig('2026-06-10T09:00:00Z')
    const { ctx } = await rig.tenant()
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
    const { id } = await createCampaign(
      ctx,
      input({ deliverables: types.map((type) => ({ type, quantity: 1 })) }),
    )
    await plan(rig, id)
    const activities = await activitiesOf(rig, id)
    const finals = activities
      .filter(({ isFinalStep }) => isFinalStep)
      .map(({ deliverableType }) => deliverableType)
    expect(new Set(finals)).toEqual(new Set(types))
    const enabled = await rig.db.sql.all<{ role: string }>('select role from tenant_agents')
    for (const { agentRole } of activities) expect(enabled.map(({ role }) => role)).toContain(agentRole)
    expect(activities.map(({ title }) => title)).toContain('Website audit: audit')
  })

  it('waits for a start date in the tenant’s zone', async () => {
    await using rig = await createRig('2026-06-30T12:00:00Z')
    const { ctx } = await rig.tenant('America/Los_Angeles')
    const { id } = await createCampaign(ctx, input({ startDate: '2026-07-15', endDate: '2026-08-10' }))
    await plan(rig, id)
    expect(await activitiesOf(rig, id)).toEqual([])
    expect(await getCampaign(ctx, id)).toMatchObject({ status: 'draft' })
    expect(rig.jobs.at(-1)?.runAt).toEqual(new Date('2026-07-15T07:00:00Z'))

    rig.setTime('2026-07-15T07:00:00Z')
    await plan(rig, id)
    expect(await getCampaign(ctx, id)).toMatchObject({
      status: 'active',
      deliverables: [{ currentPeriod: { periodStart: '2026-07-15', periodEnd: '2026-07-31', target: 2 } }],
    })

    rig.setTime(rig.jobs.at(-1)?.runAt as Date)
    await plan(rig, id)
    const { data } = await listDeliverables(ctx, id)
    expect(data[0]?.periods.map(({ periodStart, periodEnd }) => [periodStart, periodEnd])).toEqual([
      ['2026-07-15', '2026-07-31'],
      ['2026-08-01', '2026-08-10'],
    ])
    expect(rig.jobs.at(-1)?.uniqueKey).toBe(`campaign.plan:${id}:2026-08-11`)
  })

  it('opens nothing for a campaign that is paused or archived', async () => {
    await using rig = await createRig('2026-06-10T09:00:00Z')
    const { ctx } = await rig.tenant()
    const { id } = await createCampaign(ctx, input())
    await changeCampaign(ctx, id, { status: 'paused' })
    const asked = rig.jobs.length
    await plan(rig, id)
    expect(await activitiesOf(rig, id)).toEqual([])
    expect(rig.jobs).toHaveLength(asked)
    expect(await getCampaign(ctx, id)).toMatchObject({ status: 'paused' })
  })

  it('completes a campaign that is over once nothing is open, and looks again each day until then', async () => {
    await using rig = await createRig('2026-06-10T09:00:00Z')
    const { ctx } = await rig.tenant()
    const { id } = await createCampaign(ctx, input({ endDate: '2026-06-20' }))
    await plan(rig, id)
    rig.setTime('2026-06-21T00:00:00Z')
    await plan(rig, id)
    expect(await getCampaign(ctx, id)).toMatchObject({ status: 'active' })
    expect(rig.jobs.at(-1)?.uniqueKey).toBe(`campaign.plan:${id}:2026-06-22`)
    await close(rig, id)
    await plan(rig, id)
    expect(await getCampaign(ctx, id)).toMatchObject({ status: 'completed' })
  })

  it('stretches the period of the month when the end date moves', async () => {
    await using rig = await createRig('2026-06-10T09:00:00Z')
    const { ctx } = await rig.tenant()
    const { id } = await createCampaign(ctx, input({ endDate: '2026-06-20' }))
    await plan(rig, id)
    await inDatabase(rig, async (em) => {
      const campaign = await em.findOneOrFail(Campaign, { id })
      campaign.endDate = '2026-06-28'
    })
    rig.setTime('2026-06-22T00:00:00Z')
    await plan(rig, id)
    const periods = await inDatabase(rig, (em) => em.find(Period, {}))
    expect(periods.map(({ periodStart, periodEnd }) => [periodStart, periodEnd])).toEqual([
      ['2026-06-10', '2026-06-28'],
    ])
    expect(await activitiesOf(rig, id)).toHaveLength(4)
  })
})

describe('the progress of a period', () => {
  it('counts finished pieces by their final step and begun ones until then', async () => {
    await using rig = await createRig('2026-06-01T09:00:00Z')
    const { ctx } = await rig.tenant()
    const { id } = await createCampaign(ctx, input({ deliverables: [{ type: 'blog_post', quantity: 4 }] }))
    await plan(rig, id)
    await inDatabase(rig, async (em) => {
      for (const activity of await em.find(Activity, { campaignId: id })) {
        if (activity.piece === 1) activity.status = 'done'
        if (activity.piece === 2 && activity.isFinalStep) activity.status = 'failed'
        if (activity.piece === 3 && !activity.isFinalStep) activity.status = 'done'
        if (Number(activity.piece) < 4) activity.startedAt = new Date('2026-06-01T09:30:00Z')
        if (activity.piece === 1) activity.costMicros = 1_500_000
      }
    })
    const detail = await getCampaign(ctx, id)
    const current = {
      periodStart: '2026-06-01',
      periodEnd: '2026-06-30',
      target: 4,
      completed: 1,
      inProgress: 2,
      status: 'on_track',
    }
    expect(detail.deliverables[0]?.currentPeriod).toEqual(current)
    expect(detail.spentUsd).toBe(3)
    expect(detail.costByAgent.slice(0, 2)).toEqual([
      { agentRole: 'blog_writer', costUsd: 1.5 },
      { agentRole: 'researcher', costUsd: 1.5 },
    ])
    expect(detail.recentActivities).toHaveLength(8)
    rig.setTime('2026-07-02T00:00:00Z')
    expect((await getCampaign(ctx, id)).deliverables[0]?.currentPeriod).toBeUndefined()
    expect((await listDeliverables(ctx, id)).data[0]?.periods).toMatchObject([
      { ...current, status: 'missed' },
    ])
  })
})
