import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CampaignWork, createCampaignWork } from './campaign-work.ts'

let work: CampaignWork

beforeAll(async () => {
  work = await createCampaignWork()
})

afterAll(() => work[Symbol.asyncDispose]())

describe('tenant.campaigns.generate_audience', () => {
  it('keeps the groups as segments, and replaces only those that no person has changed', async () => {
    const campaign = await work.create()
    const started = await work.findAudience(campaign)
    expect(started.status).toBe('queued')
    const found = await work.app.until(async () => {
      const segments = await work.segmentsOf(campaign)
      return segments.length > 0 && segments
    }, 'the audience is found')
    expect(found).toMatchObject([
      {
        name: 'Cafés',
        segmentType: 'platform_audience',
        filters: { description: 'They order before noon.' },
        estimatedSize: null,
        source: 'agent',
      },
    ])
    const own = await work.team.member.call('tenant', 'PATCH /campaigns/:campaignId/audience/:segmentId', {
      params: { ...campaign, segmentId: found[0]?.id ?? '' },
      body: { name: 'Cafés by the river' },
    })
    await work.findAudience(campaign)
    const after = await work.app.until(async () => {
      const segments = await work.segmentsOf(campaign)
      return segments.length > 1 && segments
    }, 'the audience is found once more')
    expect(after.map(({ name, source }) => [name, source])).toEqual([
      ['Cafés by the river', 'manual'],
      ['Cafés', 'agent'],
    ])
    expect(after[0]).toEqual(own)
    expect((await work.get(campaign)).audience).toEqual(after)
  })
})

describe('tenant.campaigns.change', () => {
  it('goes on by itself under autopilot, but never past people', async () => {
    const campaign = await work.create()
    await work.team.member.call('tenant', 'PATCH /campaigns/:campaignId', {
      params: campaign,
      body: { autoPilotEnabled: true },
    })
    await work.writeBrief(campaign)
    await work.app.until(async () => (await work.segmentsOf(campaign)).length > 0, 'the audience is found')
    expect((await work.segmentsOf(campaign)).map(({ name }) => name)).toContain('Cafés')
    expect((await work.get(campaign)).status).toBe('dm_review')
    await work.set(campaign, 'client_review')
    await work.approve(campaign)
    await work.reached(campaign, 'active')
    const piece = await work.waiting(campaign)
    expect(piece).toMatchObject({ deliverableType: 'ad_copy', agentRole: 'ads_writer' })
    // One piece, however often it is planned.
    await work.set(campaign, 'paused')
    await work.set(campaign, 'active')
    await work.app.until(
      async () =>
        !(await work.app.db.sql.get(
          `select id from job where kind = 'campaign.plan' and status in ('waiting', 'running') and run_at <= ?`,
          [new Date()],
        )),
      'it is planned',
    )
    expect(
      (await work.contentOf(campaign)).filter(({ deliverableType }) => deliverableType !== null),
    ).toHaveLength(1)
  })
})
