import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { createLoop, type Loop } from '../../kit/loop.ts'
import { pricedModel } from '../../kit/runtime.ts'
import { blocked, retry } from './budgets.ts'

const comment = (id: string, text = 'Hello') => ({ id, name: 'add_comment', input: { text } })
const tools = (loop: Loop, toolNames: Array<'add_comment' | 'request_review'>, more: object = {}) =>
  loop.configure({ toolNames, ...more })

describe('the cost of a run of the built-in loop', () => {
  it('is the sum of its requests, each rounded once at its own price', async () => {
    await using loop = await createLoop({
      first: [
        { toolCalls: [comment('c1')], usage: { inputTokens: 1_001, outputTokens: 7 } },
        { text: ['A post'], usage: { inputTokens: 2_003, outputTokens: 11 } },
      ],
    })
    await tools(loop, ['add_comment'])
    const [run] = await loop.write()
    expect(await loop.calls(run?.id ?? '')).toMatchObject([
      { provider: 'one', model: pricedModel, status: 'completed', inputTokens: 1_001, costMicros: 1_036 },
      { provider: 'one', model: pricedModel, status: 'completed', inputTokens: 2_003, costMicros: 2_058 },
    ])
    expect(run).toMatchObject({
      status: 'completed',
      inputTokens: 3_004,
      outputTokens: 18,
      costMicros: 3_094,
      priced: true,
    })
    expect(Number((await loop.activityOf(run?.id ?? ''))['cost_micros'])).toBe(3_094)
  })

  it('is estimated when the response is cut off', async () => {
    await using loop = await createLoop({ first: [{ text: ['Once upon a time'], cut: true }] })
    const [run] = await loop.write()
    expect(run).toMatchObject({ status: 'failed', family: 'transient' })
    const [call] = await loop.calls(run?.id ?? '')
    expect(call).toMatchObject({ status: 'failed', family: 'transient', estimated: true, outputTokens: 4 })
    expect(call?.inputTokens).toBeGreaterThan(50)
    expect(run?.costMicros).toBe(call?.costMicros)
    expect(run?.costMicros).toBeGreaterThan(50)
  })

  it('is recorded when a person cancels the run', async () => {
    await using loop = await createLoop({
      first: [{ text: ['Once upon a time'], hang: true }],
      changes: { worker: { concurrency: 4, leaseMs: 2_000 } },
    })
    const { sql } = loop.app.db
    const writing = loop.write()
    await loop.app.until(
      async () => (await sql.all('select run_id from run_deltas')).length > 0,
      'text has come',
    )
    await loop.app.db.write((tx) => tx.run('update runs set cancel_requested = ?', [true]))
    const [run] = await writing
    expect(run).toMatchObject({ status: 'failed', error: 'Stopped by a person' })
    expect(await loop.calls(run?.id ?? '')).toMatchObject([{ status: 'cancelled', estimated: true }])
    expect(run?.costMicros).toBeGreaterThan(50)
    expect(await loop.lines(run?.id ?? '')).toMatchObject([
      { type: 'assistant', content: 'Once upon a time', metadata: { unfinished: true } },
      { type: 'error', content: 'Stopped by a person' },
    ])
    await loop.first.abandoned
  })

  it('is recorded when the run times out', async () => {
    const clock = createTestClock()
    await using loop = await createLoop({
      first: [{ text: ['Once upon a time'], hang: true }],
      changes: { clock },
    })
    await loop.configure({ adapterConfig: { timeoutSec: 10 } })
    const writing = loop.write()
    await loop.app.until(async () => {
      clock.advance(100)
      return (await loop.app.db.sql.all('select run_id from run_deltas')).length > 0
    }, 'text has come')
    clock.advance(10_000)
    const [run] = await writing
    expect(run).toMatchObject({ status: 'timeout', family: 'transient' })
    expect(await loop.calls(run?.id ?? '')).toMatchObject([{ status: 'cancelled' }])
    expect(run?.costMicros).toBeGreaterThan(50)
  })
})

describe('a server that stops', () => {
  it('records the cost of its runs so far, and leaves them to the next server', async () => {
    const clock = createTestClock()
    await using loop = await createLoop({
      first: [{ text: ['Once upon a time'], hang: true }, { text: ['A post'] }],
      changes: { clock },
    })
    await loop.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const { sql } = loop.app.db
    await loop.app.until(async () => {
      clock.advance(100)
      return (await sql.all('select run_id from run_deltas')).length > 0
    }, 'text has come')
    let isDown = false
    const down = loop.app.copydesk.stop().then(() => (isDown = true))
    await loop.app.until(async () => {
      clock.advance(1_000)
      return isDown
    }, 'the server is down')
    await down
    expect(await sql.all('select status from llm_calls')).toEqual([{ status: 'cancelled' }])
    expect(await sql.get('select status, open, cost_micros > 50 as paid from runs')).toMatchObject({
      status: 'running',
    })
    await loop.app.another()
    await loop.app.until(async () => {
      clock.advance(1_000)
      return (await sql.all('select id from runs where open = ?', [false])).length > 0
    }, 'another has gone on with it')
    const [run] = await loop.ended(1)
    expect(run).toMatchObject({ status: 'completed' })
    expect(await loop.calls(run?.id ?? '')).toMatchObject([{ status: 'cancelled' }, { status: 'completed' }])
    expect(run?.costMicros).toBe(
      (await loop.calls(run?.id ?? '')).reduce((sum, call) => sum + call.costMicros, 0),
    )
    expect((await loop.lines(run?.id ?? '')).map(({ type, content }) => [type, content])).toEqual([
      ['assistant', 'Once upon a time'],
      ['system', 'Attempt 1 has lost its process. The run starts again.'],
      ['assistant', 'A post'],
    ])
  })
})

describe('maxCostUsdPerActivity', () => {
  it('ends a run between two requests, exceeding its limit by at most one', async () => {
    const turn = (id: string) => ({ toolCalls: [comment(id)], usage: { inputTokens: 400, outputTokens: 0 } })
    await using loop = await createLoop({
      first: [
        turn('c1'),
        turn('c2'),
        turn('c3'),
        turn('c4'),
        { text: ['A post'], usage: { inputTokens: 10, outputTokens: 0 } },
      ],
    })
    await tools(loop, ['add_comment'], { maxCostUsdPerActivity: 0.001 })
    const [run] = await loop.write()
    expect(loop.first.calls).toHaveLength(3)
    expect(run).toMatchObject({ status: 'failed', family: 'quota', costMicros: 1_200 })
    expect(run?.error).toContain('$0.001')
    const [held] = await blocked(loop, 1)
    expect(held).toMatchObject({ id: run?.activityId })

    await loop.configure({ maxCostUsdPerActivity: 0.01 })
    await retry(loop, run?.activityId ?? '')
    const [, again] = await loop.ended(2)
    expect(again).toMatchObject({ status: 'completed', costMicros: 410 })
  })

  it('keeps the text of the last request', async () => {
    await using loop = await createLoop({
      first: [{ text: ['A dear post'], usage: { inputTokens: 5_000, outputTokens: 0 } }],
    })
    await loop.configure({ maxCostUsdPerActivity: 0.001 })
    const [run] = await loop.write()
    expect(run).toMatchObject({ status: 'completed', costMicros: 5_000 })
  })
})

describe('maxTurnsPerRun', () => {
  const endless = () => ({ text: ['Let me think. '], toolCalls: [comment('c1')] })

  it('fails a run that exceeds its turns, and delivers no partial text', async () => {
    await using loop = await createLoop({ first: endless })
    await tools(loop, ['add_comment'], { adapterConfig: { maxTurnsPerRun: 3 } })
    const [run] = await loop.write()
    expect(loop.first.calls).toHaveLength(3)
    expect(run).toMatchObject({ status: 'failed', family: 'invalid' })
    expect(run?.error).toContain('3 turns')
    expect(await loop.count('select count(*) as n from outputs')).toBe(0)
    expect(await loop.calls(run?.id ?? '')).toHaveLength(3)
  })

  it('does not fail a run that has delegated its activity', async () => {
    const review = { id: 'r1', name: 'request_review', input: { title: 'Look', description: 'Is it right?' } }
    await using loop = await createLoop({ first: [{ toolCalls: [review] }] })
    await tools(loop, ['request_review'], { adapterConfig: { maxTurnsPerRun: 1 } })
    const [run] = await loop.write()
    expect(run).toMatchObject({ status: 'completed', error: null })
    expect((await loop.activityOf(run?.id ?? '')).status).toBe('awaiting_review')
  })
})

describe('the transcript of the built-in loop', () => {
  it('contains prompts, calls and results, in their order, without secrets', async () => {
    await using loop = await createLoop({
      first: [
        {
          text: ['I leave ', 'a note: sk-qrstuvwxyzabcdef1234'],
          toolCalls: [comment('c1', 'The key is sk-abcdefghijklmnop1234')],
        },
        { toolCalls: [{ id: 'c2', name: 'add_comment', input: { wrong: 1 } }] },
        { text: ['A post'] },
      ],
    })
    await tools(loop, ['add_comment'])
    const [run] = await loop.write()
    const lines = await loop.lines(run?.id ?? '')
    expect(lines).toMatchObject([
      { type: 'assistant', content: 'I leave a note: [redacted]', metadata: { model: pricedModel } },
      {
        type: 'tool_use',
        content: expect.stringContaining('The key is'),
        metadata: { toolName: 'add_comment' },
      },
      {
        type: 'tool_result',
        content: expect.stringContaining('commentId'),
        metadata: { toolName: 'add_comment' },
      },
      { type: 'tool_use', content: expect.stringContaining('wrong') },
      { type: 'tool_result', metadata: { failed: true } },
      { type: 'assistant', content: 'A post' },
    ])
    expect(JSON.stringify(lines)).not.toMatch(/sk-[a-z]/)
  })

  it('is cut beyond a million characters, and says so', async () => {
    const long = 'oats and rye '.repeat(30_000)
    const turn = (id: string) => ({ text: [long], toolCalls: [comment(id)] })
    await using loop = await createLoop({
      first: [...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(turn), { text: ['A post'] }],
    })
    await tools(loop, ['add_comment'], { adapterConfig: { maxTurnsPerRun: 10 } })
    const [run] = await loop.write()
    expect(run?.status).toBe('completed')
    const lines = await loop.lines(run?.id ?? '')
    expect(lines[0]?.content).toContain('[cut: 190000 more characters]')
    expect(lines.at(-1)).toMatchObject({ type: 'system', metadata: { cut: true } })
    expect(lines.filter(({ metadata }) => metadata?.['cut'])).toHaveLength(1)
    const size = lines.reduce((sum, { content }) => sum + content.length, 0)
    expect(size).toBeLessThan(1_300_000)
  })
})
