import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { createAgentHarness } from '../../kit/runtime.ts'
import { type Act, acts, everyAct, neighbourOf, post, refusal } from '../agent-harness.ts'

/** What a body lacks or has too much of, and the field that the refusal names. */
const broken: Record<Act, Array<[body: object, field: string]>> = {
  'tool-call': [
    [{ ...acts['tool-call'], toolName: '' }, 'toolName'],
    [{ ...acts['tool-call'], method: undefined }, 'method'],
    [{ ...acts['tool-call'], status: 'maybe' }, 'status'],
    [{ ...acts['tool-call'], durationMs: -1 }, 'durationMs'],
    [{ ...acts['tool-call'], durationMs: undefined }, 'durationMs'],
    [{ ...acts['tool-call'], costUsd: -0.01 }, 'costUsd'],
    [{ ...acts['tool-call'], costUsd: 1_000_001 }, 'costUsd'],
    [{ ...acts['tool-call'], tenantId: 'x' }, 'tenantId'],
  ],
  'actions/report-blocker': [
    [{ blockerType: 'budget', description: 'No money' }, 'blockerType'],
    [{ blockerType: 'needs_human_input' }, 'description'],
    [{ blockerType: 'needs_human_input', description: '' }, 'description'],
    [{ blockerType: 'channel_auth_expired', description: 'Log in again' }, 'channelId'],
    [{ blockerType: 'channel_auth_expired', description: 'Log in again', channelId: '7' }, 'channelId'],
  ],
  'actions/create-subtask': [
    [{ ...acts['actions/create-subtask'], title: '' }, 'title'],
    [{ ...acts['actions/create-subtask'], title: 'x'.repeat(201) }, 'title'],
    [{ ...acts['actions/create-subtask'], agentRole: undefined }, 'agentRole'],
    [{ ...acts['actions/create-subtask'], prompt: '' }, 'prompt'],
    [{ ...acts['actions/create-subtask'], blocking: 'yes' }, 'blocking'],
    [{ ...acts['actions/create-subtask'], priority: 'low' }, 'priority'],
    // No one chooses whose child a subtask is, so none can be its own parent.
    [{ ...acts['actions/create-subtask'], parentActivityId: 'x' }, 'parentActivityId'],
  ],
  'actions/request-review': [
    [{ title: 'Please look' }, 'description'],
    [{ title: '', description: 'Is this the tone?' }, 'title'],
    [{ ...acts['actions/request-review'], contentRef: 7 }, 'contentRef'],
  ],
  'actions/create-approval': [
    [{ title: 'May we?', type: 'anything' }, 'type'],
    [{ title: '', type: 'brand_direction' }, 'title'],
    [{ ...acts['actions/create-approval'], options: [''] }, 'options.0'],
    [{ ...acts['actions/create-approval'], options: Array(21).fill('Yes') }, 'options'],
    [{ ...acts['actions/create-approval'], linkedActivityIds: ['x'] }, 'linkedActivityIds.0'],
    [
      { ...acts['actions/create-approval'], linkedActivityIds: Array(51).fill('0'.repeat(26)) },
      'linkedActivityIds',
    ],
  ],
  'actions/reassign': [
    [{ toRole: 'blog_writer' }, 'reason'],
    [{ reason: 'Not mine' }, 'toRole'],
    [{ toRole: 'blog_writer', toUserId: '0'.repeat(26), reason: 'Not mine' }, 'toRole'],
    [{ toUserId: 'Ada', reason: 'Not mine' }, 'toUserId'],
  ],
  'actions/add-comment': [
    [{}, 'text'],
    [{ text: '' }, 'text'],
    [{ text: 'x'.repeat(10_001) }, 'text'],
    [{ text: 'Hello', type: 'verdict' }, 'type'],
  ],
}

describe('every action of an agent', () => {
  it.each(everyAct)('%s: a broken body is refused with its field and changes nothing', async (act) => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    for (const [body, field] of broken[act]) {
      expect(await refusal(harness, () => post(harness, agent, act, body))).toEqual({
        status: 400,
        code: 'VALIDATION_ERROR',
        field,
      })
    }
  })

  it('rejects tokens of another run, of another tenant, and other kinds of tokens', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const colleague = await harness.order()
    const neighbour = await neighbourOf(harness)
    const stranger = await neighbour.order()
    expect(stranger.dispatch.tenantId).toBe(neighbour.tenantId)

    const tokens = [
      [colleague.dispatch.taskToken, 'UNAUTHORIZED'],
      [stranger.dispatch.taskToken, 'UNAUTHORIZED'],
      [harness.team.adminToken, 'INVALID_TOKEN'],
      [`${agent.dispatch.taskToken.slice(0, -4)}AAAA`, 'INVALID_TOKEN'],
    ] as const
    for (const act of everyAct) {
      for (const [taskToken, code] of tokens) {
        const foreign = { runId: agent.runId, dispatch: { ...agent.dispatch, taskToken } }
        expect(await refusal(harness, () => post(harness, foreign, act))).toEqual({ status: 401, code })
      }
    }
    // Another's run is as unknown as one that never was.
    for (const act of everyAct) {
      const lost = { runId: stranger.runId, dispatch: agent.dispatch }
      expect(await refusal(harness, () => post(harness, lost, act))).toEqual({
        status: 401,
        code: 'UNAUTHORIZED',
      })
    }
  })

  it('is rejected once the run has ended, with success or failure', async () => {
    await using harness = await createAgentHarness()
    const [well, badly] = [await harness.order(), await harness.order()]
    await well.deliver('A post')
    await badly.fail('No idea')
    for (const agent of [well, badly]) {
      for (const act of everyAct)
        expect(await refusal(harness, () => post(harness, agent, act))).toEqual({
          status: 401,
          code: 'UNAUTHORIZED',
        })
      const delta = agent.call('POST /runs/:runId/stream', { delta: 'Late', sequenceNum: 0 })
      await expect(delta).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
      await expect(agent.call('GET /runs/:runId/context')).rejects.toMatchObject({ status: 401 })
    }
    // How it ended can still be asked.
    expect(await well.call('GET /runs/:runId/status')).toMatchObject({ status: 'completed' })
    expect(await badly.call('GET /runs/:runId/status')).toMatchObject({ status: 'failed' })
  })

  it('is rejected once its token has expired', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    clock.advance(1_800_000)
    await harness.app.until(async () => {
      clock.advance(100)
      return (await harness.run(agent.runId)).status === 'timeout'
    }, 'the run is over')
    for (const act of everyAct)
      expect(await refusal(harness, () => post(harness, agent, act))).toEqual({
        status: 401,
        code: 'TOKEN_EXPIRED',
      })
  })

  it('that would change a closed activity is rejected; its active run may report and comment', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await agent.call('POST /runs/:runId/actions/reassign', { ...acts['actions/reassign'] })
    await harness.next()
    const moving: Act[] = [
      'actions/report-blocker',
      'actions/create-subtask',
      'actions/request-review',
      'actions/create-approval',
      'actions/reassign',
    ]
    for (const act of moving)
      expect(await refusal(harness, () => post(harness, agent, act))).toEqual({
        status: 422,
        code: 'UNPROCESSABLE',
      })
    expect((await post(harness, agent, 'tool-call')).status).toBe(201)
    expect((await post(harness, agent, 'actions/add-comment')).status).toBe(201)
    expect((await harness.activityOf(agent.runId)).status).toBe('reassigned')
  })
})

/** Acts that give work to someone. */
const opening: Act[] = ['actions/create-subtask', 'actions/reassign']

const changed: Record<Act, object> = {
  'tool-call': { durationMs: 13 },
  'actions/report-blocker': { description: 'Which street?' },
  'actions/create-subtask': { prompt: 'Find four facts' },
  'actions/request-review': { description: 'Is this the length?' },
  'actions/create-approval': { title: 'Must we?' },
  'actions/reassign': { reason: 'Too short for a post' },
  'actions/add-comment': { text: 'Done' },
}

describe('an Idempotency-Key', () => {
  it.each(everyAct)('%s: the same again is answered as the first time and done once', async (act) => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const headers = { 'idempotency-key': 'one' }
    const first = await post(harness, agent, act, acts[act], headers)
    expect(first).toMatchObject({ status: act.endsWith('report-blocker') ? 200 : 201, replayed: false })
    // What it has opened starts meanwhile.
    if (opening.includes(act)) await harness.next()
    const before = await harness.state()
    expect(await post(harness, agent, act, acts[act], headers)).toEqual({ ...first, replayed: true })
    expect(await harness.state()).toEqual(before)
    expect(
      await refusal(harness, () => post(harness, agent, act, { ...acts[act], ...changed[act] }, headers)),
    ).toEqual({
      status: 422,
      code: 'UNPROCESSABLE',
    })
  })

  it('applies to one run: another agent may use the same', async () => {
    await using harness = await createAgentHarness()
    const [one, two] = [await harness.order(), await harness.order()]
    const headers = { 'idempotency-key': 'one' }
    const answers = []
    for (const agent of [one, two])
      answers.push(await post(harness, agent, 'actions/add-comment', acts['actions/add-comment'], headers))
    expect(answers.map(({ status, replayed }) => [status, replayed])).toEqual([
      [201, false],
      [201, false],
    ])
    expect(await harness.count('select count(*) as n from activity_comments')).toBe(2)
  })

  it('is executed once under concurrency', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const headers = { 'idempotency-key': 'one' }
    const send = () => post(harness, agent, 'actions/request-review', acts['actions/request-review'], headers)
    const answers = await Promise.all([send(), send(), send()])
    // The others came while the first was running, or after it.
    for (const { status, replayed } of answers) expect([201, 409]).toContain(replayed ? 409 : status)
    expect(answers.filter(({ status, replayed }) => status === 201 && !replayed)).toHaveLength(1)
    expect(await harness.count('select count(*) as n from approvals')).toBe(1)
  })
})
