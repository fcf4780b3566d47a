import { describe, expect, it } from 'vitest'
import { archiveCampaign, changeCampaign } from '../../packages/core/src/domain/campaigns/change.ts'
import { createCampaign } from '../../packages/core/src/domain/campaigns/create.ts'
import { Campaign } from '../../packages/core/src/domain/campaigns/entities.ts'
import {
  getCampaign,
  listCampaigns,
  listDeliverables,
} from '../../packages/core/src/domain/campaigns/queries.ts'
import { CampaignChange, NewCampaign } from '../../packages/core/src/domain/campaigns/schemas.ts'
import type { Ctx } from '../../packages/core/src/domain/context.ts'
import { createRig, type Rig } from './rig.ts'

const body = (more: object = {}) =>
  NewCampaign.parse({
    name: 'Spring',
    brief: '# Spring\nOats for breakfast.',
    deliverables: [{ type: 'blog_post', quantity: 2 }],
    ...more,
  })
const page = { limit: 25, order: 'desc' as const }
const june = '2026-06-10T09:00:00Z'

/** Every row that an act could leave behind. */
async function traces(rig: Rig) {
  const counts = []
  for (const table of ['campaigns', 'deliverables', 'audit_records']) {
    const row = await rig.db.sql.get<{ n: number }>(`select count(*) as n from ${table}`)
    counts.push(Number(row?.n))
  }
  return [...counts, rig.jobs.length, rig.events.length]
}

const code = (expected: string, field?: string) =>
  expect.objectContaining({ code: expected, ...(field && { field }) })

describe('NewCampaign', () => {
  const refused = (more: object) =>
    NewCampaign.safeParse({ ...body(), ...more }).error?.issues[0]?.path.join('.')

  it('keeps to the limits of the contract', () => {
    expect(refused({ name: ' ' })).toBe('name')
    expect(refused({ name: 'x'.repeat(201) })).toBe('name')
    expect(refused({ brief: 'x'.repeat(100_001) })).toBe('brief')
    expect(refused({ deliverables: [] })).toBe('deliverables')
    expect(refused({ deliverables: [{ type: 'blog_post', quantity: 201 }] })).toBe('deliverables.0.quantity')
    expect(refused({ deliverables: [{ type: 'poem', quantity: 1 }] })).toBe('deliverables.0.type')
    expect(refused({ startDate: '2026-02-29' })).toBe('startDate')
    expect(refused({ startDate: '2026-03-02', endDate: '2026-03-01' })).toBe('endDate')
    expect(refused({ startDate: '2028-02-29', endDate: '2028-02-29' })).toBeUndefined()
  })

  it('takes amounts to the micro-dollar and no finer', () => {
    expect(refused({ budgetCapUsd: 0.000001 })).toBeUndefined()
    expect(refused({ budgetCapUsd: 1234.56789 })).toBeUndefined()
    expect(refused({ budgetCapUsd: 0.0000001 })).toBe('budgetCapUsd')
    expect(refused({ budgetCapUsd: -1 })).toBe('budgetCapUsd')
    expect(CampaignChange.parse({ budgetCapUsd: null })).toEqual({ budgetCapUsd: null })
  })
})

describe('createCampaign', () => {
  it('stores the draft and asks for its planning in one act', async () => {
    await using rig = await createRig(june)
    const { id: tenantId, ctx } = await rig.tenant()
    const made = await createCampaign(ctx, body({ budgetCapUsd: 12.345678, startDate: '2026-06-01' }))
    expect(made).toEqual({ id: made.id, name: 'Spring', status: 'draft' })
    expect(rig.jobs).toEqual([{ kind: 'campaign.plan', tenantId, payload: { campaignId: made.id } }])
    const detail = await getCampaign(ctx, made.id)
    expect(detail).toMatchObject({ status: 'draft', budgetCapUsd: 12.345678, createdBy: { name: 'Ada' } })
    expect(detail.brief).toBe('# Spring\nOats for breakfast.')
    expect(detail.deliverables).toMatchObject([{ type: 'blog_post', quantity: 2, platforms: [] }])
  })

  it('leaves nothing behind when a deliverable names what does not exist', async () => {
    await using rig = await createRig(june)
    const { ctx } = await rig.tenant()
    const before = await traces(rig)
    const deliverable = { type: 'blog_post', quantity: 1 }
    const templateId = ctx.newId()
    await expect(
      createCampaign(ctx, body({ deliverables: [{ ...deliverable, templateId }] })),
    ).rejects.toEqual(code('NOT_FOUND', 'deliverables.0.templateId'))
    await expect(
      createCampaign(ctx, body({ deliverables: [{ ...deliverable, platformIds: ['cms_site', 'moon'] }] })),
    ).rejects.toEqual(code('NOT_FOUND', 'deliverables.0.platformIds.1'))
    const other = await rig.db.sql.get<{ id: string }>(
      `select id from activity_templates where deliverable_type = 'ad_copy'`,
    )
    await expect(
      createCampaign(ctx, body({ deliverables: [{ ...deliverable, templateId: other?.id }] })),
    ).rejects.toEqual(code('VALIDATION_ERROR', 'deliverables.0.templateId'))
    expect(await traces(rig)).toEqual(before)
  })
})

describe('listCampaigns', () => {
  it('pages through all campaigns without gap or repeat, in both orders', async () => {
    await using rig = await createRig(june)
    const { ctx } = await rig.tenant()
    const made = []
    for (let n = 0; n < 5; n += 1) made.push((await createCampaign(ctx, body({ name: `C${n}` }))).id)
    for (const order of ['asc', 'desc'] as const) {
      const seen: string[] = []
      for (let cursor: string | undefined; ; ) {
        const { data, pagination } = await listCampaigns(ctx, { limit: 2, order, cursor })
        seen.push(...data.map(({ id }) => id))
        expect(pagination.hasMore).toBe(seen.length < 5)
        if (!pagination.hasMore) break
        cursor = pagination.nextCursor ?? undefined
      }
      expect(seen).toEqual(order === 'asc' ? made : made.toReversed())
    }
    await expect(listCampaigns(ctx, { ...page, cursor: 'nonsense' })).rejects.toEqual(
      code('VALIDATION_ERROR', 'cursor'),
    )
  })

  it('shows campaigns under review as drafts, also to the filter', async () => {
    await using rig = await createRig(june)
    const { ctx } = await rig.tenant()
    const { id } = await createCampaign(ctx, body())
    await setStatus(ctx, id, 'client_review')
    const drafts = await listCampaigns(ctx, { ...page, 'filter.status': 'draft' })
    expect(drafts.data).toMatchObject([{ id, status: 'draft', deliverableCount: 1, spentUsd: 0 }])
    expect((await listCampaigns(ctx, { ...page, 'filter.status': 'active' })).data).toEqual([])
  })
})

describe('a campaign of a neighbour', () => {
  it('does not exist for anybody else, and stays as it is', async () => {
    await using rig = await createRig(june)
    const mine = await rig.tenant()
    const theirs = await rig.tenant()
    const { id } = await createCampaign(theirs.ctx, body())
    const before = await traces(rig)
    const gone = code('NOT_FOUND')
    await expect(getCampaign(mine.ctx, id)).rejects.toEqual(gone)
    await expect(listDeliverables(mine.ctx, id)).rejects.toEqual(gone)
    await expect(changeCampaign(mine.ctx, id, { name: 'Taken' })).rejects.toEqual(gone)
    await expect(archiveCampaign(mine.ctx, id)).rejects.toEqual(gone)
    expect((await listCampaigns(mine.ctx, page)).data).toEqual([])
    expect(await traces(rig)).toEqual(before)
    expect(await getCampaign(theirs.ctx, id)).toMatchObject({ name: 'Spring', status: 'draft' })
  })
})

describe('changeCampaign', () => {
  it('changes what is named and nothing else', async () => {
    await using rig = await createRig(june)
    const { ctx } = await rig.tenant()
    const { id } = await createCampaign(ctx, body({ budgetCapUsd: 5 }))
    expect(await changeCampaign(ctx, id, { name: 'Summer' })).toMatchObject({
      name: 'Summer',
      budgetCapUsd: 5,
    })
    expect(await changeCampaign(ctx, id, { budgetCapUsd: null })).toMatchObject({
      name: 'Summer',
      budgetCapUsd: null,
    })
  })

  it('pauses, and has the campaign planned anew when it goes on', async () => {
    await using rig = await createRig(june)
    const { ctx } = await rig.tenant()
    const { id } = await createCampaign(ctx, body())
    await setStatus(ctx, id, 'active')
    expect((await changeCampaign(ctx, id, { status: 'paused' })).status).toBe('paused')
    expect(rig.jobs).toHaveLength(1)
    expect((await changeCampaign(ctx, id, { status: 'active' })).status).toBe('active')
    expect(rig.jobs).toHaveLength(2)
  })

  it('leaves what is archived, completed or under review alone', async () => {
    await using rig = await createRig(june)
    const { ctx } = await rig.tenant()
    const { id } = await createCampaign(ctx, body())
    for (const status of ['archived', 'completed', 'client_review'] as const) {
      await setStatus(ctx, id, status)
      const before = await traces(rig)
      await expect(changeCampaign(ctx, id, { name: 'X', status: 'active' })).rejects.toEqual(
        code('UNPROCESSABLE'),
      )
      expect(await traces(rig)).toEqual(before)
      expect(await getCampaign(ctx, id)).toMatchObject({ name: 'Spring' })
    }
  })
})

describe('archiveCampaign', () => {
  it('archives once; again changes nothing', async () => {
    await using rig = await createRig(june)
    const { ctx } = await rig.tenant()
    const { id } = await createCampaign(ctx, body())
    await archiveCampaign(ctx, id)
    expect(await getCampaign(ctx, id)).toMatchObject({ status: 'archived' })
    const before = await traces(rig)
    await archiveCampaign(ctx, id)
    expect(await traces(rig)).toEqual(before)
  })
})

async function setStatus(
  ctx: Ctx,
  id: string,
  status: 'active' | 'archived' | 'completed' | 'client_review',
) {
  await ctx.db.unitOfWork('all', async (em) => {
    const campaign = await em.findOneOrFail(Campaign, { id })
    campaign.status = status
  })
}
