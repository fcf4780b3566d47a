import type { ModelCall, ModelRequest, ModelSink } from '../../../packages/core/src/platform/models/port.ts'

type Heard = { kind: 'text' | 'call' | 'result'; [key: string]: unknown }

/** Takes down what a model says while it works. */
export function listener(): ModelSink & { heard: Heard[]; calls: ModelCall[]; text(): string } {
  const heard: Heard[] = []
  const calls: ModelCall[] = []
  return {
    heard,
    calls,
    modelCall: (call) => void calls.push(call),
    text: () => heard.flatMap((each) => (each.kind === 'text' ? [each.delta] : [])).join(''),
    textDelta: (delta) => heard.push({ kind: 'text', delta }),
    toolCall: (call) => heard.push({ kind: 'call', ...call }),
    toolResult: (result) => heard.push({ kind: 'result', ...result }),
  }
}

/** A request that says all that has to be said. */
export const ask = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'test-model',
  prompt: 'Write a line.',
  maxTurns: 4,
  ...more,
})
