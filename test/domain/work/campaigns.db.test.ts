import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { asInstant, asJson } from '../../kit/columns.ts'
import { campaignTables, contents } from '../contents.ts'
import { campaign } from './planning.ts'

const refusal = (status: number, code: string, field?: string) => ({ status, code, ...(field && { field }) })

describe('dashboard.campaigns.create', () => {
  it('stores the draft and schedules its planning in one transaction', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const { admin, adminId, tenantId } = await app.team()
    const body = campaign({ budgetCapUsd: 12.345678, startDate: '2026-06-01', endDate: '2026-06-30' })
    const made = await admin.call('dashboard', 'POST /campaigns', { body })
    expect(made).toEqual({ id: made.id, name: 'Spring', status: 'draft' })
    const jobs = await app.db.sql.all('select * from job')
    expect(jobs).toMatchObject([{ kind: 'campaign.plan', tenant_id: tenantId, status: 'waiting' }])
    expect(asJson(jobs[0]?.['payload'])).toEqual({ campaignId: made.id })
    expect(asInstant(jobs[0]?.['run_at'])).toEqual(clock.date())
    const detail = await admin.call('dashboard', 'GET /campaigns/:campaignId', {
      params: { campaignId: made.id },
    })
    expect(detail).toMatchObject({
      status: 'draft',
      brief: '# Spring\nOats for breakfast.',
      budgetCapUsd: 12.345678,
      startDate: '2026-06-01',
      endDate: '2026-06-30',
      createdBy: { id: adminId, name: 'Ada Admin' },
      deliverables: [
        {
          type: 'blog_post',
          quantity: 2,
          platforms: [{ id: 'cms_site', name: 'Website', type: 'cms_site' }],
        },
      ],
    })
    const events = await app.db.sql.all('select * from event where subject = ?', [made.id])
    expect(events).toMatchObject([{ type: 'campaign_update', tenant_id: tenantId }])
    expect(asJson(events[0]?.['data'])).toEqual({ campaignId: made.id, name: 'Spring', status: 'draft' })
    const audits = await app.db.sql.all('select * from audit_records where resource_id = ?', [made.id])
    expect(audits).toMatchObject([{ action: 'campaign.create', actor_id: adminId, tenant_id: tenantId }])
  })

  it('enforces the limits of the contract, and a rejected request changes nothing', async () => {
    await using app = await createTestApp({ worker: false })
    const { admin } = await app.team()
    const create = (more: object) => admin.call('dashboard', 'POST /campaigns', { body: campaign(more) })
    const before = await contents(app, campaignTables)
    const refused: Array<[object, string]> = [
      [{ name: ' ' }, 'name'],
      [{ name: 'x'.repeat(201) }, 'name'],
      [{ brief: 'x'.repeat(100_001) }, 'brief'],
      [{ deliverables: [] }, 'deliverables'],
      [{ deliverables: [{ type: 'blog_post', quantity: 201 }] }, 'deliverables.0.quantity'],
      [{ deliverables: [{ type: 'blog_post', quantity: 0 }] }, 'deliverables.0.quantity'],
      [{ deliverables: [{ type: 'poem', quantity: 1 }] }, 'deliverables.0.type'],
      [{ startDate: '2026-02-29' }, 'startDate'],
      [{ startDate: '2026-03-02', endDate: '2026-03-01' }, 'endDate'],
      [{ budgetCapUsd: 0.0000001 }, 'budgetCapUsd'],
      [{ budgetCapUsd: -1 }, 'budgetCapUsd'],
    ]
    for (const [more, field] of refused) {
      await expect(create(more), field).rejects.toMatchObject(refusal(400, 'VALIDATION_ERROR', field))
    }
    expect(await contents(app, campaignTables)).toEqual(before)
  })

  it('accepts leap days, and amounts to the micro-dollar', async () => {
    await using app = await createTestApp({ worker: false })
    const { admin } = await app.team()
    for (const budgetCapUsd of [0.000001, 1234.56789]) {
      const body = campaign({ budgetCapUsd, startDate: '2028-02-29', endDate: '2028-02-29' })
      const { id: campaignId } = await admin.call('dashboard', 'POST /campaigns', { body })
      expect(
        await admin.call('dashboard', 'GET /campaigns/:campaignId', { params: { campaignId } }),
      ).toMatchObject({ budgetCapUsd, startDate: '2028-02-29', endDate: '2028-02-29' })
    }
  })

  it('stores nothing when a deliverable names unknown or unsuitable values', async () => {
    await using app = await createTestApp({ worker: false })
    const { admin, tenantId } = await app.team()
    const before = await contents(app, campaignTables)
    const create = (more: object) => {
      const deliverables = [{ type: 'blog_post', quantity: 1, ...more }]
      return admin.call('dashboard', 'POST /campaigns', { body: campaign({ deliverables }) })
    }
    await expect(create({ templateId: tenantId })).rejects.toMatchObject(
      refusal(404, 'NOT_FOUND', 'deliverables.0.templateId'),
    )
    await expect(create({ platformIds: ['cms_site', 'moon'] })).rejects.toMatchObject(
      refusal(404, 'NOT_FOUND', 'deliverables.0.platformIds.1'),
    )
    const other = await app.db.sql.get<{ id: string }>(
      `select id from activity_templates where deliverable_type = 'ad_copy'`,
    )
    await expect(create({ templateId: other?.id })).rejects.toMatchObject(
      refusal(400, 'VALIDATION_ERROR', 'deliverables.0.templateId'),
    )
    expect(await contents(app, campaignTables)).toEqual(before)
  })

  it('requires an admin: a member is rejected and nothing is stored', async () => {
    await using app = await createTestApp({ worker: false })
    const { member } = await app.team()
    const before = await contents(app, campaignTables)
    await expect(member.call('dashboard', 'POST /campaigns', { body: campaign() })).rejects.toMatchObject(
      refusal(403, 'FORBIDDEN'),
    )
    expect(await contents(app, campaignTables)).toEqual(before)
  })
})

describe('dashboard.campaigns.list', () => {
  it('pages through all campaigns without gap or repeat, in both orders', async () => {
    await using app = await createTestApp({ worker: false })
    const { admin } = await app.team()
    const made: string[] = []
    for (let n = 0; n < 5; n += 1) {
      const { id } = await admin.call('dashboard', 'POST /campaigns', { body: campaign({ name: `C${n}` }) })
      made.push(id)
    }
    for (const order of ['asc', 'desc'] as const) {
      const seen: string[] = []
      for (let cursor: string | undefined; ; ) {
        const query = { limit: 2, order, cursor }
        const { data, pagination } = await admin.call('dashboard', 'GET /campaigns', { query })
        seen.push(...data.map(({ id }) => id))
        expect(pagination.hasMore).toBe(seen.length < 5)
        if (!pagination.hasMore) break
        cursor = pagination.nextCursor ?? undefined
      }
      expect(seen).toEqual(order === 'asc' ? made : made.toReversed())
    }
    await expect(
      admin.call('dashboard', 'GET /campaigns', { query: { cursor: 'nonsense' } }),
    ).rejects.toMatchObject(refusal(400, 'VALIDATION_ERROR', 'cursor'))
  })

  it('shows campaigns under review as drafts, also to the filter', async () => {
    await using app = await createTestApp({ worker: false })
    const { admin } = await app.team()
    const { id } = await admin.call('dashboard', 'POST /campaigns', { body: campaign() })
    for (const status of ['dm_review', 'client_review', 'client_approved']) {
      await app.db.write((tx) => tx.run('update campaigns set status = ? where id = ?', [status, id]))
      const listed = async (shown: 'draft' | 'active') =>
        (await admin.call('dashboard', 'GET /campaigns', { query: { 'filter.status': shown } })).data
      expect(await listed('draft')).toMatchObject([
        { id, status: 'draft', deliverableCount: 1, spentUsd: 0, createdBy: 'Ada Admin' },
      ])
      expect(await listed('active')).toEqual([])
    }
  })
})

describe('a campaign of another tenant', () => {
  it('is unknown to others, and stays unchanged', async () => {
    await using app = await createTestApp({ worker: false })
    const mine = await app.team()
    const theirs = await app.team()
    const { id } = await theirs.admin.call('dashboard', 'POST /campaigns', { body: campaign() })
    const before = await contents(app, campaignTables)
    const params = { campaignId: id }
    const gone = refusal(404, 'NOT_FOUND')
    const { admin } = mine
    const deliverables = 'GET /campaigns/:campaignId/deliverables'
    const change = { params, body: { name: 'Taken' } }
    await expect(admin.call('dashboard', 'GET /campaigns/:campaignId', { params })).rejects.toMatchObject(
      gone,
    )
    await expect(admin.call('dashboard', deliverables, { params })).rejects.toMatchObject(gone)
    await expect(admin.call('dashboard', 'PATCH /campaigns/:campaignId', change)).rejects.toMatchObject(gone)
    await expect(admin.call('dashboard', 'DELETE /campaigns/:campaignId', { params })).rejects.toMatchObject(
      gone,
    )
    expect((await admin.call('dashboard', 'GET /campaigns')).data).toEqual([])
    expect(await contents(app, campaignTables)).toEqual(before)
    expect(await theirs.admin.call('dashboard', 'GET /campaigns/:campaignId', { params })).toMatchObject({
      name: 'Spring',
      status: 'draft',
    })
  })
})
