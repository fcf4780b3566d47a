import { ulid } from 'ulid'
import { describe, expect, it } from 'vitest'
import { campaign, createPlanningApp } from '../../domain/work/planning.ts'
import { createOperator } from '../../kit/operator.ts'

const path = '/admin/v1/deliverables'

/** Two tenants at the end of June, one of which promised posts too. */
async function harness() {
  const app = await createPlanningApp('2026-06-29T23:30:00Z')
  const operator = await createOperator(app)
  const [east, west] = [await app.tenantIn('Asia/Tokyo'), await app.tenantIn('America/New_York')]
  await (await east.logIn()).call('dashboard', 'POST /campaigns', { body: campaign() })
  await app.planned()
  const deliverables = [
    { type: 'blog_post' as const, quantity: 1 },
    { type: 'social_post' as const, quantity: 1 },
  ]
  await (await west.logIn()).call('dashboard', 'POST /campaigns', { body: campaign({ deliverables }) })
  await app.planned()
  const list = async (query: Record<string, string> = {}) =>
    (await operator.send('GET', `${path}?${new URLSearchParams(query)}`)).json
  return { app, operator, east, west, list, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

describe('admin.deliverables.list', () => {
  it('shows each promise of each tenant by month with what is done of it', async () => {
    await using t = await harness()
    await t.app.run(
      `update activities set status = 'done' where piece = 1 and tenant_id = ?`,
      t.west.tenantId,
    )
    const { data, pagination } = await t.list()
    const row = {
      id: expect.any(String),
      tenantId: t.west.tenantId,
      tenantName: 'In America/New_York',
      periodMonth: '2026-06',
      createdOn: expect.stringMatching(/^2026-06-29T23:30:00/),
    }
    expect(data).toHaveLength(3)
    expect(data).toEqual(
      expect.arrayContaining([
        { ...row, deliverableType: 'blog_post', targetCount: 1, completedCount: 1, status: 'on_track' },
        { ...row, deliverableType: 'social_post', targetCount: 1, completedCount: 1, status: 'on_track' },
        {
          ...row,
          tenantId: t.east.tenantId,
          tenantName: 'In Asia/Tokyo',
          deliverableType: 'blog_post',
          targetCount: 2,
          completedCount: 0,
          status: 'at_risk',
        },
      ]),
    )
    expect(data.at(-1).tenantId).toBe(t.east.tenantId)
    expect(pagination).toEqual({ hasMore: false, nextCursor: null })
  })

  it('filters by tenant, type, month and status, each in the zone of the tenant', async () => {
    await using t = await harness()
    const ids = async (query: Record<string, string>) =>
      (await t.list(query)).data.map((one: { tenantId: string; deliverableType: string }) => [
        one.tenantId,
        one.deliverableType,
      ])
    const [east, west] = [t.east.tenantId, t.west.tenantId]
    expect(await ids({ 'filter.tenantId': east })).toEqual([[east, 'blog_post']])
    expect(await ids({ 'filter.deliverableType': 'social_post' })).toEqual([[west, 'social_post']])
    expect(await ids({ 'filter.periodMonth': '2026-07' })).toEqual([])
    expect(await ids({ 'filter.periodMonth': '2026-06' })).toHaveLength(3)
    // It is the last day of June in Tokyo already.
    expect(await ids({ 'filter.status': 'at_risk' })).toEqual([[east, 'blog_post']])
    await t.app.goTo('2026-06-30T16:00:00Z')
    await t.operator.renew()
    expect(await ids({ 'filter.status': 'missed' })).toEqual([[east, 'blog_post']])
    expect(await ids({ 'filter.tenantId': east, 'filter.periodMonth': '2026-07' })).toHaveLength(1)
  })

  it('pages through all rows, also by a status that few have', async () => {
    await using t = await harness()
    const found = await t.app.db.sql.get<{ id: string }>('select id from deliverables where tenant_id = ?', [
      t.west.tenantId,
    ])
    const rows = 5_200
    await t.app.db.write(async (tx) => {
      for (let n = 0; n < rows; n += 400) {
        const some = Array.from({ length: 400 }, (_, k) => {
          const day = new Date(Date.UTC(2030, 0, 1) + (n + k) * 86_400_000)
          return [
            ulid(day.getTime()),
            t.west.tenantId,
            found?.id ?? '',
            day.toISOString().slice(0, 10),
            0,
            day,
          ]
        })
        await tx.run(
          `insert into periods (id, tenant_id, deliverable_id, period_start, period_end, target, created_on)
           values ${some.map(() => '(?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
          some.flatMap(([id, tenant, of, start, target, made]) => [
            id,
            tenant,
            of,
            start,
            start,
            target,
            made,
          ]) as string[],
        )
      }
    })
    const first = await t.list({ 'filter.status': 'at_risk' })
    expect(first).toMatchObject({ data: [], pagination: { hasMore: true } })
    const second = await t.list({ 'filter.status': 'at_risk', cursor: first.pagination.nextCursor })
    expect(second).toMatchObject({ data: [{ tenantId: t.east.tenantId }], pagination: { hasMore: false } })

    const seen: string[] = []
    let cursor: string | null = null
    do {
      const { data, pagination } = await t.list({
        'filter.periodMonth': '2030-02',
        limit: '10',
        order: 'asc',
        ...(cursor !== null && { cursor }),
      })
      seen.push(...data.map(({ id }: { id: string }) => id))
      cursor = pagination.nextCursor
    } while (cursor !== null)
    expect(seen).toHaveLength(28)
    expect(seen).toEqual([...new Set(seen)].toSorted())
  })

  it('names the parameter that is wrong', async () => {
    await using t = await harness()
    for (const [field, value] of [
      ['filter.periodMonth', '2026-13'],
      ['filter.periodMonth', '2026-6'],
      ['filter.deliverableType', 'poem'],
      ['filter.status', 'done'],
      ['filter.tenantId', 'x'],
      ['cursor', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    ] as const)
      expect(await t.list({ [field]: value })).toMatchObject({ error: { code: 'VALIDATION_ERROR', field } })
  })
})
