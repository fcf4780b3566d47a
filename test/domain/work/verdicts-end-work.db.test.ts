import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { sweepOf } from '../../surfaces/steering.ts'
import { type Answer, acts, inbox, logOf, refusal, resolve } from '../agent-harness.ts'

let harness: AgentHarness

beforeAll(async () => {
  harness = await createAgentHarness()
  await harness.configure({ concurrency: 20 })
})
afterAll(() => harness[Symbol.asyncDispose]())

/** A piece that waits for its verdict. */
async function delivered() {
  const agent = await harness.order()
  await agent.deliver('Oats for everybody.')
  const activity = await harness.activityOf(agent.runId)
  const approval = await harness.app.db.sql.get<{ approval_id: string }>(
    'select approval_id from approval_links where activity_id = ?',
    [activity.id],
  )
  return { agent, activity, approvalId: approval?.approval_id ?? '' }
}

const stateOf = async (id: string) => {
  const row = await harness.app.db.sql.get<{ status: string; failure_reason: string | null }>(
    'select status, failure_reason from activities where id = ?',
    [id],
  )
  return `${row?.status} ${row?.failure_reason}`
}

const runsOf = (activityId: string) =>
  harness.count('select count(*) as n from runs where activity_id = ?', activityId)

const seen = (approvalId: string) =>
  harness.team.reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId } })

const rejectAndEnd = { resolution: 'rejected', note: 'Off brand', endWork: true } as const

describe('a rejection that cancels the activity', () => {
  it('is stored with the approval, fails the linked activity for good and wakes no agent', async () => {
    const { activity, approvalId } = await delivered()
    expect(await resolve(harness.team, approvalId, rejectAndEnd)).toMatchObject({
      approvalId,
      resolution: 'rejected',
      reEnqueuedActivities: 0,
      endedActivities: [activity.id],
    })
    expect(await seen(approvalId)).toMatchObject({
      status: 'rejected',
      resolution: 'rejected',
      resolutionNote: 'Off brand',
      linkedActivities: [{ id: activity.id, status: 'failed' }],
    })
    expect(await stateOf(activity.id)).toBe('failed cancelled_by_reviewer')
    expect(await runsOf(activity.id)).toBe(1)
    expect(await sweepOf(harness)).toEqual([])
    await expect(
      harness.team.reviewer.call('dm', 'POST /activities/:activityId/retry', {
        params: { activityId: activity.id },
      }),
    ).rejects.toMatchObject({ status: 422 })
  })

  it('is reported completely: in the audit log, the inbox, the activity log and the agent’s feedback', async () => {
    const { activity, approvalId } = await delivered()
    await resolve(harness.team, approvalId, { ...rejectAndEnd, note: 'Never again like this' })
    const audit = await harness.app.db.sql.get<{ after: unknown }>(
      `select after from audit_records where resource_id = ? and action = 'approval.resolve'`,
      [approvalId],
    )
    const after = typeof audit?.after === 'string' ? (JSON.parse(audit.after) as unknown) : audit?.after
    expect(after).toMatchObject({ resolution: 'rejected', endedActivities: [activity.id] })
    expect(await inbox(harness, 'campaign_update')).toContainEqual(
      expect.objectContaining({
        subject_id: approvalId,
        title: expect.stringMatching(/^Rejected, work ended: /) as string,
        body: 'Never again like this',
      }),
    )
    expect(await logOf(harness, activity.id)).toContainEqual(
      'cancelled: Rejected for good: Never again like this',
    )
    expect(
      await harness.count(
        `select count(*) as n from feedback where approval_id = ? and text = 'Never again like this'`,
        approvalId,
      ),
    ).toBe(1)
  })

  it('cancels the later steps of the deliverable as well, and tells an active agent to cancel', async () => {
    const agent = await harness.order('email_newsletter')
    const activity = await harness.activityOf(agent.runId)
    const { approvalId } = await agent.call(
      'POST /runs/:runId/actions/request-review',
      acts['actions/request-review'],
    )
    const later = await harness.app.db.sql.all<{ id: string }>(
      'select id from activities where period_id = ? and id <> ? order by id',
      [activity['period_id'] as string, activity.id],
    )
    expect(later.length).toBeGreaterThan(0)
    const { endedActivities } = await resolve(harness.team, approvalId, rejectAndEnd)
    expect(endedActivities).toEqual([activity.id, ...later.map(({ id }) => id)])
    for (const { id } of later) expect(await stateOf(id)).toBe('failed cancelled_by_reviewer')
    expect(await agent.call('POST /runs/:runId/heartbeat')).toMatchObject({ cancel: true })
    await agent.deliver('Too late')
    expect(await stateOf(activity.id)).toBe('failed cancelled_by_reviewer')
    expect(await runsOf(activity.id)).toBe(1)
  })

  it('counts for both linked approvals when the client was asked too, and for the tenant’s own admin', async () => {
    const { activity, approvalId } = await delivered()
    const { forwardedApprovalId } = await harness.team.reviewer.call(
      'dm',
      'POST /approvals/:approvalId/send-to-client',
      { params: { approvalId }, body: {} },
    )
    await harness.team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: forwardedApprovalId },
      body: rejectAndEnd,
    })
    for (const id of [approvalId, forwardedApprovalId])
      expect(await seen(id)).toMatchObject({ status: 'rejected', resolution: 'rejected' })
    expect(await stateOf(activity.id)).toBe('failed cancelled_by_reviewer')
    expect(await runsOf(activity.id)).toBe(1)
  })

  it('is rejected with any other resolution, and changes nothing', async () => {
    const { approvalId } = await delivered()
    for (const resolution of ['approved', 'revision_requested'] as const) {
      const ask = async () => {
        const response = await harness.app.fetch(`/dm/v1/approvals/${approvalId}/resolve`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${harness.team.reviewerToken}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ resolution, note: 'Off brand', endWork: true }),
        })
        return { status: response.status, body: (await response.json()) as Answer['body'], replayed: false }
      }
      expect(await refusal(harness, ask)).toEqual({ status: 400, code: 'VALIDATION_ERROR', field: 'endWork' })
    }
  })

  it('is rejected after an earlier verdict, and cancels nothing', async () => {
    const { activity, approvalId } = await delivered()
    const both = await Promise.allSettled([
      resolve(harness.team, approvalId, { resolution: 'approved' }),
      resolve(harness.team, approvalId, rejectAndEnd),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const { status } = await seen(approvalId)
    const failed = (await stateOf(activity.id)).startsWith('failed')
    expect(failed).toBe(status === 'rejected')
  })
})
