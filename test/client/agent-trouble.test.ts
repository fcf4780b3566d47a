import { RunStopped } from '@copydesk/client/agent'
import { describe, expect, it } from 'vitest'
import { createTestClock } from '../kit/clock.ts'
import { createRoleHarness, names, outputOf, shownOf } from './role-harness.ts'

/** A runtime made with the kit, and the whole of Copydesk behind a socket. */

const untilStopped = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the model was cut off')), { once: true })
  })

describe('the limit of 60 requests a minute', () => {
  it('is respected for a long text with tool calls, which arrives completely and in order', async () => {
    const clock = createTestClock()
    const words = Array.from({ length: 2_000 }, (_, n) => `word ${n} `)
    let written = 0
    await using harness = await createRoleHarness({
      clock,
      async perform(run) {
        for (const [n, word] of words.entries()) {
          run.text(word)
          written = n + 1
          if (n % 10 === 9) await new Promise<void>((resolve) => void clock.after(1_000, resolve))
          if (n % 40 === 39)
            await run.toolCall({
              toolName: 'look',
              method: 'get',
              input: { n },
              status: 'success',
              durationMs: 5,
            })
        }
      },
    })
    const runId = await harness.give()
    expect(await harness.ended()).toEqual([{ runId, outcome: 'delivered' }])
    expect(written).toBe(words.length)
    expect(harness.calls.filter(({ status }) => status !== 200 && status !== 201)).toEqual([])
    for (const { at } of harness.calls) {
      const inMinute = harness.calls.filter((call) => call.at >= at && call.at < at + 60_000)
      expect(inMinute.length).toBeLessThanOrEqual(60)
    }
    expect(await shownOf(harness, runId)).toBe(words.join(''))
    expect(await outputOf(harness, runId)).toBe(words.join(''))
    expect(await harness.count('select count(*) as n from tool_calls where run_id = ?', runId)).toBe(50)
    // Text is shown while it is written, and the heart beats meanwhile.
    expect(names(harness).filter((name) => name === 'stream').length).toBeGreaterThan(50)
    expect(names(harness).filter((name) => name === 'heartbeat').length).toBeGreaterThan(8)
  })

  it('is waited for when another client has used it up', async () => {
    const clock = createTestClock()
    let refusals = 2
    await using harness = await createRoleHarness({
      clock,
      trouble(call, _, response) {
        if (call !== 'result' || refusals-- <= 0) return false
        response.writeHead(429, { 'retry-after': '20' }).end()
        return true
      },
      perform: async () => 'A post',
    })
    const runId = await harness.give()
    expect(await harness.ended()).toEqual([{ runId, outcome: 'delivered' }])
    const at = harness.calls.filter(({ name }) => name === 'result').map((call) => call.at)
    expect(at).toHaveLength(3)
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(20_000)
    expect((at[2] ?? 0) - (at[1] ?? 0)).toBeGreaterThanOrEqual(20_000)
  })
})

describe('network errors', () => {
  it('cause no duplicates: a request with a lost response is repeated, and an existing result is accepted', async () => {
    const lost = new Set<string>()
    await using harness = await createRoleHarness({
      trouble(call, _, response) {
        if (lost.has(call)) return false
        lost.add(call)
        // The request is executed, but its response is lost; a context request is not even sent.
        if (call !== 'context') {
          response.end = () => response.destroy()
          return false
        }
        response.writeHead(503).end()
        return true
      },
      async perform(run) {
        await run.context()
        run.text('Once ')
        await run.toolCall({
          toolName: 'look',
          method: 'get',
          input: {},
          status: 'success',
          durationMs: 1,
          costUsd: 0.5,
        })
        await run.addComment({ text: 'A word to the people' })
        run.text('and for all')
      },
    })
    const runId = await harness.give()
    expect(await harness.ended()).toEqual([{ runId, outcome: 'delivered' }])
    expect(await shownOf(harness, runId)).toBe('Once and for all')
    expect(await outputOf(harness, runId)).toBe('Once and for all')
    expect(await harness.count('select count(*) as n from outputs')).toBe(1)
    expect(await harness.count('select count(*) as n from tool_calls')).toBe(1)
    expect(await harness.count('select count(*) as n from activity_comments')).toBe(1)
    for (const call of ['context', 'stream', 'tool-call', 'add-comment', 'result'])
      expect(names(harness).filter((name) => name === call).length, call).toBeGreaterThanOrEqual(2)
  })

  it('skip text that cannot be streamed: the result contains all of it', async () => {
    await using harness = await createRoleHarness({
      trouble(call, _, response) {
        if (call !== 'stream') return false
        response.writeHead(400).end()
        return true
      },
      async perform(run) {
        run.text('All ')
        run.text('of it')
      },
    })
    const runId = await harness.give()
    expect(await harness.ended()).toEqual([{ runId, outcome: 'delivered' }])
    expect(await outputOf(harness, runId)).toBe('All of it')
  })
})

describe('the heartbeat', () => {
  it('keeps a long run alive, whose latest token is used from then on', async () => {
    const clock = createTestClock()
    await using harness = await createRoleHarness({
      clock,
      timeoutMs: 10_000,
      async perform() {
        await new Promise<void>((resolve) => void clock.after(120_000, resolve))
        return 'Late, and in time'
      },
    })
    const runId = await harness.give()
    const first = (JSON.parse(harness.dispatches[0] ?? '') as { taskToken: string }).taskToken
    expect(await harness.ended()).toEqual([{ runId, outcome: 'delivered' }])
    expect(await outputOf(harness, runId)).toBe('Late, and in time')
    expect(harness.calls.every(({ status }) => status === 200)).toBe(true)
    // The first one ended long ago.
    const late = await fetch(`${harness.url}/agent/v1/runs/${runId}/status`, {
      headers: { authorization: `Bearer ${first}` },
    })
    expect(late.status).toBe(401)
  })

  it('stops a cancelled run, which ends at once', async () => {
    const clock = createTestClock()
    const why: unknown[] = []
    await using harness = await createRoleHarness({
      clock,
      async perform(run) {
        if (run.dispatch.agentRole !== 'social_writer') return 'A longer text'
        run.signal.addEventListener('abort', () => why.push(run.signal.reason))
        run.text('Before ')
        await run.reassign({ toRole: 'blog_writer', reason: 'A longer text' })
        return untilStopped(run.signal).finally(() => run.text('and after'))
      },
    })
    const runId = await harness.give()
    const reached = await harness.reach(
      () => harness.ends.find((end) => end.runId === runId),
      'the run has ended',
    )
    expect(reached).toEqual({ runId, outcome: 'failed', error: 'Stopped: the run was cancelled' })
    expect(why).toEqual([new RunStopped('cancelled', 'Stopped: the run was cancelled')])
    expect(await harness.run(runId)).toMatchObject({ status: 'failed', error_family: 'invalid' })
    expect((await harness.activityOf(runId)).status).toBe('reassigned')
    expect(await shownOf(harness, runId)).toBe('Before ')
  })

  it('waits a limited time for code that ignores the cancellation', async () => {
    const clock = createTestClock()
    await using harness = await createRoleHarness({
      clock,
      async perform(run) {
        if (run.dispatch.agentRole !== 'social_writer') return 'A longer text'
        await run.reassign({ toRole: 'blog_writer', reason: 'A longer text' })
        return new Promise(() => undefined)
      },
    })
    const runId = await harness.give()
    await harness.reach(() => harness.ends.find((end) => end.runId === runId), 'the run has ended')
    expect((await harness.run(runId)).status).toBe('failed')
  })

  it('detects that the run has ended elsewhere, and nothing more is sent', async () => {
    const clock = createTestClock()
    const why: unknown[] = []
    await using harness = await createRoleHarness({
      clock,
      perform(run) {
        run.signal.addEventListener('abort', () => why.push((run.signal.reason as RunStopped).why))
        return untilStopped(run.signal)
      },
    })
    const runId = await harness.give()
    const { taskToken } = JSON.parse(harness.dispatches[0] ?? '') as { taskToken: string }
    await harness.app.clientFor(taskToken).call('agent', 'POST /runs/:runId/result', {
      params: { runId },
      body: { status: 'success', text: 'By another hand' },
    })
    const [end] = await harness.ended()
    expect(end).toMatchObject({ runId, outcome: 'abandoned' })
    expect(why).toEqual(['over'])
    expect(names(harness)).toEqual(['heartbeat'])
  })
})
