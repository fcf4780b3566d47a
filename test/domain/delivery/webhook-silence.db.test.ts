import { describe, expect, it } from 'vitest'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { silent } from '../../kit/database.ts'
import { type AgentHarness, agentOf, createAgentHarness, type Dispatch } from '../../kit/runtime.ts'

/** Runtimes of someone else that say nothing: to the dispatch, or after it. */

const order = ({ team }: AgentHarness) =>
  team.admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
  })

/** Answers the first dispatch when the test says so, all others with 202. */
function hanging() {
  const asked = Promise.withResolvers<Dispatch>()
  const status = Promise.withResolvers<number>()
  let first = true
  return {
    asked: asked.promise,
    answer(dispatch: Dispatch) {
      if (!first) return 202
      first = false
      asked.resolve(dispatch)
      return status.promise
    },
    finish: status.resolve,
  }
}

/** Moves the clock on, by which the servers look for work and wait for each other. */
async function passing<T>(
  harness: AgentHarness,
  clock: TestClock,
  promise: Promise<T>,
  what: string,
): Promise<T> {
  let isSettled = false
  const settle = () => void (isSettled = true)
  promise.then(settle, settle)
  await harness.app.until(async () => {
    clock.advance(500)
    return isSettled
  }, what)
  return promise
}

/** Waits until a server has found that the one before it is gone. */
const isLeftToRuntime = (harness: AgentHarness, runId: string) =>
  harness.app.until(
    async () => (await harness.run(runId))['lease_owner'] === null,
    'the run is left to the runtime',
  )

describe('a runtime that does not respond to the dispatch', () => {
  it('loses the run when its lease expires, and does not delay other runs', async () => {
    const clock = createTestClock()
    const { asked, answer, finish } = hanging()
    await using harness = await createAgentHarness({ clock, answer, worker: { concurrency: 1 } })
    await harness.configure({ adapterConfig: { timeoutMs: 10_000 } })
    await order(harness)
    const late = await asked
    clock.advance(10_000)
    const again = await harness.next(clock)
    expect(await harness.run(late.taskId)).toMatchObject({
      status: 'timeout',
      error: 'The run took longer than its agent may',
      error_family: 'transient',
    })
    expect(again.runId).not.toBe(late.taskId)
    expect(again.dispatch.wakeReason).toBe('retry')
    const before = await harness.state()
    finish(202)
    await expect(agentOf(harness.app, late).deliver('Too late')).rejects.toMatchObject({ status: 401 })
    expect(await harness.state()).toEqual(before)
    await again.deliver('In time')
    expect((await harness.run(again.runId)).status).toBe('completed')
  })

  it('may deliver all the same, and its later response changes nothing', async () => {
    const { asked, answer, finish } = hanging()
    await using harness = await createAgentHarness({ answer, worker: { concurrency: 1 } })
    await order(harness)
    const agent = agentOf(harness.app, await asked)
    await agent.deliver('Before the answer')
    const before = await harness.state()
    finish(500)
    // The only place is free again when the answer has been dealt with.
    const other = await harness.order()
    await other.fail('Not this one')
    expect(await harness.run(agent.runId)).toMatchObject({ status: 'completed', error: null })
    expect((await harness.activityOf(agent.runId)).status).toBe('awaiting_approval')
    expect((await harness.state())['outputs']).toEqual(before['outputs'])
  })

  it('has five minutes to confirm the run when the waiting server stops; then it is dispatched again', async () => {
    const clock = createTestClock()
    const { asked, answer } = hanging()
    await using harness = await createAgentHarness({ clock, answer, worker: false })
    const worker = { concurrency: 1 }
    const stopping = await harness.app.another({ worker })
    await order(harness)
    const first = agentOf(harness.app, await passing(harness, clock, asked, 'the runtime is asked'))
    await passing(harness, clock, stopping.stop(), 'the server has stopped')
    expect(await harness.run(first.runId)).toMatchObject({ status: 'running', attempt: 1 })

    await harness.app.another({ worker })
    await isLeftToRuntime(harness, first.runId)
    clock.advance(295_000)
    expect(await harness.run(first.runId)).toMatchObject({ status: 'running', attempt: 1 })
    const second = await harness.next(clock)
    expect(second.runId).toBe(first.runId)
    expect(await harness.run(first.runId)).toMatchObject({ status: 'running', attempt: 2 })
    await expect(first.deliver('For the one that stopped')).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(
      first.call('POST /runs/:runId/stream', { delta: 'For the one that stopped', sequenceNum: 0 }),
    ).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    await second.deliver('For the next one')
    expect((await harness.run(first.runId)).status).toBe('completed')
  })

  it('keeps the run until its deadline once it has used its token', async () => {
    const clock = createTestClock()
    const { asked, answer } = hanging()
    await using harness = await createAgentHarness({ clock, answer, worker: false })
    const stopping = await harness.app.another({ worker: { concurrency: 1 } })
    await order(harness)
    const first = agentOf(harness.app, await passing(harness, clock, asked, 'the runtime is asked'))
    await passing(harness, clock, stopping.stop(), 'the server has stopped')
    await harness.app.another({ worker: { concurrency: 1 } })
    await isLeftToRuntime(harness, first.runId)
    await first.call('POST /runs/:runId/heartbeat')
    const { deadline, lease_until } = await harness.run(first.runId)
    expect(lease_until).toEqual(deadline)
    clock.advance(600_000)
    await first.deliver('It took a while')
    expect(await harness.run(first.runId)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(harness.runtime.waiting).toBe(0)
  })

  it('may deliver until another runtime has the next attempt: the first result counts, later ones are rejected', async () => {
    const clock = createTestClock()
    const dispatches: Dispatch[] = []
    const secondAsked = Promise.withResolvers<void>()
    const held = Promise.withResolvers<number>()
    await using harness = await createAgentHarness({
      clock,
      worker: false,
      answer(dispatch) {
        dispatches.push(dispatch)
        if (dispatches.length === 2) secondAsked.resolve()
        return held.promise
      },
    })
    const stopping = await harness.app.another({ worker: { concurrency: 1 } })
    await order(harness)
    await passing(
      harness,
      clock,
      harness.app.until(async () => dispatches.length === 1, 'the runtime is asked'),
      'asked',
    )
    await passing(harness, clock, stopping.stop(), 'the server has stopped')
    await harness.app.another({ worker: { concurrency: 1 } })
    await isLeftToRuntime(harness, dispatches[0]?.taskId ?? '')
    clock.advance(295_000)
    await passing(harness, clock, secondAsked.promise, 'the runtime is asked again')
    const [first, second] = dispatches.map((dispatch) => agentOf(harness.app, dispatch))
    expect(await harness.run(first?.runId ?? '')).toMatchObject({ status: 'running', attempt: 2 })
    await first?.deliver('By the first')
    expect(await harness.run(first?.runId ?? '')).toMatchObject({ status: 'completed', attempt: 1 })
    await expect(second?.deliver('By the second')).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await harness.count('select count(*) as n from outputs')).toBe(1)
    held.resolve(202)
  })

  it('may reject the first attempt late: a server that was suspended meanwhile ends nothing', async () => {
    // The first server hangs while it waits for the answer: its clock stands still.
    const clock = createTestClock()
    const others = createTestClock()
    const dispatches: Dispatch[] = []
    const answers = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
    const said: string[] = []
    const log = { ...silent, info: (message: string) => void said.push(message), child: () => log }
    await using harness = await createAgentHarness({
      clock,
      log,
      answer(dispatch) {
        dispatches.push(dispatch)
        return answers[dispatches.length - 1]?.promise ?? 202
      },
    })
    await order(harness)
    await harness.app.until(async () => dispatches.length === 1, 'the runtime is asked')
    const runId = dispatches[0]?.taskId ?? ''
    await harness.app.another({ clock: others })
    const askedAgain = harness.app.until(async () => dispatches.length === 2, 'the runtime is asked again')
    await harness.app.until(async () => {
      others.advance(1_000)
      return (await harness.run(runId))['lease_owner'] === null
    }, 'another server has taken the run over')
    others.advance(295_000)
    await passing(harness, others, askedAgain, 'the runtime is asked again')
    answers[0]?.resolve(500)
    const isHeard = async () =>
      said.includes('a dispatch came to nothing; the run is left to another attempt')
    await harness.app.until(isHeard, 'the first server has its answer')
    expect(await harness.run(runId)).toMatchObject({ status: 'running', attempt: 2 })
    answers[1]?.resolve(202)
    const second = await passing(harness, others, harness.next(), 'the second attempt is handed over')
    await second.deliver('By the second')
    expect(await harness.run(runId)).toMatchObject({ status: 'completed', attempt: 2 })
  })

  it('that rejects the next attempt because it is busy with the first keeps the first', async () => {
    const clock = createTestClock()
    const dispatches: Dispatch[] = []
    const held = Promise.withResolvers<number>()
    await using harness = await createAgentHarness({
      clock,
      worker: false,
      answer(dispatch) {
        dispatches.push(dispatch)
        return dispatches.length === 1 ? held.promise : 503
      },
    })
    const stopping = await harness.app.another({ worker: { concurrency: 1 } })
    await order(harness)
    await passing(
      harness,
      clock,
      harness.app.until(async () => dispatches.length === 1, 'the runtime is asked'),
      'asked',
    )
    await passing(harness, clock, stopping.stop(), 'the server has stopped')
    await harness.app.another({ worker: { concurrency: 1 } })
    const first = agentOf(harness.app, dispatches[0] as Dispatch)
    await isLeftToRuntime(harness, first.runId)
    clock.advance(295_000)
    const refused = async () => dispatches.length > 1 && (await harness.run(first.runId)).status === 'pending'
    await passing(harness, clock, harness.app.until(refused, 'the runtime has refused'), 'refused')
    await first.deliver('By the first')
    expect(await harness.run(first.runId)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await harness.count('select count(*) as n from runs')).toBe(1)
  })
})

describe('a runtime that accepts a run and never delivers', () => {
  it('loses the run, its text is kept, and the admins are notified after the last attempt', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    await harness.configure({ adapterConfig: { timeoutMs: 10_000 } })
    const agent = await harness.order()
    const first = agent.runId
    await agent.call('POST /runs/:runId/stream', { delta: 'Half a ', sequenceNum: 0 })
    await agent.call('POST /runs/:runId/stream', { delta: 'sentence', sequenceNum: 1 })
    const told = () =>
      harness.app.db.sql.all<{ title: string; body: string }>(
        `select title, body from notifications where type = 'activity_failed' and user_id = ?`,
        [harness.team.adminId],
      )
    for (let tries = 1; tries < 4; tries += 1) {
      clock.advance(10_000)
      await harness.next(clock)
    }
    expect(await told()).toEqual([])
    await harness.app.until(async () => {
      clock.advance(1_000)
      return (await harness.activityOf(first)).status === 'failed'
    }, 'the activity has failed')
    const error = 'The runtime did not answer in time'
    expect(await told()).toEqual([{ title: 'Failed: Social post: draft', body: `Social writer: ${error}` }])
    const ended = `select count(*) as n from runs where status = 'timeout' and error = ?`
    expect(await harness.count(ended, error)).toBe(4)
    expect(await harness.count('select count(*) as n from runs')).toBe(4)
    const deltas = await harness.app.db.sql.all<{ text: string }>('select text from run_deltas')
    expect(deltas.map(({ text }) => text).join('')).toBe('Half a sentence')
    expect(await harness.count('select count(*) as n from outputs')).toBe(0)
  })
})
