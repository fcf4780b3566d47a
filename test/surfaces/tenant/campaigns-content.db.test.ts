import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { refusal } from '../refusal.ts'
import { type CampaignWork, createCampaignWork, unprocessable } from './campaign-work.ts'

let work: CampaignWork

beforeAll(async () => {
  work = await createCampaignWork()
})

afterAll(() => work[Symbol.asyncDispose]())

describe('tenant.campaigns.add_content', () => {
  it('has a piece made that waits for its verdict, unless the campaign stands still', async () => {
    const campaign = await work.create({ type: 'content_marketing' })
    for (const status of ['paused', 'archived'] as const) {
      await work.set(campaign, status)
      const before = await fingerprint(work.app.db)
      expect(await refusal(work.addContent(campaign))).toEqual(unprocessable)
      expect(await refusal(work.findAudience(campaign))).toEqual(unprocessable)
      expect(changedTables(before, await fingerprint(work.app.db))).toEqual([])
    }
    await work.set(campaign, 'draft')
    await work.addContent(campaign, { topic: 'Rye', notes: { tone: ['warm'] } })
    const piece = await work.waiting(campaign)
    const { data } = await work.team.reviewer.call('dm', 'GET /approvals', {
      query: { 'filter.status': 'pending', tenantId: work.team.tenantId },
    })
    const approval = data.find(({ title }) => title === piece.title)
    await work.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: approval?.id ?? '' },
      body: { resolution: 'approved' },
    })
    await work.app.until(
      async () => (await work.contentOf(campaign))[0]?.status === 'done',
      'the piece is done',
    )
    expect(await work.get(campaign)).toMatchObject({
      status: 'draft',
      primaryMetric: { name: 'pieces_finished', value: 1 },
    })
  })
})

describe('tenant.campaigns.content', () => {
  it('shows what has become of a text, and pages', async () => {
    const campaign = await work.create({ type: 'content_marketing' })
    for (const topic of ['Rye', 'Oats'])
      await work.team.member.call('tenant', 'POST /campaigns/:campaignId/content', {
        params: campaign,
        body: { deliverableType: 'blog_post', inputPayload: { topic } },
      })
    await work.app.until(
      async () => (await work.contentOf(campaign)).every(({ content }) => content !== null),
      'both posts are written',
    )
    const [newest] = await work.contentOf(campaign)
    expect(newest).toMatchObject({
      title: 'Blog post “Oats”',
      outputSummary: { version: 1, format: 'markdown' },
      content: { kind: 'blog_post', status: 'dm_review' },
    })
    const page = (query: object) =>
      work.team.reviewer.call('tenant', 'GET /campaigns/:campaignId/content', { params: campaign, query })
    const first = await page({ limit: 1 })
    expect(first).toMatchObject({ data: [newest], pagination: { hasMore: true } })
    expect((await page({ cursor: first.pagination.nextCursor })).data).toMatchObject([
      { title: 'Blog post “Rye”' },
    ])
  })
})
