import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inbox } from '../../domain/agent-harness.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { refused, steer, sweepOf } from '../steering.ts'

let harness: AgentHarness

beforeAll(async () => {
  harness = await createAgentHarness()
  await harness.configure({ concurrency: 20 })
})
afterAll(() => harness[Symbol.asyncDispose]())

async function atWork(type: 'social_post' | 'email_newsletter' = 'social_post') {
  const agent = await harness.order(type)
  const { id } = await harness.activityOf(agent.runId)
  return { agent, id, it: steer(harness.team.reviewer, id) }
}

const statusOf = async (id: string) => {
  const row = await harness.app.db.sql.get<{ status: string; failure_reason: string | null }>(
    'select status, failure_reason from activities where id = ?',
    [id],
  )
  return `${row?.status} ${row?.failure_reason}`
}

const openRuns = (id: string) =>
  harness.count('select count(*) as n from runs where activity_id = ? and open = ?', id, true)

const isToldToStop = async (agent: Agent) => (await agent.call('POST /runs/:runId/heartbeat')).cancel

describe('dm.activities.cancel', () => {
  it('cancels an activity for good, tells its agent to cancel, and keeps a late result', async () => {
    const { agent, id, it } = await atWork()
    const stream = harness.team.reviewer.stream('dm', 'GET /activities/:activityId/stream', {
      params: { activityId: id },
    })
    const last = (async () => {
      for await (const { event, data } of stream) if (event === 'error') return data
      return undefined
    })()
    await agent.call('POST /runs/:runId/stream', { delta: 'A po', sequenceNum: 0 })
    expect(await isToldToStop(agent)).toBe(false)
    expect(await it.cancel('The client is gone')).toEqual({
      activityId: id,
      status: 'failed',
      alsoCancelled: [],
    })
    expect(await last).toEqual({ activityId: id, error: 'cancelled_by_reviewer' })
    expect(await isToldToStop(agent)).toBe(true)
    await agent.deliver('As far as I got')
    expect(await statusOf(id)).toBe('failed cancelled_by_reviewer')
    expect(await openRuns(id)).toBe(0)
    expect(await it.see()).toMatchObject({
      status: 'failed',
      failureReason: 'cancelled_by_reviewer',
      canIntervene: false,
      outputPreview: 'As far as I got',
    })
    expect(await inbox(harness, 'activity_failed')).toMatchObject([
      { body: 'The client is gone', subject_id: id },
    ])
    const { data } = await it.log()
    expect(data).toContainEqual(
      expect.objectContaining({
        kind: 'cancelled',
        actor: 'Rita Reviewer',
        message: 'Cancelled: The client is gone',
      }),
    )
  })

  it('is final: the activity cannot be retried, paused, reassigned or cancelled again', async () => {
    const { id, it } = await atWork()
    await it.cancel()
    for (const act of [
      it.retry,
      it.pause,
      it.resume,
      it.cancel,
      () => it.reassign('agent', 'blog_writer'),
      () =>
        harness.team.admin.call('dashboard', 'POST /activities/:activityId/retry', {
          params: { activityId: id },
        }),
    ])
      expect(await refused(harness, () => act())).toBe('422 UNPROCESSABLE')
    const nobody = steer(harness.team.reviewer, '01HZZZZZZZZZZZZZZZZZZZZZZZ')
    expect(await refused(harness, () => nobody.cancel())).toBe('404 NOT_FOUND')
    expect(await refused(harness, () => nobody.retry())).toBe('404 NOT_FOUND')
  })

  it('of a step cancels the later steps of its deliverable, and no others', async () => {
    const campaign = {
      name: 'Two',
      brief: 'Oats',
      deliverables: [{ type: 'email_newsletter' as const, quantity: 2 }],
    }
    await harness.team.admin.call('dashboard', 'POST /campaigns', { body: campaign })
    const first = await harness.next()
    const second = await harness.next()
    const { id, period_id: period } = await harness.activityOf(first.runId)
    const laterIn = async (agent: Agent) => {
      const { piece } = await harness.activityOf(agent.runId)
      const rows = await harness.app.db.sql.all<{ id: string }>(
        `select id from activities where period_id = ? and piece = ? and step_number > 1 order by id`,
        [period as string, piece as number],
      )
      return rows.map((row) => row.id)
    }
    const later = await laterIn(first)
    expect(later.length).toBeGreaterThan(0)
    const { alsoCancelled } = await steer(harness.team.reviewer, id).cancel()
    expect(alsoCancelled.toSorted()).toEqual(later)
    for (const one of later) expect(await statusOf(one)).toBe('failed cancelled_by_reviewer')
    for (const one of await laterIn(second)) expect(await statusOf(one)).toBe('created null')
    expect(await refused(harness, () => steer(harness.team.reviewer, later[0] ?? '').retry())).toBe(
      '422 UNPROCESSABLE',
    )
    await first.deliver('Too late')
    expect(await sweepOf(harness)).toEqual([])
    // The other piece goes its way.
    await second.deliver('An outline')
    expect((await harness.next()).dispatch.prompt).toContain('An outline')
  })

  it('of a subtask resumes the parent, which is informed', async () => {
    const { agent, id } = await atWork()
    const { subtaskActivityId } = await agent.call('POST /runs/:runId/actions/create-subtask', {
      title: 'Facts',
      agentRole: 'researcher',
      prompt: 'Find three facts',
    })
    const helper = await harness.next()
    await agent.deliver('Without facts')
    expect(await statusOf(id)).toBe('awaiting_subtask null')
    await steer(harness.team.reviewer, subtaskActivityId).cancel('Too dear')
    const next = await harness.next()
    expect(next.dispatch).toMatchObject({ agentRole: 'social_writer', wakeReason: 'subtask_completed' })
    expect(next.dispatch.prompt).toContain('The subtask was cancelled: Too dear')
    expect(await isToldToStop(helper)).toBe(true)
    await next.deliver('A post')
    expect(await statusOf(id)).toBe('awaiting_approval null')
  })

  it('of a parent cancels its subtasks, queued or running', async () => {
    const { agent, id, it } = await atWork()
    for (const blocking of [true, false])
      await agent.call('POST /runs/:runId/actions/create-subtask', {
        title: 'Facts',
        agentRole: 'researcher',
        prompt: 'Find three facts',
        blocking,
      })
    const helpers = [await harness.next(), await harness.next()]
    await it.cancel()
    for (const helper of helpers) {
      expect(await statusOf((await harness.activityOf(helper.runId)).id)).toBe('failed cancelled_by_reviewer')
      expect(await isToldToStop(helper)).toBe(true)
      await helper.deliver('Three facts')
    }
    await agent.deliver('Nothing')
    expect(await openRuns(id)).toBe(0)
    expect(await sweepOf(harness)).toEqual([])
  })

  it('withdraws its pending approvals; an earlier verdict stays', async () => {
    const { agent, id, it } = await atWork()
    await agent.deliver('A post')
    const { approval } = await it.see()
    const params = { approvalId: approval?.id ?? '' }
    await it.cancel('Not now')
    expect(await harness.team.reviewer.call('dm', 'GET /approvals/:approvalId', { params })).toMatchObject({
      status: 'expired',
      resolution: 'withdrawn',
      resolutionNote: 'The work was cancelled: Not now',
    })
    const verdict = { params, body: { resolution: 'approved' as const } }
    const resolve = () => harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', verdict)
    expect(await refused(harness, resolve)).toBe('409 CONFLICT')
    expect(await statusOf(id)).toBe('failed cancelled_by_reviewer')

    const other = await atWork()
    await other.agent.deliver('A post')
    const asked = (await other.it.see()).approval?.id ?? ''
    await harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: asked },
      body: { resolution: 'rejected', note: 'Dull' },
    })
    const again = await harness.next()
    await other.it.cancel()
    expect(await isToldToStop(again)).toBe(true)
    expect((await other.it.see()).approval).toMatchObject({ id: asked, status: 'rejected' })
  })

  it('and a concurrent verdict: the activity is cancelled in either order, and each caller gets a true response', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { agent, id, it } = await atWork()
      await agent.deliver(`A post ${round}`)
      const approvalId = (await it.see()).approval?.id ?? ''
      const verdict = harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId },
        body: { resolution: 'approved' },
      })
      const [decided, cancelled] = await Promise.allSettled([verdict, it.cancel()])
      const row = await harness.app.db.sql.get<{ status: string }>(
        'select status from approvals where id = ?',
        [approvalId],
      )
      const answers = [decided, cancelled].map((one) =>
        one.status === 'fulfilled' ? 'done' : `${(one.reason as { status: number }).status}`,
      )
      const outcome = `${answers.join()} ${row?.status} ${await statusOf(id)}`
      expect([
        'done,done approved failed cancelled_by_reviewer',
        '409,done expired failed cancelled_by_reviewer',
        // An approved piece may be done before the cancel comes.
        'done,422 approved done null',
      ]).toContain(outcome)
    }
    await harness.app.until(async () => (await sweepOf(harness)).length === 0, 'everything has a mover')
  })
})
