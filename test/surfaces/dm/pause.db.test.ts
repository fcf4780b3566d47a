import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { refused, steer, sweepOf } from '../steering.ts'

let harness: AgentHarness
let clock: TestClock

beforeAll(async () => {
  clock = createTestClock()
  harness = await createAgentHarness({ clock })
  await harness.configure({ concurrency: 10 })
})
afterAll(() => harness[Symbol.asyncDispose]())

/** A piece in progress, and what a reviewer can do to it. */
async function atWork(): Promise<{ agent: Agent; id: string; it: ReturnType<typeof steer> }> {
  await harness.team.admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
  })
  const agent = await harness.next(clock)
  const { id } = await harness.activityOf(agent.runId)
  return { agent, id, it: steer(harness.team.reviewer, id) }
}

const standing = async ({ agent }: { agent: Agent }) => {
  const { status, hold } = await harness.activityOf(agent.runId)
  const open = await harness.count(
    'select count(*) as n from runs r join activities a on a.id = r.activity_id where r.open = ? and a.id = ?',
    true,
    (await harness.activityOf(agent.runId)).id,
  )
  return `${status} ${hold as string} ${open}`
}

const approvalOf = async (id: string) => {
  const row = await harness.app.db.sql.get<{ id: string }>(
    `select a.id from approvals a join approval_links l on l.approval_id = a.id where l.activity_id = ? and a.status = 'pending'`,
    [id],
  )
  return row?.id ?? ''
}

const decide = (approvalId: string, resolution: 'approved' | 'revision_requested') =>
  harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
    params: { approvalId },
    body: { resolution, note: 'Shorter' },
  })

const nobody = () => steer(harness.team.reviewer, '01HZZZZZZZZZZZZZZZZZZZZZZZ')

describe('dm.activities.pause', () => {
  it('lets the current run end, keeps its text, and starts none until it is resumed with all comments', async () => {
    const piece = await atWork()
    expect(await piece.it.pause({ reason: 'The client calls' })).toEqual({
      activityId: piece.id,
      status: 'pausing',
    })
    expect(await standing(piece)).toBe('in_progress pausing 1')
    await piece.agent.call('POST /runs/:runId/stream', { delta: 'A po', sequenceNum: 0 })
    await piece.agent.deliver('A post')
    expect(await standing(piece)).toBe('blocked paused 0')
    expect(await piece.it.see()).toMatchObject({
      hold: 'paused',
      outputPreview: 'A post',
      canIntervene: true,
    })
    expect(await sweepOf(harness)).toEqual([])

    const { runId } = await piece.it.resume({ note: 'They like oats' })
    const next = await harness.next(clock)
    expect(next.runId).toBe(runId)
    expect(next.dispatch.wakeReason).toBe('unblocked')
    expect(next.dispatch.prompt).toContain('They like oats')
    const { data } = await piece.it.log()
    expect(
      data.filter(({ kind }) => kind === 'hold').map(({ message, actor }) => `${actor}: ${message}`),
    ).toEqual(['Rita Reviewer: Paused: The client calls', 'Rita Reviewer: Resumed: They like oats'])
    await next.deliver('A post about oats')
    expect(await standing(piece)).toBe('awaiting_approval null 0')
  })

  it('delays the retry of a failure, and a provider’s retry delay outlives the pause', async () => {
    const piece = await atWork()
    await piece.it.pause()
    const asked = 3_600_000
    await piece.agent.fail('Slow down', { family: 'quota', retryAfterMs: asked })
    expect(await standing(piece)).toBe('blocked paused 0')
    const { runId } = await piece.it.resume()
    const run = await harness.run(runId)
    const due = new Date(run['not_before'] as string | number).getTime()
    expect(due).toBeGreaterThan(clock.now() + asked / 2)
    await piece.it.cancel()
  })

  it.each(['refusal', 'invalid', 'internal', 'auth', 'transient'])(
    'pauses an activity whose run ends with an error of the family %s: the error is kept, and it can be resumed',
    async (family) => {
      const piece = await atWork()
      await piece.it.pause()
      await piece.agent.fail('It would not', { family })
      expect(await standing(piece)).toBe('blocked paused 0')
      const seen = await piece.it.see()
      expect(seen).toMatchObject({ hold: 'paused', canIntervene: true })
      expect(seen.runs.at(-1)).toMatchObject({ status: 'failed', error: 'It would not' })
      expect(await sweepOf(harness)).toEqual([])
      const { runId } = await piece.it.resume({ note: 'Try it with oats' })
      const next = await harness.next(clock)
      expect(next.runId).toBe(runId)
      expect(next.dispatch.prompt).toContain('Try it with oats')
      await next.deliver('A post about oats')
      expect(await standing(piece)).toBe('awaiting_approval null 0')
    },
  )

  it('counts an error of the previous run as a failure: the next one of its kind is the last', async () => {
    const piece = await atWork()
    await piece.it.pause()
    await piece.agent.fail('It would not', { family: 'refusal' })
    const { failureReason } = await piece.it.see()
    expect(failureReason).toBe('It would not')
    await piece.it.resume()
    expect((await piece.it.see()).failureReason).toBeUndefined()
    const next = await harness.next(clock)
    await next.fail('Once more', { family: 'refusal' })
    expect(await standing(piece)).toBe('failed null 0')
    expect(await harness.activityOf(piece.agent.runId)).toMatchObject({ failures: 2 })
    expect(await refused(harness, () => piece.it.resume())).toBe('422 UNPROCESSABLE')
  })

  it('keeps a verdict given meanwhile: the agent gets it when the activity is resumed, not before', async () => {
    const piece = await atWork()
    await piece.it.pause()
    await piece.agent.call('POST /runs/:runId/actions/request-review', {
      title: 'Please look',
      description: 'Is this it?',
    })
    await piece.agent.deliver('A post')
    expect(await standing(piece)).toBe('awaiting_review paused 0')
    expect(await decide(await approvalOf(piece.id), 'revision_requested')).toMatchObject({
      reEnqueuedActivities: 0,
    })
    expect(await standing(piece)).toBe('blocked paused 0')
    await piece.it.resume()
    const next = await harness.next(clock)
    expect(next.dispatch.prompt).toContain('Shorter')
    await piece.it.cancel()
  })

  it('can be undone before the run ends, and the run then counts as usual', async () => {
    const piece = await atWork()
    await piece.it.pause()
    expect(await piece.it.resume()).toEqual({ activityId: piece.id, runId: piece.agent.runId })
    await piece.agent.deliver('A post')
    expect(await standing(piece)).toBe('awaiting_approval null 0')
  })

  it('rejects a paused activity, and one that is not in progress', async () => {
    const piece = await atWork()
    await piece.it.pause()
    expect(await refused(harness, () => piece.it.pause())).toBe('422 UNPROCESSABLE')
    await piece.agent.deliver('A post')
    expect(await refused(harness, () => piece.it.pause())).toBe('422 UNPROCESSABLE')
    await piece.it.cancel()
    expect(await refused(harness, () => piece.it.pause())).toBe('422 UNPROCESSABLE')
    expect(await refused(harness, () => nobody().pause())).toBe('404 NOT_FOUND')
  })

  it('takes effect at once when the run was lost with its process, and the run is not started again until later', async () => {
    const piece = await atWork()
    const hours = new Date(clock.now() - 1)
    // As if a process of another machine had had it and died.
    await harness.app.db.write((tx) =>
      tx.run(`update runs set lease_owner = 'elsewhere:1:x', lease_until = ? where id = ?`, [
        hours,
        piece.agent.runId,
      ]),
    )
    await piece.it.pause()
    await harness.app.until(async () => {
      clock.advance(5_000)
      return (await standing(piece)) === 'blocked paused 0'
    }, 'the pause takes hold')
    await piece.it.resume()
    const next = await harness.next(clock)
    expect(next.dispatch.wakeReason).toBe('unblocked')
    await next.deliver('A post')
    expect(await standing(piece)).toBe('awaiting_approval null 0')
  })
})

describe('dm.activities.resume', () => {
  it('starts no run while an approval is pending: its verdict does', async () => {
    const piece = await atWork()
    await piece.it.pause()
    await piece.agent.call('POST /runs/:runId/actions/request-review', {
      title: 'Please look',
      description: 'Is this it?',
    })
    await piece.agent.deliver('A post')
    expect(await piece.it.resume({ note: 'Mind the oats' })).toEqual({
      activityId: piece.id,
      runId: piece.agent.runId,
    })
    expect(await standing(piece)).toBe('awaiting_review null 0')
    expect(await decide(await approvalOf(piece.id), 'revision_requested')).toMatchObject({
      reEnqueuedActivities: 1,
    })
    const next = await harness.next(clock)
    expect(next.dispatch.prompt).toContain('Mind the oats')
    await piece.it.cancel()
  })

  it('skips a blocker as well, which a retry does not', async () => {
    const piece = await atWork()
    await piece.it.pause()
    await piece.agent.call('POST /runs/:runId/actions/report-blocker', {
      blockerType: 'needs_human_input',
      description: 'Which shop?',
    })
    await piece.agent.deliver('As far as I got')
    expect(await standing(piece)).toBe('blocked paused 0')
    expect(await refused(harness, () => piece.it.retry())).toBe('422 UNPROCESSABLE')
    await piece.it.resume()
    await harness.next(clock)
    expect(await standing(piece)).toBe('in_progress null 1')
    await piece.it.cancel()
  })

  it('rejects an activity that is not paused, and changes nothing', async () => {
    const piece = await atWork()
    expect(await refused(harness, () => piece.it.resume())).toBe('422 UNPROCESSABLE')
    await piece.it.cancel()
    expect(await refused(harness, () => piece.it.resume())).toBe('422 UNPROCESSABLE')
    expect(await refused(harness, () => nobody().resume())).toBe('404 NOT_FOUND')
  })
})
