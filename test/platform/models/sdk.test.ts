import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createSdkProvider } from '../../../packages/core/src/platform/models/sdk.ts'
import {
  type ModelReply,
  type ModelScript,
  type ModelServerOptions,
  startAnthropicLike,
  startCompatible,
  startOpenAiLike,
} from '../../kit/model-servers.ts'
import { ask, listener } from './listener.ts'

const protocols = [
  { type: 'hosted_a', start: startAnthropicLike },
  { type: 'hosted_b', start: startOpenAiLike },
  { type: 'local', start: startCompatible },
  { type: 'custom', start: startCompatible },
] as const

const lookUp = (execute: (input: unknown) => Promise<unknown>) => ({
  name: 'look_up',
  description: 'Looks a word up',
  input: z.object({ word: z.string() }),
  execute,
})

describe.each(protocols)('createSdkProvider, $type', ({ type, start }) => {
  async function begin(script: ModelScript, options?: ModelServerOptions) {
    const server = await start(script, options)
    const provider = createSdkProvider({ id: 'p1', type, apiKey: 'key-1', baseUrl: server.url, fetch })
    return { server, provider, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  }
  const failing = async (reply: ModelReply) => {
    await using it = await begin([reply])
    return await it.provider.generate(ask(), listener()).then(
      () => undefined,
      (error: unknown) => error,
    )
  }

  it('streams the text as the provider sends it and reports usage and model', async () => {
    await using it = await begin([
      { text: ['Good ', 'morning', '.'], usage: { inputTokens: 12, outputTokens: 7 } },
    ])
    const sink = listener()
    const result = await it.provider.generate(ask({ system: 'Be brief.', maxOutputTokens: 99 }), sink)
    expect(sink.heard.map((each) => each.delta)).toEqual(['Good ', 'morning', '.'])
    expect(result).toEqual({
      text: 'Good morning.',
      turns: 1,
      usage: { inputTokens: 12, outputTokens: 7 },
      finishReason: 'stop',
      model: 'test-model',
    })
    const sent = JSON.stringify(it.server.calls[0]?.body)
    for (const part of ['Write a line.', 'Be brief.', '99', 'test-model']) expect(sent).toContain(part)
    expect(JSON.stringify(it.server.calls[0]?.headers)).toContain('key-1')
  })

  it('runs the requested tools, returns their output and sums up usage over the turns', async () => {
    await using it = await begin([
      {
        text: ['Looking it up. '],
        toolCalls: [{ id: 'call_1', name: 'look_up', input: { word: 'oat' } }],
        usage: { inputTokens: 10, outputTokens: 4 },
      },
      { text: ['Oats are a cereal.'], usage: { inputTokens: 30, outputTokens: 6 } },
    ])
    const sink = listener()
    const given: unknown[] = []
    const tools = [
      lookUp(async (input) => {
        given.push(input)
        return { meaning: 'a cereal' }
      }),
    ]
    const result = await it.provider.generate(ask({ tools }), sink)
    expect(given).toEqual([{ word: 'oat' }])
    expect(result).toMatchObject({ text: 'Oats are a cereal.', turns: 2, finishReason: 'stop' })
    expect(result.usage).toEqual({ inputTokens: 40, outputTokens: 10 })
    expect(sink.heard).toMatchObject([
      { kind: 'text', delta: 'Looking it up. ' },
      { kind: 'call', id: 'call_1', name: 'look_up', input: { word: 'oat' } },
      {
        kind: 'result',
        id: 'call_1',
        name: 'look_up',
        output: { meaning: 'a cereal' },
        durationMs: expect.any(Number),
      },
      { kind: 'text', delta: 'Oats are a cereal.' },
    ])
    expect(JSON.stringify(it.server.calls[0]?.body)).toContain('"word"')
    expect(JSON.stringify(it.server.calls[1]?.body)).toContain('a cereal')
  })

  it('reports a failed tool or invalid input to the model, and continues', async () => {
    await using it = await begin([
      { toolCalls: [{ id: 'call_1', name: 'look_up', input: { word: 'rye' } }] },
      { toolCalls: [{ id: 'call_2', name: 'look_up', input: { wrong: 1 } }] },
      { text: ['I could not look it up.'] },
    ])
    const sink = listener()
    let runs = 0
    const tools = [
      lookUp(async () => {
        runs += 1
        throw new Error('the shelf is empty')
      }),
    ]
    const result = await it.provider.generate(ask({ tools }), sink)
    expect(result.text).toBe('I could not look it up.')
    expect(runs).toBe(1)
    const results = sink.heard.filter((each) => each.kind === 'result')
    expect(results).toMatchObject([
      { id: 'call_1', error: 'the shelf is empty' },
      { id: 'call_2', error: expect.stringContaining('word'), durationMs: 0 },
    ])
    expect(JSON.stringify(it.server.calls[1]?.body)).toContain('the shelf is empty')
  })

  it('stops after maxTurns although the model would continue', async () => {
    const more = { toolCalls: [{ id: 'call_1', name: 'look_up', input: { word: 'oat' } }] }
    await using it = await begin(() => more)
    const result = await it.provider.generate(
      ask({ tools: [lookUp(async () => 'x')], maxTurns: 2 }),
      listener(),
    )
    expect(result).toMatchObject({ turns: 2, finishReason: 'tool-calls', text: '' })
    expect(it.server.calls).toHaveLength(2)
  })

  it('reports that the text was cut off by the length limit', async () => {
    await using it = await begin([{ text: ['Once upon'], truncated: true }])
    expect(await it.provider.generate(ask(), listener())).toMatchObject({
      text: 'Once upon',
      finishReason: 'length',
    })
  })

  it.each([
    [401, 'auth'],
    [403, 'auth'],
    [402, 'quota'],
    [429, 'quota'],
    [529, 'quota'],
    [408, 'transient'],
    [500, 'transient'],
    [503, 'transient'],
    [400, 'invalid'],
    [404, 'invalid'],
  ])('maps status %i to a failure of the family %s, without a retry', async (status, family) => {
    await using it = await begin(() => ({ status }))
    await expect(it.provider.generate(ask(), listener())).rejects.toMatchObject({
      name: 'ModelError',
      family,
    })
    expect(it.server.calls).toHaveLength(1)
  })

  it('passes on the provider’s retry delay', async () => {
    const failure = await failing({ status: 429, headers: { 'retry-after': '17' } })
    expect(failure).toMatchObject({ family: 'quota', retryAfterMs: 17_000 })
  })

  it('maps an overload in the middle of the stream to quota', async () => {
    const type = protocolOverload(start)
    const failure = await failing({ text: ['Once '], failure: { type, message: 'Overloaded, slow down' } })
    expect(failure).toMatchObject({ family: 'quota', message: expect.stringContaining('slow down') })
  })

  it.each(['cut', 'unfinished'] as const)('maps a truncated stream (%s) to transient', async (how) => {
    const failure = await failing({ text: ['Once ', 'upon '], [how]: true })
    expect(failure).toMatchObject({ name: 'ModelError', family: 'transient' })
  })

  it('neither runs nor reports a tool call of a turn that was cut off', async () => {
    const toolCalls = [{ id: 'call_1', name: 'look_up', input: { word: 'oat' } }]
    const reply = { text: ['Looking. '], toolCalls }
    await using it = await begin([
      { ...reply, cut: true },
      { ...reply, unfinished: true },
    ])
    const sink = listener()
    let runs = 0
    const tools = [
      lookUp(async () => {
        runs += 1
        return 'x'
      }),
    ]
    for (let turn = 0; turn < 2; turn++) {
      await expect(it.provider.generate(ask({ tools }), sink)).rejects.toMatchObject({ family: 'transient' })
    }
    expect(runs).toBe(0)
    expect(sink.heard.map((each) => each.kind)).toEqual(['text', 'text'])
  })

  it('detects a refusal, with or without text', async () => {
    expect(await failing({ refused: true })).toMatchObject({ family: 'refusal' })
    expect(await failing({ text: ['I cannot help with that.'], refused: true })).toMatchObject({
      family: 'refusal',
    })
  })

  it('maps an empty response to invalid', async () => {
    expect(await failing({})).toMatchObject({
      family: 'invalid',
      message: expect.stringContaining('empty output'),
    })
    expect(await failing({ text: [' \n'] })).toMatchObject({ family: 'invalid' })
  })

  it('maps an unreachable server to transient', async () => {
    const server = await start([])
    await server[Symbol.asyncDispose]()
    const provider = createSdkProvider({ id: 'p1', type, apiKey: 'key-1', baseUrl: server.url, fetch })
    await expect(provider.generate(ask(), listener())).rejects.toMatchObject({ family: 'transient' })
    expect(await provider.check()).toMatchObject({
      ok: false,
      message: expect.stringContaining('cannot be reached'),
    })
  })

  it('disconnects from a slow server when the caller aborts, with the caller’s reason', async () => {
    await using it = await begin([{ text: ['Once '], hang: true }])
    const stop = new AbortController()
    const sink = listener()
    const reason = new Error('the run was cancelled')
    const generating = it.provider.generate(ask({ signal: stop.signal }), {
      ...sink,
      textDelta: (delta) => {
        sink.textDelta(delta)
        stop.abort(reason)
      },
    })
    await expect(generating).rejects.toBe(reason)
    await it.server.abandoned
    expect(sink.text()).toBe('Once ')
  })

  it('sends nothing when the caller has aborted before', async () => {
    await using it = await begin([{ text: ['x'] }])
    await expect(
      it.provider.generate(ask({ signal: AbortSignal.abort(new Error('late')) }), listener()),
    ).rejects.toThrow('late')
    expect(it.server.calls).toHaveLength(0)
  })

  it('never repeats the key in an error', async () => {
    const failure = await failing({ status: 400, failure: { type: 'bad', message: 'header key-1 is odd' } })
    expect(failure).toMatchObject({ family: 'invalid', message: expect.stringContaining('is odd') })
    expect(String(failure)).not.toContain('key-1')
  })

  it('checks address and key without a generation', async () => {
    await using it = await begin([], { apiKey: 'key-1', models: ['test-model:latest'] })
    expect(await it.provider.check()).toMatchObject({ ok: true })
    const wrong = createSdkProvider({ id: 'p2', type, apiKey: 'key-2', baseUrl: it.server.url, fetch })
    expect(await wrong.check()).toMatchObject({ ok: false, message: expect.stringContaining('API key') })
    expect(it.server.calls).toHaveLength(0)
  })
})

function protocolOverload(start: unknown): string {
  return start === startAnthropicLike ? 'overloaded_error' : 'rate_limit_exceeded'
}
