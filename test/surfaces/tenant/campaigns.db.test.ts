import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { refusal } from '../refusal.ts'

let app: TestApp
let team: Team

beforeAll(async () => {
  app = await createTestApp({ clock: createTestClock(), worker: false })
  team = await app.team()
})

afterAll(() => app[Symbol.asyncDispose]())

const ads = {
  name: 'Ads',
  type: 'paid_ads' as const,
  channel: ['search_ads', 'social_ads'],
  goal: 'leads',
}

const create = (body: object = {}, by = team.member) =>
  by.call('tenant', 'POST /campaigns', { body: { ...ads, ...body } })

const get = (campaignId: string, by = team.member) =>
  by.call('tenant', 'GET /campaigns/:campaignId', { params: { campaignId } })

const set = (by: Client, campaignId: string, status: Status, note?: string) =>
  by.call('tenant', 'PATCH /campaigns/:campaignId/status', {
    params: { campaignId },
    body: { status, ...(note && { note }) },
  })

const approve = (by: Client, campaignId: string, approved = true, note?: string) =>
  by.call('tenant', 'POST /campaigns/:campaignId/approve', {
    params: { campaignId },
    body: { approved, ...(note && { note }) },
  })

type Status = Awaited<ReturnType<typeof create>>['status']

const forbidden = { status: 403, code: 'FORBIDDEN', field: undefined }
const missing = { status: 404, code: 'NOT_FOUND', field: undefined }

describe('tenant.campaigns.create', () => {
  it('creates a draft that no agent works on, and shows it on every surface', async () => {
    const made = await create({ budget: 1250.5, startDate: '2026-05-01', endDate: '2026-05-31' })
    expect(made).toMatchObject({
      ...ads,
      status: 'draft',
      source: 'manual',
      budget: 1250.5,
      budgetCurrency: 'USD',
      startDate: '2026-05-01',
      endDate: '2026-05-31',
      brief: null,
      autoPilotEnabled: false,
      deliverablePeriodId: null,
      primaryMetric: { name: 'conversions', value: null },
      audience: [],
      metrics: [],
      activities: [],
      sequences: [],
      createdBy: { name: 'Mia Member' },
    })
    expect(await get(made.id, team.reviewer)).toEqual(made)
    const params = { campaignId: made.id }
    expect(await team.admin.call('dashboard', 'GET /campaigns/:campaignId', { params })).toMatchObject({
      name: 'Ads',
      status: 'draft',
      deliverables: [],
    })
    const planned = `select id from job where kind = 'campaign.plan' and cast(payload as text) like ?`
    expect(await app.db.sql.all(planned, [`%${made.id}%`])).toEqual([])
  })

  it('names the field of what it does not take', async () => {
    const bad: Array<[object, string]> = [
      [{ type: 'fax' }, 'type'],
      [{ channel: ['Search Ads'] }, 'channel.0'],
      [{ goal: ' ' }, 'goal'],
      [{ budget: -1 }, 'budget'],
      [{ budgetCurrency: 'euro' }, 'budgetCurrency'],
      [{ startDate: '2026-05-02', endDate: '2026-05-01' }, 'endDate'],
      [{ status: 'active' }, 'status'],
    ]
    for (const [body, field] of bad)
      expect(await refusal(create(body))).toEqual({ status: 400, code: 'VALIDATION_ERROR', field })
    const { id } = await create()
    expect(await refusal(create({ deliverablePeriodId: id }))).toEqual({
      ...missing,
      field: 'deliverablePeriodId',
    })
    expect(await refusal(create({}, team.reviewer))).toEqual(forbidden)
  })
})

describe('tenant.campaigns.list', () => {
  it('filters by type, channel, status and goal, and pages by number', async () => {
    const other = await app.team()
    const made: string[] = []
    for (const [type, channel] of [
      ['email_marketing', ['email']],
      ['paid_ads', ['search_ads']],
      ['paid_ads', ['searchxads']],
    ] as const)
      made.unshift((await create({ type, channel, goal: 'sales' }, other.member)).id)
    await set(other.admin, made[0] ?? '', 'paused')
    const ids = async (query: object) =>
      (await other.reviewer.call('tenant', 'GET /campaigns', { query })).data.map(({ id }) =>
        made.indexOf(id),
      )
    expect(await ids({})).toEqual([0, 1, 2])
    expect(await ids({ type: 'paid_ads' })).toEqual([0, 1])
    expect(await ids({ channel: 'search_ads' })).toEqual([1])
    expect(await ids({ status: 'paused', goal: 'sales' })).toEqual([0])
    expect(await ids({ goal: 'leads' })).toEqual([])
    const page = await other.member.call('tenant', 'GET /campaigns', { query: { page: 2, limit: 2 } })
    expect(page.data.map(({ id }) => id)).toEqual(made.slice(2))
    expect(page.pagination).toEqual({
      hasMore: false,
      nextCursor: null,
      total: 3,
      page: 2,
      limit: 2,
      pages: 2,
    })
  })
})

describe('tenant.campaigns.change', () => {
  it('changes what is named, and not the status', async () => {
    const { id } = await create({ startDate: '2026-05-01' })
    const params = { campaignId: id }
    const change = (body: object) =>
      team.member.call('tenant', 'PATCH /campaigns/:campaignId', { params, body })
    const changes = {
      name: 'More ads',
      brief: '# Rye',
      budget: 10,
      budgetCurrency: 'EUR',
      endDate: '2026-06-01',
    }
    expect(await change(changes)).toMatchObject({ ...ads, ...changes, startDate: '2026-05-01' })
    expect(await change({ startDate: null, budget: null })).toMatchObject({ startDate: null, budget: null })
    expect(await refusal(change({ startDate: '2026-07-01' }))).toMatchObject({ field: 'startDate' })
    expect(await refusal(change({ status: 'active' }))).toMatchObject({ status: 400, field: 'status' })
  })
})

describe('tenant.campaigns.archive', () => {
  it('archives a campaign, which cannot be changed from then on', async () => {
    const { id } = await create()
    const params = { campaignId: id }
    const archive = () => team.member.call('tenant', 'DELETE /campaigns/:campaignId', { params })
    await archive()
    await archive()
    expect(await get(id)).toMatchObject({ status: 'archived', name: 'Ads' })
    const before = await fingerprint(app.db)
    const change = team.member.call('tenant', 'PATCH /campaigns/:campaignId', {
      params,
      body: { name: 'No' },
    })
    expect(await refusal(change)).toMatchObject({ status: 422, code: 'UNPROCESSABLE' })
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  })
})

describe('tenant.campaigns.status', () => {
  const statuses: Status[] = [
    'draft',
    'dm_review',
    'client_review',
    'client_approved',
    'active',
    'paused',
    'completed',
    'archived',
  ]
  const allowed = {
    admin: (_from: Status, to: Status) => (to === 'client_approved' ? 422 : 200),
    member: (from: Status, to: Status) =>
      to === 'client_approved' ? 422 : from === 'archived' || to === 'archived' ? 403 : 200,
    reviewer: (from: Status, to: Status) => (from === 'client_review' && to === 'dm_review' ? 200 : 403),
  }

  it('lets each role make its moves, from every status to every other, and no more', async () => {
    const { id } = await create()
    const put = (status: Status) =>
      app.db.write((tx) => tx.run('update campaigns set status = ? where id = ?', [status, id]))
    const found: string[] = []
    const wanted: string[] = []
    for (const role of ['admin', 'member', 'reviewer'] as const)
      for (const from of statuses)
        for (const to of statuses.filter((one) => one !== from)) {
          await put(from)
          const answer = await refusal(set(team[role], id, to))
          const status = typeof answer === 'string' ? 200 : answer.status
          const { status: now } = await get(id)
          const moved = status === 200 ? now === to : now === from
          found.push(`${role}: ${from} to ${to}: ${status}${moved ? '' : ', but it is not so'}`)
          wanted.push(`${role}: ${from} to ${to}: ${allowed[role](from, to)}`)
        }
    expect(found).toEqual(wanted)
  })

  it('keeps the note, and changes nothing where the status is the same', async () => {
    const { id } = await create()
    expect(await set(team.member, id, 'dm_review', 'Look at it')).toMatchObject({ statusNote: 'Look at it' })
    const told = await app.db.sql.all<{ data: string }>(
      'select cast(data as text) as data from event where subject = ? order by seq',
      [id],
    )
    expect(JSON.parse(told.at(-1)?.data ?? '')).toMatchObject({
      status: 'draft',
      workflowStatus: 'dm_review',
    })
    const before = await fingerprint(app.db)
    expect(await set(team.member, id, 'dm_review', 'Again')).toMatchObject({ statusNote: 'Look at it' })
    // That it was asked for is written down.
    expect(changedTables(before, await fingerprint(app.db))).toEqual(['audit_records'])
  })
})

describe('tenant.campaigns.approve', () => {
  it('takes one verdict of the client, of two at once as well, and only in client_review', async () => {
    const { id } = await create()
    const conflict = { status: 409, code: 'CONFLICT', field: undefined }
    expect(await refusal(approve(team.reviewer, id))).toEqual(conflict)
    await set(team.member, id, 'client_review')
    for (const client of [team.admin, team.member])
      expect(await refusal(approve(client, id))).toEqual(forbidden)
    expect(await approve(team.reviewer, id, false, 'Too loud')).toMatchObject({
      status: 'dm_review',
      statusNote: 'Too loud',
    })
    await set(team.member, id, 'client_review')
    const both = await Promise.all([
      refusal(approve(team.reviewer, id, true)),
      refusal(approve(team.reviewer, id, false)),
    ])
    expect(both.filter((answer) => typeof answer !== 'string')).toEqual([conflict])
    const { status } = await get(id)
    expect(status).toBe(both[0] === 'was not refused' ? 'client_approved' : 'dm_review')
  })

  it('tells the admins whose turn it is, and what the client said', async () => {
    const { id } = await create({ name: 'Told' })
    await set(team.member, id, 'client_review', 'Is it right?')
    await approve(team.reviewer, id, true)
    const { data } = await team.admin.call('tenant', 'GET /notifications', {})
    expect(data.filter(({ title }) => title.endsWith(': Told'))).toMatchObject([
      { title: 'Approved by the client: Told' },
      { title: 'Waits for the client: Told', body: 'Is it right?' },
    ])
  })
})

describe('tenant.campaigns.get', () => {
  it('knows nothing of the campaigns of another tenant, as all the others', async () => {
    const stranger = await app.team()
    const { id } = await create()
    await set(team.member, id, 'client_review')
    const before = await fingerprint(app.db)
    for (const call of [
      () => get(id, stranger.member),
      () => set(stranger.admin, id, 'active'),
      () => approve(stranger.reviewer, id),
      () => stranger.reviewer.call('dm', 'GET /campaigns/:campaignId', { params: { campaignId: id } }),
      () => stranger.admin.call('tenant', 'DELETE /campaigns/:campaignId', { params: { campaignId: id } }),
    ])
      expect(await refusal(call())).toEqual(missing)
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  })
})
