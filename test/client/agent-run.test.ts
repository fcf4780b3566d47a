import { RunFailure } from '@copydesk/client/agent'
import { describe, expect, it } from 'vitest'
import { createRoleHarness, names, outputOf, shownOf } from './role-harness.ts'

/** A runtime made with the kit, and the whole of Copydesk behind a socket. */

describe('the return value of perform', () => {
  it('is delivered once, after the streamed text, and nothing follows', async () => {
    const prompts: string[] = []
    await using harness = await createRoleHarness({
      async perform(run) {
        const { prompt } = await run.context()
        prompts.push(prompt, run.dispatch.prompt)
        for (const word of ['Oats ', 'for ', 'the ', 'morning 🌅']) run.text(word)
        return { usage: { inputTokens: 11, outputTokens: 7 } }
      },
    })
    const runId = await harness.give()
    expect(await harness.ended()).toEqual([{ runId, outcome: 'delivered' }])
    expect(prompts[0]).toContain('Morning Oats')
    expect(prompts[0]).toBe(prompts[1])
    expect(await outputOf(harness, runId)).toBe('Oats for the morning 🌅')
    expect(await shownOf(harness, runId)).toBe('Oats for the morning 🌅')
    expect(await harness.run(runId)).toMatchObject({
      status: 'completed',
      input_tokens: 11,
      output_tokens: 7,
    })
    expect(names(harness)).toEqual(['context', 'stream', 'result'])
    expect(harness.agent.busy).toBe(0)
  })

  it('may be another text, or state that there is nothing to do', async () => {
    await using harness = await createRoleHarness({
      async perform(run) {
        if (run.dispatch.wakeReason === 'review_approved') return { nothingToDo: true }
        run.text('A draft')
        return 'The piece'
      },
    })
    const runId = await harness.give()
    await harness.ended()
    expect(await outputOf(harness, runId)).toBe('The piece')
    const { data } = await harness.team.reviewer.call('dm', 'GET /approvals', {
      query: { 'filter.status': 'pending' },
    })
    await harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: data[0]?.id ?? '' },
      body: { resolution: 'approved' },
    })
    expect((await harness.ended(2))[1]).toMatchObject({ outcome: 'delivered' })
    expect((await harness.activityOf(runId)).status).toBe('done')
  })

  it('keeps the session for the next run of the activity', async () => {
    const sessions: Array<string | null> = []
    await using harness = await createRoleHarness({
      async perform({ dispatch }) {
        sessions.push(dispatch.sessionId)
        return { text: 'A post', sessionId: 'conversation-7' }
      },
    })
    await harness.give()
    await harness.ended()
    const { data } = await harness.team.reviewer.call('dm', 'GET /approvals', {
      query: { 'filter.status': 'pending' },
    })
    await harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: data[0]?.id ?? '' },
      body: { resolution: 'revision_requested', note: 'Shorter' },
    })
    await harness.ended(2)
    expect(sessions).toEqual([null, 'conversation-7'])
  })

  it('that Copydesk rejects becomes a failure with the reason', async () => {
    await using harness = await createRoleHarness({ perform: async () => 'x'.repeat(1_000_001) })
    const runId = await harness.give()
    const [end] = await harness.ended()
    expect(end).toMatchObject({ outcome: 'failed' })
    expect(end?.error).toMatch(/^Copydesk refused the result: /)
    expect(await harness.run(runId)).toMatchObject({
      status: 'failed',
      error_family: 'invalid',
      error: end?.error,
    })
  })
})

describe('an error thrown by perform', () => {
  const withStatus = (fields: object) => Object.assign(new Error('The model said no'), fields)
  it.each<[string, () => unknown, string, number?]>([
    ['a failure of a kind', () => new RunFailure('refusal', 'The model said no'), 'refusal'],
    [
      'a failure that passes',
      () => new RunFailure('quota', 'The model said no', { retryAfterMs: 90_000 }),
      'quota',
      90_000,
    ],
    ['an error of a model client, 401', () => withStatus({ status: 401 }), 'auth'],
    [
      'an error of a model client, 429',
      () => withStatus({ statusCode: 429, responseHeaders: { 'retry-after': '120' } }),
      'quota',
      120_000,
    ],
    ['an error of a model client, 529', () => withStatus({ status: 529, headers: new Headers() }), 'quota'],
    ['an error of a model client, 503', () => withStatus({ status: 503 }), 'transient'],
    ['an error of a model client, 400', () => withStatus({ status: 400 }), 'invalid'],
    ['an error of the network', () => withStatus({ code: 'ECONNRESET' }), 'transient'],
    ['a bug', () => new TypeError('The model said no'), 'internal'],
    ['no error at all', () => 'The model said no', 'internal'],
  ])('is delivered with its family: %s', async (_, thrown, family, retryAfterMs = 0) => {
    await using harness = await createRoleHarness({
      async perform() {
        throw thrown()
      },
    })
    const runId = await harness.give()
    expect(await harness.ended()).toEqual([{ runId, outcome: 'failed', error: 'The model said no' }])
    expect(await harness.run(runId)).toMatchObject({
      status: 'failed',
      error: 'The model said no',
      error_family: family,
    })
    const [next] = await harness.app.db.sql.all<{ not_before: string | number | Date }>(
      'select not_before from runs where id <> ?',
      [runId],
    )
    const waitsFor = next && new Date(next.not_before).getTime() - Date.now()
    const passes = family === 'transient' || family === 'quota'
    expect(waitsFor !== undefined && waitsFor > retryAfterMs - 5_000).toBe(passes)
    expect(next !== undefined).toBe(passes)
  })

  it('is missing together with a text: this is a failure, too', async () => {
    await using harness = await createRoleHarness({ perform: async (run) => run.text(' \n') })
    const runId = await harness.give()
    await harness.ended()
    expect(await harness.run(runId)).toMatchObject({ status: 'failed', error_family: 'invalid' })
  })
})
