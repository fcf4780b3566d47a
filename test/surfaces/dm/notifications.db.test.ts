import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { waitForClient } from '../../kit/seeded-campaigns.ts'
import { tell } from '../notified.ts'
import { refusal } from '../refusal.ts'
import { addReviewer } from '../steering.ts'

const clock = createTestClock()
let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ clock, worker: false })
})
afterAll(() => app[Symbol.asyncDispose]())

const inbox = (reviewer: Team['reviewer'], query: object = {}) =>
  reviewer.call('dm', 'GET /notifications', { query })
const titles = async (reviewer: Team['reviewer'], query: object = { 'filter.read': false }) =>
  (await inbox(reviewer, query)).data.map(({ title }) => title)
const teamTitles = async (client: Team['member']) =>
  (await client.call('tenant', 'GET /notifications', { query: { 'filter.read': false } })).data.map(
    ({ title }) => title,
  )
const move = (client: Team['member'], campaignId: string, status: 'dm_review' | 'client_review' | 'draft') =>
  client.call('tenant', 'PATCH /campaigns/:campaignId/status', {
    params: { campaignId },
    body: { status, note: 'Louder' },
  })

describe('dm.notifications.list', () => {
  it('tells the reviewers of a tenant once that a campaign waits for the client, until it has moved on', async () => {
    const [ours, theirs] = [await app.team('Ours'), await app.team('Theirs')]
    const second = await addReviewer(app, 'second', [ours.tenantId, theirs.tenantId])
    const campaignId = await waitForClient(ours.member, 'Rye')
    await move(ours.member, campaignId, 'client_review')
    const waits = 'Waits for the client: Rye ads'
    expect(await inbox(ours.reviewer)).toMatchObject({
      data: [
        {
          type: 'campaign_update',
          title: waits,
          body: 'All about Rye',
          read: false,
          deepLink: `copydesk://campaigns/${campaignId}`,
          tenantId: ours.tenantId,
          tenantName: 'Ours',
        },
      ],
      unreadCount: 1,
    })
    expect(await titles(second.client)).toEqual([waits])
    expect(await titles(second.client, { tenantId: theirs.tenantId })).toEqual([])
    expect(await titles(theirs.reviewer)).toEqual([])
    expect(await refusal(inbox(ours.reviewer, { tenantId: theirs.tenantId }))).toMatchObject({ status: 403 })
    expect(await teamTitles(ours.admin)).toEqual([waits])
    expect(await teamTitles(ours.member)).toEqual([])

    // The one who sends it back is not told; what waited is done for everybody.
    await move(ours.reviewer, campaignId, 'dm_review')
    for (const reviewer of [ours.reviewer, second.client]) expect(await titles(reviewer)).toEqual([])
    const back = 'To be reviewed: Rye ads'
    expect(await teamTitles(ours.admin)).toEqual([back])
    expect(await teamTitles(ours.member)).toEqual([back])
    await move(ours.member, campaignId, 'client_review')
    expect(await teamTitles(ours.member)).toEqual([])
    expect(await titles(second.client)).toEqual([waits])
    await ours.admin.call('tenant', 'DELETE /campaigns/:campaignId', { params: { campaignId } })
    expect(await titles(second.client)).toEqual([])
    expect(await titles(second.client, {})).toEqual([waits, waits])
  })

  it('pages by cursor, newest first, over all assigned tenants, and drops a tenant with its assignment', async () => {
    const [ours, theirs] = [await app.team(), await app.team()]
    const { id, client } = await addReviewer(app, 'paging', [ours.tenantId, theirs.tenantId])
    for (const [title, { tenantId }] of [
      ['1', ours],
      ['2', theirs],
      ['3', ours],
    ] as const) {
      clock.advance(1)
      await tell(app, { tenantId, to: [id], title })
    }
    const first = await inbox(client, { limit: 2 })
    expect(first.data.map(({ title }) => title)).toEqual(['3', '2'])
    const cursor = first.pagination.nextCursor ?? ''
    expect(await titles(client, { limit: 2, cursor })).toEqual(['1'])
    await app.db.write((tx) =>
      tx.run('delete from tenant_assignments where user_id = ? and tenant_id = ?', [id, theirs.tenantId]),
    )
    expect(await inbox(client)).toMatchObject({ data: [{ title: '3' }, { title: '1' }], unreadCount: 2 })
  })
})

describe('dm.notifications.read', () => {
  it('marks notifications of the caller alone, those that are named or all', async () => {
    const team = await app.team()
    const { id, client } = await addReviewer(app, 'marking', [team.tenantId])
    await tell(app, { tenantId: team.tenantId, to: [id, team.reviewerId], title: 'Both' })
    await tell(app, { tenantId: team.tenantId, to: [id], title: 'One' })
    const ids = (await inbox(team.reviewer)).data.map((one) => one.id)
    const read = (body: object) => client.call('dm', 'PATCH /notifications/read', { body })
    expect(await read({ ids })).toEqual({ marked: 0 })
    expect(await read({ markAll: true })).toEqual({ marked: 2 })
    expect(await titles(client)).toEqual([])
    expect(await titles(team.reviewer)).toEqual(['Both'])
  })
})
