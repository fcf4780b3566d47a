import type { CallInput } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'
import { keyClient } from '../../kit/key-client.ts'
import { createOperator } from '../../kit/operator.ts'
import { everything } from '../../kit/rows.ts'
import { createAgentHarness } from '../../kit/runtime.ts'
import { refusal } from '../refusal.ts'
import { addReviewer } from '../steering.ts'

type Body = CallInput<'cli', 'POST /approvals/bulk-resolve'>['body']

async function setUp() {
  const clock = createTestClock()
  const app = await createTestApp({ clock, worker: false })
  const [ours, theirs] = [await app.team('Ours'), await app.team('Theirs')]
  const ask = (body: Body, who = ours.reviewer) => who.call('cli', 'POST /approvals/bulk-resolve', { body })
  return { app, clock, ours, theirs, ask, insert: createRowInserter(app, clock) }
}

const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

describe('cli.approvals.bulk_resolve', () => {
  it('decides each named approval once, and returns the reason for the others', async () => {
    const { app, ours, theirs, ask, insert } = await setUp()
    await using _ = app
    const { tenantId } = ours
    const [one, two] = [
      await insert.approval(tenantId, 'One', 'low', 5),
      await insert.approval(tenantId, 'Two', 'low', 5),
    ]
    const done = await insert.approval(tenantId, 'Done', 'low', 5)
    await ask({ action: 'approve', ids: [done] })
    const late = await insert.approval(tenantId, 'Late', 'low', -1)
    const choice = await insert.approval(tenantId, 'Choice', 'high', 5, undefined, { options: '["a","b"]' })
    const foreign = await insert.approval(theirs.tenantId, 'Foreign', 'low', 5)
    const ids = [one, done, late, choice, foreign, unknownId, two, one]
    const before = await everything(app.db)
    const nothing = {
      title: '',
      tenantName: '',
      result: 'skipped',
      error: 'There is no approval with this id',
    }
    const named = { tenantName: 'Ours' }
    const expected = {
      matched: 7,
      skipped: 4,
      items: [
        { approvalId: one, title: 'One', ...named, result: 'resolved' },
        {
          approvalId: done,
          title: 'Done',
          ...named,
          result: 'skipped',
          error: 'This approval is already approved',
        },
        { approvalId: late, title: 'Late', ...named, result: 'skipped', error: 'This approval has expired' },
        {
          approvalId: choice,
          title: 'Choice',
          ...named,
          result: 'error',
          error: 'This approval asks for a choice: name it in selectedOption',
        },
        { approvalId: foreign, ...nothing },
        { approvalId: unknownId, ...nothing },
        { approvalId: two, title: 'Two', ...named, result: 'resolved' },
      ],
    }
    expect(await ask({ action: 'approve', ids, dryRun: true })).toEqual({
      ...expected,
      dryRun: true,
      resolved: 0,
    })
    expect(await everything(app.db)).toBe(before)
    expect(await ask({ action: 'approve', ids })).toEqual({ ...expected, dryRun: false, resolved: 2 })
    const again = await ask({ action: 'approve', ids })
    expect([again.resolved, again.skipped]).toEqual([0, 6])
    const states = await app.db.sql.all('select title, status from approvals order by title')
    expect(states).toEqual([
      { title: 'Choice', status: 'pending' },
      { title: 'Done', status: 'approved' },
      { title: 'Foreign', status: 'pending' },
      { title: 'Late', status: 'pending' },
      { title: 'One', status: 'approved' },
      { title: 'Two', status: 'approved' },
    ])
    const told = await app.db.sql.all(`select subject from event where type = 'approval_resolved'`)
    expect(told).toHaveLength(3)
  })

  it('decides matches by type, risk, tenant and age, and passes the note of a rejection to the agents', async () => {
    const { app, clock, ours, theirs, insert } = await setUp()
    await using _ = app
    await insert.approval(ours.tenantId, 'Old low', 'low', 40)
    await insert.approval(ours.tenantId, 'Old medium', 'medium', 40, undefined, { type: 'brand_direction' })
    clock.advance(60 * 60_000)
    await insert.approval(ours.tenantId, 'New low', 'low', 40)
    await insert.approval(theirs.tenantId, 'Their high', 'high', 40)
    const reader = (await addReviewer(app, 'reader', [ours.tenantId, theirs.tenantId])).client
    const matches = async (filter: NonNullable<Body['filter']>) => {
      const { items } = await reader.call('cli', 'POST /approvals/bulk-resolve', {
        body: { action: 'approve', filter, dryRun: true },
      })
      return items.map(({ title }) => title)
    }
    expect(await matches({})).toEqual(['Their high', 'Old medium', 'Old low', 'New low'])
    expect(await matches({ type: 'brand_direction' })).toEqual(['Old medium'])
    expect(await matches({ riskLevel: 'low' })).toEqual(['Old low', 'New low'])
    expect(await matches({ tenantId: theirs.tenantId })).toEqual(['Their high'])
    expect(await matches({ ageMinutesGt: 90 })).toEqual(['Old medium', 'Old low'])
    expect(await matches({ ageMinutesGt: 120 })).toEqual([])
    const body = { action: 'reject' as const, filter: { riskLevel: 'low' as const }, note: 'Shorter' }
    expect(await reader.call('cli', 'POST /approvals/bulk-resolve', { body })).toMatchObject({
      matched: 2,
      resolved: 2,
    })
    const rows = await app.db.sql.all(
      `select title, resolution_note from approvals where status = 'rejected' order by title`,
    )
    expect(rows).toEqual([
      { title: 'New low', resolution_note: 'Shorter' },
      { title: 'Old low', resolution_note: 'Shorter' },
    ])
  })

  it('decides the first 500 matches, and the next ones with the next request', async () => {
    const { app, ours, theirs, ask, insert } = await setUp()
    await using _ = app
    await app.copydesk.asSystem().users.assign(ours.reviewerId, theirs.tenantId)
    for (let i = 0; i < 501; i += 1) await insert.approval(ours.tenantId, `Low ${i}`, 'low', 10 + i)
    await insert.approval(theirs.tenantId, 'High', 'high', 60)
    const first = await ask({ action: 'approve', filter: {}, dryRun: true })
    expect(first.matched).toBe(500)
    expect([first.items[0]?.title, first.items[1]?.title, first.items[499]?.title]).toEqual([
      'High',
      'Low 0',
      'Low 498',
    ])
    expect(
      await ask({ action: 'approve', filter: { tenantId: ours.tenantId, riskLevel: 'low' } }),
    ).toMatchObject({ matched: 500, resolved: 500 })
    expect(await ask({ action: 'approve', filter: {} })).toMatchObject({ matched: 2, resolved: 2 })
    expect(await ask({ action: 'approve', filter: {} })).toMatchObject({ matched: 0, resolved: 0, items: [] })
  })

  it('rejects ids with a filter, neither, a rejection without a note and other tenants, and changes nothing', async () => {
    const { app, ours, theirs, ask, insert } = await setUp()
    await using _ = app
    const id = await insert.approval(ours.tenantId, 'One', 'low', 5)
    const before = await everything(app.db)
    const refused = (body: Body) => refusal(ask(body))
    const invalid = { status: 400, code: 'VALIDATION_ERROR' }
    expect(await refused({ action: 'approve' })).toMatchObject({ ...invalid, field: 'ids' })
    expect(await refused({ action: 'approve', ids: [id], filter: {} })).toMatchObject({
      ...invalid,
      field: 'filter',
    })
    expect(await refused({ action: 'approve', ids: [] })).toMatchObject({ ...invalid, field: 'ids' })
    expect(await refused({ action: 'reject', ids: [id] })).toMatchObject({ ...invalid, field: 'note' })
    expect(await refused({ action: 'reject', ids: [id], note: '  ', dryRun: true })).toMatchObject({
      ...invalid,
      field: 'note',
    })
    expect(await refused({ action: 'approve', ids: Array.from({ length: 501 }, () => id) })).toMatchObject({
      ...invalid,
      field: 'ids',
    })
    const foreign = { status: 403, code: 'FORBIDDEN' }
    expect(await refused({ action: 'approve', filter: { tenantId: theirs.tenantId } })).toMatchObject(foreign)
    expect(await refused({ action: 'approve', filter: { tenantId: unknownId } })).toMatchObject(foreign)
    expect(await everything(app.db)).toBe(before)
  })

  it('decides for a key within its tenants, and for an operator in all', async () => {
    const { app, ours, theirs, ask, insert } = await setUp()
    await using _ = app
    const { id } = await addReviewer(app, 'both', [ours.tenantId, theirs.tenantId])
    const narrow = await keyClient(app, id, { tenantIds: [theirs.tenantId] })
    await insert.approval(ours.tenantId, 'Ours', 'low', 5)
    await insert.approval(theirs.tenantId, 'Theirs', 'low', 5)
    expect((await ask({ action: 'approve', filter: {} }, narrow)).items).toMatchObject([
      { title: 'Theirs', result: 'resolved' },
    ])
    const { client } = await createOperator(app)
    expect((await ask({ action: 'approve', filter: {} }, client)).items).toMatchObject([
      { title: 'Ours', result: 'resolved' },
    ])
    expect(await refusal(ask({ action: 'approve', filter: {} }, ours.admin))).toMatchObject({ status: 403 })
  })

  it('wakes each agent once, and decides a linked approval together with the client’s', async () => {
    await using harness = await createAgentHarness()
    const { reviewer } = harness.team
    const agents = [await harness.order(), await harness.order()]
    for (const agent of agents) await agent.deliver(`Text of ${agent.runId}`)
    const { data } = await reviewer.call('dm', 'GET /approvals', { query: { 'filter.status': 'pending' } })
    const [first] = data
    const { forwardedApprovalId } = await reviewer.call('cli', 'POST /approvals/:id/send-to-client', {
      params: { id: first?.id ?? '' },
      body: {},
    })
    const ids = [...data.map(({ id }) => id), forwardedApprovalId]
    const look = await reviewer.call('cli', 'POST /approvals/bulk-resolve', {
      body: { action: 'approve', ids, dryRun: true },
    })
    const receipt = await reviewer.call('cli', 'POST /approvals/bulk-resolve', {
      body: { action: 'approve', ids },
    })
    expect(receipt.items).toEqual(look.items)
    expect(receipt).toMatchObject({ matched: 3, resolved: 2, skipped: 1 })
    expect(receipt.items.at(-1)?.error).toBe('This approval is already approved')
    const woken = await harness.app.db.sql.all(
      `select activity_id, count(*) as n from runs where wake_reason = 'review_approved' group by activity_id`,
    )
    expect(woken.map(({ n }) => Number(n))).toEqual([1, 1])
  })

  it('works the same in an embedding program', async () => {
    const { app, ours, insert } = await setUp()
    await using _ = app
    await insert.approval(ours.tenantId, 'One', 'low', 5)
    const actor = {
      id: ours.reviewerId,
      type: 'human' as const,
      role: 'reviewer' as const,
      appAccess: ['dm-portal' as const],
    }
    const own = app.copydesk.as(actor)
    expect((await own.call('cli.queue')).counts.pending).toBe(1)
    expect((await own.call('cli.status')).totals.pendingApprovals).toBe(1)
    const body = { action: 'approve' as const, filter: {} }
    expect(await own.call('cli.approvals.bulk_resolve', { body })).toMatchObject({ resolved: 1 })
  })
})
