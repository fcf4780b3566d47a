import type { Client } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../packages/core/src/platform/crypto/hash.ts'
import { createTestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'
import { createAgentHarness } from '../../kit/runtime.ts'
import { asked } from '../language/asked.ts'
import { refusal } from '../refusal.ts'
import { addReviewer } from '../steering.ts'

describe('dm.approvals.list', () => {
  it('lists approvals of all assigned tenants, by risk and age, or in the requested order', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const [ours, theirs] = [await app.team('Ours'), await app.team('Theirs')]
    const insert = createRowInserter(app, clock)
    const add = async (tenantId: string, title: string, risk: 'low' | 'medium' | 'high', more = {}) => {
      clock.advance(1)
      await insert.approval(tenantId, title, risk, 40, undefined, more)
    }
    await add(ours.tenantId, 'ours, low', 'low')
    await add(theirs.tenantId, 'theirs, high', 'high')
    await add(ours.tenantId, 'ours, high', 'high')
    await add(ours.tenantId, 'ours, approved', 'medium', { status: 'approved' })
    const { client: both } = await addReviewer(app, 'both', [ours.tenantId, theirs.tenantId])
    const list = async (client: Client, query = {}) =>
      (await client.call('dm', 'GET /approvals', { query })).data
    const titles = async (client: Client, query = {}) => (await list(client, query)).map(({ title }) => title)
    const byRisk = ['theirs, high', 'ours, high', 'ours, approved', 'ours, low']
    const byAge = ['ours, low', 'theirs, high', 'ours, high', 'ours, approved']
    expect(await titles(both)).toEqual(byRisk)
    expect(await titles(both, { sortBy: 'age' })).toEqual(byAge)
    expect(await titles(both, { sortBy: 'created_on' })).toEqual(byAge.toReversed())
    expect((await list(both))[0]).toMatchObject({ tenantId: theirs.tenantId, tenantName: 'Theirs' })
    const page = await both.call('dm', 'GET /approvals', { query: { limit: 3 } })
    expect(await titles(both, { limit: 3, cursor: page.pagination.nextCursor })).toEqual(byRisk.slice(3))
    for (const [query, found] of [
      [{ 'filter.status': 'pending' }, ['theirs, high', 'ours, high', 'ours, low']],
      [{ 'filter.riskLevel': 'high' }, ['theirs, high', 'ours, high']],
      [{ 'filter.type': 'channel_action' }, ['theirs, high', 'ours, high']],
      [{ tenantId: theirs.tenantId }, ['theirs, high']],
    ] as const)
      expect(await titles(both, query)).toEqual(found)
    expect(await titles(ours.reviewer)).toEqual(byRisk.slice(1))
    const foreign = titles(ours.reviewer, { tenantId: theirs.tenantId })
    expect(await refusal(foreign)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(await refusal(titles(both, { sortBy: 'title' }))).toMatchObject({ status: 400, field: 'sortBy' })
  })
})

describe('dm.approvals.get', () => {
  it('returns the whole text to decide on, and the previous version', async () => {
    await using harness = await createAgentHarness()
    const { reviewer, tenantId } = harness.team
    const first = await asked(harness, 'Warm oats')
    const see = (approvalId: string) =>
      reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId } })
    const shown = await see(first.id)
    expect(shown).toMatchObject({
      id: first.id,
      tenantId,
      tenantName: 'Tenant 1',
      status: 'pending',
      riskLevel: 'low',
      contentHash: sha256Hex('Warm oats'),
      linkedActivities: [
        { id: first.activityId, status: 'awaiting_approval', output: 'Warm oats', version: 1 },
      ],
    })
    expect(shown.linkedActivities[0]).not.toHaveProperty('previousOutput')
    await reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: first.id },
      body: { resolution: 'revision_requested', note: 'Colder' },
    })
    await (await harness.next()).deliver('Cold oats')
    const query = { 'filter.status': 'pending' as const }
    const [second] = (await reviewer.call('dm', 'GET /approvals', { query })).data
    expect(await see(second?.id ?? '')).toMatchObject({
      linkedActivities: [{ output: 'Cold oats', version: 2, previousOutput: 'Warm oats' }],
    })
    expect(await see(first.id)).toMatchObject({
      status: 'rejected',
      resolution: 'revision_requested',
      resolutionNote: 'Colder',
      resolvedBy: { id: harness.team.reviewerId, name: 'Rita Reviewer' },
      linkedActivities: [{ output: 'Warm oats', version: 1 }],
    })
  })

  it('returns 404 for an approval of a tenant that is not assigned', async () => {
    await using harness = await createAgentHarness()
    const { id } = await asked(harness)
    const { reviewer: stranger } = await harness.app.team()
    const call = stranger.call('dm', 'GET /approvals/:approvalId', { params: { approvalId: id } })
    expect(await refusal(call)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})
