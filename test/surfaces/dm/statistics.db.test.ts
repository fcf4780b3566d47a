import type { CallInput } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { neighbourOf } from '../../domain/agent-harness.ts'
import { createTestClock } from '../../kit/clock.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'

const minute = 60_000
type Body = CallInput<'dm', 'POST /approvals/:approvalId/resolve'>['body']

async function pending({ team }: AgentHarness): Promise<string> {
  const query = { 'filter.status': 'pending', sortBy: 'created_on' } as const
  const { data } = await team.reviewer.call('dm', 'GET /approvals', { query })
  return data[0]?.id ?? ''
}

describe('dm.approvals.statistics', () => {
  it('returns duration and outcome of verdicts by tenant, agent and reviewer', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    await harness.configure({ concurrency: 9 })
    const { team } = harness
    const verdict = async (after: number, body: Body) => {
      const approvalId = await pending(harness)
      clock.advance(after * minute)
      const params = { approvalId }
      await team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', { params, body })
    }
    const ask = (query: CallInput<'dm', 'GET /approvals/statistics'>['query'] = {}, who = team.reviewer) =>
      who.call('dm', 'GET /approvals/statistics', { query })
    const nothing = {
      resolved: 0,
      approved: 0,
      rejected: 0,
      revisionRequested: 0,
      edited: 0,
      medianWaitMs: null,
      p90WaitMs: null,
      firstPassPct: null,
      editPct: null,
    }
    expect(await ask()).toEqual({ ...nothing, expired: 0, groups: [] })

    // Approved as it was, approved with edits, and sent back before it was approved.
    await (await harness.order()).deliver('One')
    await verdict(1, { resolution: 'approved' })
    await (await harness.next(clock)).call('POST /runs/:runId/result', {
      status: 'success',
      metadata: { nothingToDo: true },
    })
    await (await harness.order()).deliver('Two')
    await verdict(2, { resolution: 'approved', edited: 'Two, mine' })
    await (await harness.next(clock)).call('POST /runs/:runId/result', {
      status: 'success',
      metadata: { nothingToDo: true },
    })
    await (await harness.order()).deliver('Three')
    await verdict(3, { resolution: 'revision_requested', note: 'Longer' })
    await (await harness.next(clock)).deliver('Three, longer')
    // By the client, which counts once.
    const params = { approvalId: await pending(harness) }
    const { forwardedApprovalId } = await team.reviewer.call(
      'dm',
      'POST /approvals/:approvalId/send-to-client',
      {
        params,
        body: {},
      },
    )
    clock.advance(4 * minute)
    await team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: forwardedApprovalId },
      body: { resolution: 'approved' },
    })
    const theirs = await neighbourOf(harness)
    await (await theirs.order()).deliver('Theirs')

    const all = {
      resolved: 4,
      approved: 3,
      rejected: 0,
      revisionRequested: 1,
      edited: 1,
      medianWaitMs: 2 * minute,
      p90WaitMs: 4 * minute,
      firstPassPct: 33.33,
      editPct: 33.33,
    }
    const name = (await harness.app.copydesk.asSystem().tenants.get(team.tenantId)).name
    const report = await ask()
    expect(report).toEqual({ ...all, expired: 0, groups: [{ key: team.tenantId, label: name, ...all }] })
    expect(await ask({ tenantId: team.tenantId })).toEqual(report)
    expect((await ask({ groupBy: 'agent' })).groups).toEqual([
      { key: 'social_writer', label: 'Social writer', ...all },
    ])
    const byReviewer = (await ask({ groupBy: 'reviewer' })).groups
    expect(byReviewer).toMatchObject([
      {
        key: team.reviewerId,
        label: 'Rita Reviewer',
        resolved: 3,
        medianWaitMs: 2 * minute,
        p90WaitMs: 3 * minute,
        firstPassPct: 33.33,
        editPct: 50,
      },
      {
        key: team.adminId,
        label: 'Ada Admin',
        resolved: 1,
        medianWaitMs: 4 * minute,
        firstPassPct: null,
        editPct: 0,
      },
    ])
    const [today, tomorrow] = ['2026-04-10', '2026-04-11']
    expect((await ask({ startDate: today, endDate: today })).resolved).toBe(4)
    expect(await ask({ startDate: tomorrow })).toEqual({ ...nothing, expired: 0, groups: [] })
    await expect(ask({ startDate: tomorrow, endDate: today })).rejects.toMatchObject({
      status: 400,
      field: 'endDate',
    })
    expect((await ask({}, theirs.reviewer)).resolved).toBe(0)
    await expect(ask({ tenantId: theirs.tenantId })).rejects.toMatchObject({ status: 403 })
  })
})
