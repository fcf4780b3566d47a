import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'
import { refusal } from '../refusal.ts'
import {
  actsOn,
  audience,
  type CampaignWork,
  createCampaignWork,
  type Place,
  unprocessable,
} from './campaign-work.ts'

let work: CampaignWork

beforeAll(async () => {
  work = await createCampaignWork()
})

afterAll(() => work[Symbol.asyncDispose]())

const conflict = { status: 409, code: 'CONFLICT', field: undefined }

describe('tenant.campaigns.generate_brief', () => {
  it('takes a campaign from a draft by its brief, the team and the client to its start', async () => {
    const campaign = await work.create({ budget: 250 })
    const both = await Promise.allSettled([work.writeBrief(campaign), work.writeBrief(campaign)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const written = await work.reached(campaign, 'dm_review')
    expect(written.brief).toContain(audience)
    expect(written.brief).toContain('Night loaf: Rye bread that is baked at night')
    expect(written.brief).toContain('Its budget is 250 USD.')
    expect(written.brief).toContain('“best ever”')
    expect(written.brief).toContain('No model was used.')
    const [writing] = written.activities
    expect(writing).toMatchObject({
      agentRole: 'brief_writer',
      status: 'done',
      campaignId: campaign.campaignId,
    })
    const output = await work.team.member.call('dashboard', 'GET /activities/:activityId/output', {
      params: { activityId: writing?.id ?? '' },
    })
    expect(output.text).toBe(written.brief)
    expect(
      await work.team.admin.call('dashboard', 'GET /campaigns/:campaignId', { params: campaign }),
    ).toMatchObject({ status: 'draft', brief: written.brief })

    const asked = await work.addContent(campaign, { topic: 'Bread for Monday' })
    expect(asked).toMatchObject({
      title: 'Ad copy “Bread for Monday”',
      type: 'draft',
      deliverableType: 'ad_copy',
    })
    const piece = await work.waiting(campaign)
    expect(piece).toMatchObject({ id: asked.id, content: null, outputSummary: { version: 1 } })
    expect(piece.outputSummary?.preview).toContain('Night loaf')
    await work.set(campaign, 'client_review')
    expect(await work.approve(campaign, false)).toMatchObject({ status: 'dm_review' })
    await work.set(campaign, 'client_review')
    expect(await work.approve(campaign)).toMatchObject({ status: 'client_approved' })
    expect(await refusal(work.writeBrief(campaign))).toEqual(unprocessable)
    const started = await work.team.admin.call('dashboard', 'PATCH /campaigns/:campaignId', {
      params: campaign,
      body: { status: 'active' },
    })
    expect(started.status).toBe('active')
    expect(await work.get(campaign)).toMatchObject({ status: 'active', brief: written.brief })
  })

  it('starts a campaign on its start date once the client has approved it', async () => {
    const campaign = await work.create({ startDate: '2026-01-01' })
    await work.set(campaign, 'client_review')
    await work.approve(campaign)
    expect((await work.reached(campaign, 'active')).activities).toEqual([])
  })

  it('leaves a campaign alone that people have moved on meanwhile', async () => {
    await using still = await createTestApp({ worker: false })
    const other = actsOn(still, await still.team())
    const campaign = await other.create()
    await other.writeBrief(campaign)
    expect(await refusal(other.writeBrief(campaign))).toEqual(conflict)
    await other.set(campaign, 'client_review')
    await still.another({ worker: { concurrency: 2 } })
    await still.until(
      async () => (await other.get(campaign)).activities[0]?.status === 'done',
      'the brief is written',
    )
    expect(await other.get(campaign)).toMatchObject({ status: 'client_review', brief: null })
  })

  it('holds work back while the campaign is paused', async () => {
    await using still = await createTestApp({ worker: false })
    const other = actsOn(still, await still.team())
    const paused = await other.create()
    const open = await other.create()
    await other.writeBrief(paused)
    await other.writeBrief(open)
    await other.set(paused, 'paused')
    await still.another({ worker: { concurrency: 2 } })
    const isIn = (campaign: Place, status: string) => async () =>
      (await other.get(campaign)).status === status
    await still.until(isIn(open, 'dm_review'), 'the other brief is written')
    expect((await other.get(paused)).activities).toMatchObject([{ status: 'assigned' }])
    await other.set(paused, 'draft')
    await still.until(isIn(paused, 'dm_review'), 'the brief is written')
  })
})
