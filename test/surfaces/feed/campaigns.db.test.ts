import { describe, expect, it } from 'vitest'
import { createTestApp, type Team } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'
import { waitForClient } from '../../kit/seeded-campaigns.ts'

type Status = 'dm_review' | 'client_review'

const move = (client: Team['member'], campaignId: string, status: Status, note?: string) =>
  client.call('tenant', 'PATCH /campaigns/:campaignId/status', {
    params: { campaignId },
    body: { status, ...(note !== undefined && { note }) },
  })

describe('a feed', () => {
  it('contains a campaign for those whose turn it is, until it has moved on', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const [ours, theirs] = [await app.team('Ours'), await app.team('Theirs')]
    const insert = createRowInserter(app, clock)
    await insert.approval(ours.tenantId, 'An approval of low risk', 'low', 30)
    const teamFeed = async (client: Team['member']) =>
      (await client.call('dashboard', 'GET /feed', { query: { 'filter.kind': 'campaign' } })).data
    const reviewed = async (client: Team['member'], query = {}) =>
      (await client.call('dm', 'GET /feed', { query })).data
    const campaignId = await waitForClient(ours.member, 'Rye')
    const item = {
      id: campaignId,
      kind: 'campaign',
      rank: 7,
      title: 'Rye ads',
      reason: 'Waits for your review: All about Rye',
      since: new Date(clock.now()).toISOString(),
      subject: { kind: 'campaign', id: campaignId },
      actions: ['change_status', 'snooze', 'dismiss'],
    }
    const whose = { tenantId: ours.tenantId, tenantName: 'Ours' }
    expect(await reviewed(ours.reviewer)).toMatchObject([{ ...item, ...whose }, { kind: 'approval' }])
    expect(await reviewed(ours.reviewer, { 'filter.kind': 'campaign' })).toEqual([{ ...item, ...whose }])
    expect(await reviewed(theirs.reviewer)).toEqual([])
    for (const client of [ours.admin, ours.member, theirs.admin]) expect(await teamFeed(client)).toEqual([])

    // What was dismissed is back with news.
    const dismissed = { params: { itemId: campaignId } }
    await ours.reviewer.call('dm', 'POST /feed/:itemId/dismiss', dismissed)
    expect(await reviewed(ours.reviewer, { 'filter.kind': 'campaign' })).toEqual([])
    clock.advance(1_000)
    await move(ours.reviewer, campaignId, 'dm_review', 'Louder')
    for (const client of [ours.admin, ours.member])
      expect(await teamFeed(client)).toMatchObject([
        { id: campaignId, reason: 'Waits for your review: Louder', rank: 7 },
      ])
    expect(await reviewed(ours.reviewer, { 'filter.kind': 'campaign' })).toEqual([])
    clock.advance(1_000)
    await move(ours.member, campaignId, 'client_review')
    expect(await teamFeed(ours.admin)).toEqual([])
    expect(await reviewed(ours.reviewer, { 'filter.kind': 'campaign' })).toMatchObject([
      { id: campaignId, reason: 'Waits for your review' },
    ])
    await ours.reviewer.call('tenant', 'POST /campaigns/:campaignId/approve', {
      params: { campaignId },
      body: { approved: true },
    })
    expect(await reviewed(ours.reviewer, { 'filter.kind': 'campaign' })).toEqual([])
  })
})
