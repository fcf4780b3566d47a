import { describe, expect, it } from 'vitest'
import { createTestClock } from '../kit/clock.ts'
import { agentOf, createDesk, type Desk, type Dispatch } from '../kit/runtime.ts'

/** Runtimes of somebody else that say nothing: to the dispatch, or after it. */

const order = ({ team }: Desk) =>
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

describe('a runtime that does not answer the dispatch', () => {
  it('loses the run when its time is over, and holds up nothing else', async () => {
    const clock = createTestClock()
    const { asked, answer, finish } = hanging()
    await using desk = await createDesk({ clock, answer, worker: { concurrency: 1 } })
    await desk.configure({ adapterConfig: { timeoutMs: 10_000 } })
    await order(desk)
    const late = await asked
    clock.advance(10_000)
    const again = await desk.next(clock)
    expect(await desk.run(late.taskId)).toMatchObject({
      status: 'timeout',
      error: 'The run took longer than its agent may',
      error_family: 'transient',
    })
    expect(again.runId).not.toBe(late.taskId)
    expect(again.dispatch.wakeReason).toBe('retry')
    const before = await desk.state()
    finish(202)
    await expect(agentOf(desk.app, late).deliver('Too late')).rejects.toMatchObject({ status: 401 })
    expect(await desk.state()).toEqual(before)
    await again.deliver('In time')
    expect((await desk.run(again.runId)).status).toBe('completed')
  })

  it('may deliver all the same, and its answer after that changes nothing', async () => {
    const { asked, answer, finish } = hanging()
    await using desk = await createDesk({ answer, worker: { concurrency: 1 } })
    await order(desk)
    const agent = agentOf(desk.app, await asked)
    await agent.deliver('Before the answer')
    const before = await desk.state()
    finish(500)
    // The only place is free again when the answer has been dealt with.
    const other = await desk.order()
    await other.fail('Not this one')
    expect(await desk.run(agent.runId)).toMatchObject({ status: 'completed', error: null })
    expect((await desk.activityOf(agent.runId)).status).toBe('awaiting_approval')
    expect((await desk.state())['outputs']).toEqual(before['outputs'])
  })

  it('is asked anew when the server that waits for it stops', async () => {
    const clock = createTestClock()
    const { asked, answer } = hanging()
    await using desk = await createDesk({ clock, answer, worker: false })
    const worker = { concurrency: 1 }
    const stopping = await desk.app.another({ worker })
    /** Moves the clock on, by which the servers look for work and wait for each other. */
    const passing = async <T>(promise: Promise<T>, what: string): Promise<T> => {
      let isSettled = false
      const settle = () => void (isSettled = true)
      promise.then(settle, settle)
      await desk.app.until(async () => {
        clock.advance(500)
        return isSettled
      }, what)
      return promise
    }
    await order(desk)
    const first = agentOf(desk.app, await passing(asked, 'the runtime is asked'))
    await passing(stopping.stop(), 'the server has stopped')
    expect(await desk.run(first.runId)).toMatchObject({ status: 'running', attempt: 1 })

    await desk.app.another({ worker })
    const second = await desk.next(clock)
    expect(second.runId).toBe(first.runId)
    expect(await desk.run(first.runId)).toMatchObject({ status: 'running', attempt: 2 })
    await expect(first.deliver('For the one that stopped')).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(
      first.call('POST /runs/:runId/stream', { delta: 'For the one that stopped', sequenceNum: 0 }),
    ).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    await second.deliver('For the next one')
    expect((await desk.run(first.runId)).status).toBe('completed')
  })
})

describe('a runtime that takes the work and never delivers', () => {
  it('loses the run, what it wrote is kept, and the admins are told when it was the last try', async () => {
    const clock = createTestClock()
    await using desk = await createDesk({ clock })
    await desk.configure({ adapterConfig: { timeoutMs: 10_000 } })
    const agent = await desk.order()
    const first = agent.runId
    await agent.call('POST /runs/:runId/stream', { delta: 'Half a ', sequenceNum: 0 })
    await agent.call('POST /runs/:runId/stream', { delta: 'sentence', sequenceNum: 1 })
    const told = () =>
      desk.app.db.sql.all<{ title: string; body: string }>(
        `select title, body from notifications where type = 'activity_failed' and user_id = ?`,
        [desk.team.adminId],
      )
    for (let tries = 1; tries < 4; tries += 1) {
      clock.advance(10_000)
      await desk.next(clock)
    }
    expect(await told()).toEqual([])
    await desk.app.until(async () => {
      clock.advance(1_000)
      return (await desk.activityOf(first)).status === 'failed'
    }, 'the activity has failed')
    const error = 'The runtime did not answer in time'
    expect(await told()).toEqual([{ title: 'Failed: Social post: draft', body: `Social writer: ${error}` }])
    const ended = `select count(*) as n from runs where status = 'timeout' and error = ?`
    expect(await desk.count(ended, error)).toBe(4)
    expect(await desk.count('select count(*) as n from runs')).toBe(4)
    const deltas = await desk.app.db.sql.all<{ text: string }>('select text from run_deltas')
    expect(deltas.map(({ text }) => text).join('')).toBe('Half a sentence')
    expect(await desk.count('select count(*) as n from outputs')).toBe(0)
  })
})
