import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ModelCall, ModelRequest, ModelSink } from '../../../packages/core/src/platform/models/port.ts'
import { createSdkProvider } from '../../../packages/core/src/platform/models/sdk.ts'
import {
  type ModelScript,
  startAnthropicLike,
  startCompatible,
  startOpenAiLike,
} from '../../kit/model-servers.ts'

const protocols = [
  { type: 'hosted_a', start: startAnthropicLike, requests: 'anthropic-ratelimit-requests-limit' },
  { type: 'hosted_b', start: startOpenAiLike, requests: 'x-ratelimit-limit-requests' },
  { type: 'custom', start: startCompatible, requests: 'x-ratelimit-limit-requests' },
] as const

const prompt = 'Write a line about oats. '.repeat(16)
const ask = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'test-model',
  prompt,
  maxTurns: 4,
  ...more,
})

const lookUp = {
  name: 'look_up',
  description: 'Looks a word up',
  input: z.object({ word: z.string() }),
  execute: async () => ({ meaning: 'a cereal' }),
}
const calling = { toolCalls: [{ id: 'call_1', name: 'look_up', input: { word: 'oat' } }] }

function meter(heard: (text: string) => void = () => undefined) {
  const calls: ModelCall[] = []
  const sink: ModelSink = {
    textDelta: heard,
    toolCall: () => undefined,
    toolResult: () => undefined,
    modelCall: (call) => void calls.push(call),
  }
  return { calls, sink }
}

describe.each(protocols)('requests to $type are reported one by one', ({ type, start, requests }) => {
  async function begin(script: ModelScript) {
    const server = await start(script)
    const provider = createSdkProvider({ id: 'p1', type, apiKey: 'key-1', baseUrl: server.url, fetch })
    return { server, provider, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  }

  it('with their own tokens and text', async () => {
    await using it = await begin([
      { text: ['Looking. '], ...calling, usage: { inputTokens: 10, outputTokens: 4 } },
      { text: ['Oats.'], usage: { inputTokens: 30, outputTokens: 6 } },
    ])
    const { calls, sink } = meter()
    await it.provider.generate(ask({ tools: [lookUp] }), sink)
    expect(calls).toMatchObject([
      { status: 'completed', text: 'Looking. ', usage: { inputTokens: 10, outputTokens: 4 } },
      { status: 'completed', text: 'Oats.', usage: { inputTokens: 30, outputTokens: 6 } },
    ])
  })

  it('with the usage that the provider reports, also of a refusal', async () => {
    await using it = await begin([
      { text: ['x'], headers: { [requests]: '50' } },
      { status: 429, headers: { [requests]: '40' } },
    ])
    const { calls, sink } = meter()
    await it.provider.generate(ask(), sink)
    await expect(it.provider.generate(ask(), sink)).rejects.toMatchObject({ family: 'quota' })
    expect(calls).toMatchObject([
      { status: 'completed', limits: { requests: 50 } },
      {
        status: 'failed',
        family: 'quota',
        limits: { requests: 40 },
        usage: { inputTokens: 0, outputTokens: 0 },
      },
    ])
  })

  it.each(['cut', 'unfinished'] as const)('with an estimate when the response is %s', async (how) => {
    await using it = await begin([{ text: ['Once upon a time'], [how]: true }])
    const { calls, sink } = meter()
    await expect(it.provider.generate(ask(), sink)).rejects.toMatchObject({ family: 'transient' })
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({ status: 'failed', family: 'transient' })
    expect(calls[0]?.usage.inputTokens).toBeGreaterThanOrEqual(100)
  })

  it('with an estimate when the caller aborts', async () => {
    await using it = await begin([{ text: ['Once upon a time'], hang: true }])
    const stop = new AbortController()
    const { calls, sink } = meter(() => stop.abort(new Error('enough')))
    await expect(it.provider.generate(ask({ signal: stop.signal }), sink)).rejects.toThrow('enough')
    expect(calls).toMatchObject([
      { status: 'cancelled', text: 'Once upon a time', usage: { outputTokens: 4, estimated: true } },
    ])
    expect(calls[0]?.usage.inputTokens).toBeGreaterThanOrEqual(100)
  })

  it('and a refusal costs what it reports', async () => {
    await using it = await begin([
      { text: ['No.'], refused: true, usage: { inputTokens: 9, outputTokens: 2 } },
    ])
    const { calls, sink } = meter()
    await expect(it.provider.generate(ask(), sink)).rejects.toMatchObject({ family: 'refusal' })
    expect(calls).toMatchObject([
      { status: 'failed', family: 'refusal', usage: { inputTokens: 9, outputTokens: 2 } },
    ])
  })

  it('so that the caller can stop before the next one', async () => {
    await using it = await begin(() => calling)
    const { calls, sink } = meter()
    const enough = new Error('the money is spent')
    const mayGoOn = () => (calls.length === 2 ? enough : undefined)
    await expect(it.provider.generate(ask({ tools: [lookUp], mayGoOn }), sink)).rejects.toBe(enough)
    expect(it.server.calls).toHaveLength(2)
  })
})
