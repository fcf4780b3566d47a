import { describe, expect, it } from 'vitest'
import { campaign, createPlanningApp } from './planning.ts'

describe('the progress of a period', () => {
  it('counts completed deliverables by their final step and started ones before', async () => {
    await using app = await createPlanningApp('2026-06-29T09:00:00Z')
    const { logIn } = await app.tenantIn('UTC')
    const body = campaign({ deliverables: [{ type: 'blog_post', quantity: 4 }] })
    const { id: campaignId } = await (await logIn()).call('dashboard', 'POST /campaigns', { body })
    await app.planned()
    const began = new Date('2026-06-29T09:30:00Z')
    await app.run('update activities set started_at = ? where piece < 4', began)
    await app.run(`update activities set status = 'done', cost_micros = 1500000 where piece = 1`)
    await app.run(`update activities set status = 'failed' where piece = 2 and step_number = 2`)
    await app.run(`update activities set status = 'done' where piece = 3 and step_number = 1`)
    await app.run(`update activities set status = 'blocked' where piece = 3 and step_number = 2`)
    const params = { campaignId }
    const look = async () => {
      const admin = await logIn()
      const detail = await admin.call('dashboard', 'GET /campaigns/:campaignId', { params })
      const { data } = await admin.call('dashboard', 'GET /campaigns/:campaignId/deliverables', { params })
      return { detail, periods: data[0]?.periods }
    }
    const current = {
      periodStart: '2026-06-29',
      periodEnd: '2026-06-30',
      target: 4,
      completed: 1,
      inProgress: 2,
      status: 'on_track',
    }
    const { detail } = await look()
    expect(detail.deliverables[0]?.currentPeriod).toEqual(current)
    expect(detail.spentUsd).toBe(3)
    expect(detail.costByAgent.slice(0, 2)).toEqual([
      { agentRole: 'blog_writer', costUsd: 1.5 },
      { agentRole: 'researcher', costUsd: 1.5 },
    ])
    expect(detail.recentActivities).toHaveLength(8)

    await app.goTo('2026-06-30T00:00:00Z')
    expect((await look()).detail.deliverables[0]?.currentPeriod).toEqual({ ...current, status: 'at_risk' })
    await app.run(`update activities set status = 'done' where piece = 2 and step_number = 1`)
    const late = { ...current, inProgress: 1, status: 'at_risk' }
    expect((await look()).detail.deliverables[0]?.currentPeriod).toEqual(late)
    // Held, so that no period of July is opened.
    await (await logIn()).call('dashboard', 'PATCH /campaigns/:campaignId', {
      params,
      body: { status: 'paused' },
    })
    await app.goTo('2026-07-01T00:00:00Z')
    const over = await look()
    expect(over.detail.deliverables[0]).not.toHaveProperty('currentPeriod')
    expect(over.periods).toMatchObject([{ ...late, status: 'missed' }])
  })
})
