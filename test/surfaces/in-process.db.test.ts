import type { Principal } from '@copydesk/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../packages/core/src/surfaces/describe.ts'
import { adminOf } from '../kit/app.ts'
import { changedTables, fingerprint } from '../kit/rows.ts'
import { type AgentHarness, createAgentHarness } from '../kit/runtime.ts'

let harness: AgentHarness
beforeAll(async () => {
  harness = await createAgentHarness()
})
afterAll(() => harness[Symbol.asyncDispose]())

const reviewerOf = ({ team }: AgentHarness): Principal => ({
  id: team.reviewerId,
  type: 'human',
  role: 'reviewer',
  appAccess: ['dm-portal'],
})

/** An approval that waits for a verdict. */
async function pendingApproval(): Promise<string> {
  const agent = await harness.order()
  await agent.deliver('Rye at **night**.')
  const activity = await harness.activityOf(agent.runId)
  const { data } = await harness.team.reviewer.call('dm', 'GET /approvals', { query: {} })
  const found = data.find(({ linkedActivities }) => linkedActivities.some(({ id }) => id === activity.id))
  return found?.id ?? ''
}

describe('copydesk.as(principal).call', () => {
  it('rejects an admin without dm-portal like HTTP, and changes nothing', async () => {
    const approvalId = await pendingApproval()
    const admin = harness.app.copydesk.as(adminOf(harness.team))
    const before = await fingerprint(harness.app.db)
    await expect(admin.call('dm.approvals.claim', { params: { approvalId } })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    const http = harness.team.admin.call('dm', 'POST /approvals/:approvalId/claim', {
      params: { approvalId },
    })
    await expect(http).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(changedTables(before, await fingerprint(harness.app.db))).toEqual([])
  })

  it('behaves like HTTP: the same reply, and an audit record with the actor and the endpoint', async () => {
    const approvalId = await pendingApproval()
    const reviewer = harness.app.copydesk.as(reviewerOf(harness))
    const shown = await reviewer.call('dm.approvals.get', { params: { approvalId } })
    const over = await harness.team.reviewer.call('dm', 'GET /approvals/:approvalId', {
      params: { approvalId },
    })
    expect(shown).toEqual(over)
    const receipt = await reviewer.call('dm.approvals.resolve', {
      params: { approvalId },
      body: { resolution: 'approved' },
    })
    expect(receipt).toMatchObject({ approvalId, resolution: 'approved' })
    const { data } = await harness.app.copydesk.asSystem().audit.list({ 'filter.action': 'approval.resolve' })
    expect(data[0]).toMatchObject({ actor: { id: harness.team.reviewerId }, resourceId: approvalId })
  })

  it('returns 404 for an id of another tenant', async () => {
    const approvalId = await pendingApproval()
    const other = await harness.app.team('Other')
    const admin = harness.app.copydesk.as(adminOf(other))
    await expect(admin.call('dashboard.approvals.get', { params: { approvalId } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    const tenantId = harness.team.tenantId
    const reviewer = harness.app.copydesk.as({ ...reviewerOf(harness), id: other.reviewerId })
    await expect(reviewer.call('dm.approvals.list', { query: { tenantId } })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
  })

  it('rejects input like HTTP, with the name of the field', async () => {
    const approvalId = await pendingApproval()
    const reviewer = harness.app.copydesk.as(reviewerOf(harness))
    const resolve = (body: unknown) =>
      reviewer.call('dm.approvals.resolve', { params: { approvalId }, body: body as never })
    await expect(resolve({ resolution: 'maybe' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'resolution',
    })
    await expect(resolve({ resolution: 'approved', extra: 1 })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    })
    const unknown = reviewer.call('dm.approvals.get', { params: { approvalId: 'no id' } })
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('accepts the types of callers that match the credentials of the endpoint', async () => {
    const agent: Principal = { id: harness.team.adminId, type: 'agent', role: 'agent', appAccess: [] }
    const call = harness.app.copydesk.as(agent).call('dashboard.campaigns.list')
    await expect(call).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('rejects unknown endpoints and streams as programming errors', async () => {
    const { call } = harness.app.copydesk.as(reviewerOf(harness)) as { call(id: string): Promise<unknown> }
    await expect(call('dm.nothing')).rejects.toThrow('There is no endpoint "dm.nothing"')
    const stream = describeSurfaces().find(({ kind }) => kind === 'stream')
    await expect(call(stream?.id ?? '')).rejects.toThrow('request it through fetch')
  })
})
