import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ComparedTenant, createTwoTenants, type TwoTenants } from '../../kit/two-tenants.ts'
import { idOf, rowIds } from './row-ids.ts'

let two: TwoTenants
let ours: ComparedTenant
let ids: ReturnType<typeof rowIds>

beforeAll(async () => {
  two = await createTwoTenants()
  ours = await two.twin('aardvark')
  ids = rowIds(two.app, ours.tenantId)
})

afterAll(() => two[Symbol.asyncDispose]())

describe('mobile.approvals.list', () => {
  it('lists high risk first, then the oldest, with the hours left', async () => {
    const list = await ours.member.call('mobile', 'GET /approvals')
    const risks = list.data.map(({ riskLevel }) => ['high', 'medium', 'low'].indexOf(riskLevel))
    expect(risks).toEqual(risks.toSorted((one, other) => one - other))
    expect(list).toMatchObject({
      total: (await ids('approvals')).length,
      pendingCount: (await ids('approvals', "status = 'pending'")).length,
      highRiskCount: 1,
    })
    const [risky, ...others] = list.data
    expect(risky).toEqual({
      id: expect.any(String),
      title: 'Which aardvark?',
      type: 'channel_action',
      riskLevel: 'high',
      status: 'pending',
      description: 'One aardvark of two',
      options: ['aardvark one', 'aardvark two'],
      expiresAt: expect.stringMatching(/Z$/),
      expiresInH: 24,
      createdOn: expect.stringMatching(/Z$/),
      linkedActivitiesCount: 2,
    })
    for (const risk of ['medium', 'low']) {
      const ofRisk = others.filter(({ riskLevel }) => riskLevel === risk).map(idOf)
      expect(ofRisk.length, risk).toBeGreaterThan(1)
      expect(ofRisk, risk).toEqual(ofRisk.toSorted())
    }
  })

  it('filters, and returns each once over all pages', async () => {
    const find = (query: object) => ours.admin.call('mobile', 'GET /approvals', { query })
    const all = (await find({})).data.map(idOf)
    const pendingCount = (await ids('approvals', "status = 'pending'")).length
    expect(await find({ 'filter.riskLevel': 'high' })).toMatchObject({ total: 1, pendingCount })
    const approved = (await ids('approvals', "status = 'approved'")).length
    expect(await find({ 'filter.status': 'approved' })).toMatchObject({ total: approved, highRiskCount: 1 })
    expect(await find({ 'filter.status': 'expired' })).toMatchObject({ data: [], total: 0 })
    // One place more than there are.
    const pages: Awaited<ReturnType<typeof find>>[] = []
    for (const offset of [...all, 'none'].keys()) pages.push(await find({ limit: 1, offset }))
    expect(pages.flatMap(({ data }) => data.map(idOf))).toEqual(all)
    expect(pages.map(({ total }) => total)).toEqual(pages.map(() => all.length))
  })

  it('rejects an invalid page or number', async () => {
    for (const [query, field] of [
      [{ limit: '0' }, 'limit'],
      [{ limit: '101' }, 'limit'],
      [{ offset: '-1' }, 'offset'],
      [{ offset: '1e3' }, 'offset'],
      [{ 'filter.status': 'open' }, 'filter.status'],
    ] as const) {
      await expect(
        ours.admin.call('mobile', 'GET /approvals', { query: query as object }),
      ).rejects.toMatchObject({
        status: 400,
        code: 'VALIDATION_ERROR',
        field,
      })
    }
  })
})

describe('mobile.approvals.get', () => {
  it('returns exactly the first 800 characters of a text, and what a verdict requires', async () => {
    const params = { approvalId: ours.ids['approvalId'] ?? '' }
    // The 800th character is the first half of one that takes two.
    const text = `${'x'.repeat(799)}😀 and more`
    const [{ output_id }] = (await two.app.db.sql.all<{ output_id: string }>(
      'select output_id from approvals where id = ?',
      [params.approvalId],
    )) as [{ output_id: string }]
    const before = await two.app.db.sql.get<{ text: string }>('select text from outputs where id = ?', [
      output_id,
    ])
    const write = (value: string) =>
      two.app.db.write((tx) => tx.run('update outputs set text = ? where id = ?', [value, output_id]))
    await write(text)
    const approval = await ours.member.call('mobile', 'GET /approvals/:approvalId', { params })
    await write(before?.text ?? '')
    expect(approval.linkedActivities).toEqual([
      {
        id: ours.ids['activityId'],
        title: expect.any(String),
        outputRef: output_id,
        outputPreview: 'x'.repeat(799),
      },
    ])
    expect(approval).toMatchObject({
      status: 'pending',
      createdBy: { type: 'agent' },
      contentHash: expect.any(String),
    })
    expect(Object.keys(approval.createdBy)).toEqual(['name', 'type'])
  })
})
