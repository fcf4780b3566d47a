import type { Client } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { brief } from '../../kit/app.ts'
import { asJson } from '../../kit/columns.ts'
import { campaign, createPlanningApp, type PlanningApp, type PlanningTenant } from './planning.ts'

async function create(app: PlanningApp, admin: Client, more: object = {}): Promise<string> {
  const { id } = await admin.call('dashboard', 'POST /campaigns', { body: campaign(more) })
  await app.planned()
  return id
}

const detail = async ({ logIn }: PlanningTenant, campaignId: string) =>
  (await logIn()).call('dashboard', 'GET /campaigns/:campaignId', { params: { campaignId } })

/** First and last day of each period, and how it stands. */
async function periods({ logIn }: PlanningTenant, campaignId: string) {
  const admin = await logIn()
  const { data } = await admin.call('dashboard', 'GET /campaigns/:campaignId/deliverables', {
    params: { campaignId },
  })
  return data[0]?.periods.map(({ periodStart, periodEnd, status }) => [periodStart, periodEnd, status])
}

const change = async ({ logIn }: PlanningTenant, campaignId: string, status: 'active' | 'paused') =>
  (await logIn()).call('dashboard', 'PATCH /campaigns/:campaignId', {
    params: { campaignId },
    body: { status },
  })

describe('a start date', () => {
  it('is awaited in the zone of the tenant', async () => {
    await using app = await createPlanningApp('2026-07-29T20:00:00Z')
    const tenant = await app.tenantIn('America/Los_Angeles')
    const id = await create(app, await tenant.logIn(), { startDate: '2026-07-30', endDate: '2026-08-10' })
    const asked = await app.planJobs(tenant.tenantId, 'waiting')
    expect(asked.map(({ runAt }) => runAt)).toEqual([new Date('2026-07-30T07:00:00Z')])

    await app.goTo('2026-07-30T06:59:59Z')
    expect(await app.activitiesOf(id)).toEqual([])
    const waiting = await detail(tenant, id)
    expect(waiting.status).toBe('draft')
    expect(waiting.deliverables[0]).not.toHaveProperty('currentPeriod')

    await app.goTo('2026-07-30T07:00:00Z')
    expect(await detail(tenant, id)).toMatchObject({
      status: 'active',
      deliverables: [{ currentPeriod: { periodStart: '2026-07-30', periodEnd: '2026-07-31', target: 2 } }],
    })
    expect(await app.activitiesOf(id)).toHaveLength(4)
  })
})

describe('a period', () => {
  it('begins and ends with the month of the tenant, in any zone', async () => {
    await using app = await createPlanningApp('2026-06-30T20:00:00Z')
    const east = await app.tenantIn('Pacific/Kiritimati')
    const west = await app.tenantIn('America/Los_Angeles')
    const ids = { east: await create(app, await east.logIn()), west: await create(app, await west.logIn()) }
    const next = async ({ tenantId }: PlanningTenant) =>
      (await app.planJobs(tenantId, 'waiting')).map(({ runAt }) => runAt.toISOString())
    expect(await periods(east, ids.east)).toEqual([['2026-07-01', '2026-07-31', 'on_track']])
    expect(await next(east)).toEqual(['2026-07-31T10:00:00.000Z'])
    expect(await next(west)).toEqual(['2026-07-01T07:00:00.000Z'])

    await app.goTo('2026-07-01T06:59:59Z')
    expect(await periods(west, ids.west)).toEqual([['2026-06-30', '2026-06-30', 'at_risk']])
    await app.goTo('2026-07-01T07:00:00Z')
    expect(await periods(west, ids.west)).toEqual([
      ['2026-06-30', '2026-06-30', 'missed'],
      ['2026-07-01', '2026-07-31', 'on_track'],
    ])
    expect(await app.activitiesOf(ids.west)).toHaveLength(8)
    expect(await next(west)).toEqual(['2026-08-01T07:00:00.000Z'])
    expect(await app.activitiesOf(ids.east)).toHaveLength(4)
  })

  it('is shortened to the last day of the campaign', async () => {
    await using app = await createPlanningApp('2026-07-31T12:00:00Z')
    const tenant = await app.tenantIn('America/Los_Angeles')
    const id = await create(app, await tenant.logIn(), { endDate: '2026-08-10' })
    await app.goTo('2026-08-01T07:00:00Z')
    expect((await periods(tenant, id))?.map(([first, last]) => [first, last])).toEqual([
      ['2026-07-31', '2026-07-31'],
      ['2026-08-01', '2026-08-10'],
    ])
    expect(await app.planJobs(tenant.tenantId, 'waiting')).toEqual([
      {
        status: 'waiting',
        uniqueKey: `campaign.plan:${id}:2026-08-11`,
        runAt: new Date('2026-08-11T07:00:00Z'),
      },
    ])
  })

  it('is extended when the end date moves', async () => {
    await using app = await createPlanningApp('2026-06-19T18:00:00Z')
    const tenant = await app.tenantIn('UTC')
    const id = await create(app, await tenant.logIn(), { endDate: '2026-06-20' })
    await app.run(`update campaigns set end_date = '2026-06-28' where id = ?`, id)
    await app.goTo('2026-06-21T00:00:00Z')
    expect((await periods(tenant, id))?.map(([first, last]) => [first, last])).toEqual([
      ['2026-06-19', '2026-06-28'],
    ])
    expect(await app.activitiesOf(id)).toHaveLength(4)
  })

  it('that began while the campaign was paused is planned when it is resumed', async () => {
    await using app = await createPlanningApp('2026-06-30T20:00:00Z')
    const tenant = await app.tenantIn('UTC')
    const id = await create(app, await tenant.logIn())
    await change(tenant, id, 'paused')
    await app.goTo('2026-07-01T00:00:00Z')
    expect(await periods(tenant, id)).toEqual([['2026-06-30', '2026-06-30', 'missed']])
    expect(await app.planJobs(tenant.tenantId, 'waiting')).toEqual([])

    await change(tenant, id, 'active')
    await app.planned()
    expect(await periods(tenant, id)).toEqual([
      ['2026-06-30', '2026-06-30', 'missed'],
      ['2026-07-01', '2026-07-31', 'on_track'],
    ])
    expect(await app.activitiesOf(id)).toHaveLength(8)
  })
})

describe('a campaign whose end has passed', () => {
  it('is completed once no activity is open, and is checked each day until then', async () => {
    await using app = await createPlanningApp('2026-06-20T18:00:00Z', { worker: { concurrency: 2 } })
    const tenant = await app.tenantIn('Europe/Berlin')
    const id = await create(app, await tenant.logIn(), {
      brief,
      endDate: '2026-06-20',
      deliverables: [{ type: 'social_post', quantity: 1 }],
    })
    const { id: approvalId } = await app.until(
      () => app.db.sql.get<{ id: string }>(`select id from approvals where status = 'pending'`),
      'an approval is pending',
    )
    await app.goTo('2026-06-20T22:00:00Z')
    expect((await detail(tenant, id)).status).toBe('active')
    const asked = await app.planJobs(tenant.tenantId, 'waiting')
    expect(asked).toMatchObject([
      { uniqueKey: `campaign.plan:${id}:2026-06-22`, runAt: new Date('2026-06-21T22:00:00Z') },
    ])

    const admin = await tenant.logIn()
    await admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId },
      body: { resolution: 'approved' },
    })
    await app.until(async () => (await app.activitiesOf(id))[0]?.status === 'done', 'the piece is done')
    expect((await detail(tenant, id)).status).toBe('active')
    await app.goTo('2026-06-21T22:00:00Z')
    expect((await detail(tenant, id)).status).toBe('completed')
    expect(await app.planJobs(tenant.tenantId, 'waiting')).toEqual([])
    const told = await app.db.sql.all('select data from event where subject = ? order by seq', [id])
    expect(asJson(told.at(-1)?.['data'])).toEqual({ campaignId: id, name: 'Spring', status: 'completed' })
    const notes = await app.db.sql.all(`select * from notifications where subject_id = ?`, [id])
    expect(notes).toMatchObject([{ type: 'campaign_update', title: 'Completed: Spring' }])
  })
})
