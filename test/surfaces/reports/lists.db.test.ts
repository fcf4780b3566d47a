import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Team } from '../../kit/app.ts'
import { refusal } from '../refusal.ts'
import { createReportHarness, type ReportHarness } from './fixtures.ts'

let harness: ReportHarness
let theirs: Team
let campaignId: string
let spring: string
let january: string
let latest: string

/**
 * Three reports of one tenant, on a campaign, on one month and on the current one; another tenant has none.
 */
beforeAll(async () => {
  harness = await createReportHarness()
  theirs = await harness.app.team('Theirs')
  const agent = await harness.order()
  await agent.deliver('A post')
  campaignId = agent.campaignId
  spring = await harness.report({
    periodStart: '2026-02-01',
    periodEnd: '2026-02-28',
    campaignIds: [campaignId],
  })
  january = await harness.report({ type: 'custom', periodStart: '2026-01-01', periodEnd: '2026-01-31' })
  latest = await harness.report({ periodStart: '2026-03-01', periodEnd: '2026-03-31' })
})

afterAll(() => harness[Symbol.asyncDispose]())

/** Runs with a report in another state. */
async function as(status: string, reportId: string, look: () => Promise<void>) {
  const set = (to: string) =>
    harness.app.db.write((tx) => tx.run('update reports set status = ? where id = ?', [to, reportId]))
  await set(status)
  await look()
  await set('ready')
}

const missing = { status: 404, code: 'NOT_FOUND', field: undefined }

describe('dm.reports.list', () => {
  const list = async (client: Client, query = {}) =>
    (await client.call('dm', 'GET /reports', { query })).data.map(({ id }) => id)

  it('lists the reports of assigned tenants, newest first, by tenant, type, state and page', async () => {
    const { reviewer, tenantId } = harness.team
    expect(await list(reviewer)).toEqual([latest, january, spring])
    const page = await reviewer.call('dm', 'GET /reports', { query: { limit: 2 } })
    expect(page.data[0]).toMatchObject({ tenantId, tenantName: 'Tenant 1', status: 'ready' })
    expect(await list(reviewer, { limit: 2, cursor: page.pagination.nextCursor })).toEqual([spring])
    expect(await list(reviewer, { 'filter.type': 'custom' })).toEqual([january])
    await as('generating', spring, async () =>
      expect(await list(reviewer, { 'filter.status': 'generating' })).toEqual([spring]),
    )
    expect(await list(reviewer, { tenantId })).toHaveLength(3)
    expect(await list(theirs.reviewer)).toEqual([])
    expect(await refusal(list(theirs.reviewer, { tenantId }))).toMatchObject({ status: 403 })
  })
})

describe('dm.reports.get', () => {
  const get = (reportId: string, { reviewer } = harness.team) =>
    reviewer.call('dm', 'GET /reports/:reportId', { params: { reportId } })

  it('returns a report with a link to its PDF once that is written', async () => {
    const report = await get(january)
    expect(report).toMatchObject({ id: january, type: 'custom', status: 'ready', createdBy: 'Rita Reviewer' })
    const pdf = await harness.app.fetch(new URL(report.pdfUrl ?? '').pathname)
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    for (const status of ['generating', 'failed'])
      await as(status, january, async () => expect(await get(january)).not.toHaveProperty('pdfUrl'))
  })

  it('returns 404 for a report of a tenant that is not assigned', async () => {
    expect(await refusal(get(january, theirs))).toEqual(missing)
  })
})

describe('dashboard.reports.list', () => {
  const list = async ({ admin }: Team, query = {}) =>
    (await admin.call('dashboard', 'GET /reports', { query })).data.map(({ id }) => id)

  it('lists the reports of the tenant, newest first, by type and period', async () => {
    const { team } = harness
    expect(await list(team)).toEqual([latest, january, spring])
    for (const [query, found] of [
      [{ 'filter.status': 'ready' }, [latest, january, spring]],
      [{ 'filter.status': 'delivered' }, []],
      [{ 'filter.campaignId': campaignId }, [spring]],
      [{ 'filter.type': 'custom' }, [january]],
      [{ 'filter.endDate': '2026-01-15' }, [january]],
      [{ 'filter.startDate': '2026-02-10' }, [latest, spring]],
    ] as const)
      expect(await list(team, query), JSON.stringify(query)).toEqual(found)
    expect(await list(theirs)).toEqual([])
  })

  it('returns pending and failed reports as drafts', async () => {
    for (const status of ['generating', 'failed'])
      await as(status, spring, async () => {
        expect(await list(harness.team, { 'filter.status': 'draft' })).toEqual([spring])
        expect(await list(harness.team, { 'filter.status': 'ready' })).toEqual([latest, january])
      })
  })
})

describe('dashboard.reports.get', () => {
  it('returns a report with its text, to the users of its tenant', async () => {
    const params = { reportId: january }
    const report = await harness.team.member.call('dashboard', 'GET /reports/:reportId', { params })
    expect(report).toMatchObject({
      id: january,
      status: 'ready',
      periodStart: '2026-01-01',
      periodEnd: '2026-01-31',
      deliveredBy: null,
      content: expect.stringContaining('Tenant 1'),
    })
    const call = theirs.admin.call('dashboard', 'GET /reports/:reportId', { params })
    expect(await refusal(call)).toEqual(missing)
  })
})
