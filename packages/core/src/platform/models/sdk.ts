import { isStepCount, streamText, type ToolSet, tool } from 'ai'
import { type Clock, createSystemClock } from '../clock.ts'
import { checkModels } from './check.ts'
import { toModelError } from './failures.ts'
import { createMeter } from './meter.ts'
import {
  type ModelCall,
  ModelError,
  type ModelProvider,
  type ModelRequest,
  type ModelResult,
  type ModelSink,
} from './port.ts'
import { accessHeaders, type SdkModel, sdkModel, type VendorType, vendorUrl } from './vendors.ts'

export interface SdkProviderOptions {
  id: string
  /** What messages call it; default: its id. */
  name?: string
  type: VendorType
  apiKey?: string
  /** With the version in its path, such as `http://127.0.0.1:11434/v1`. Required for `local` and `custom`. */
  baseUrl?: string
  models?: readonly string[]
  /** Every request goes through it; the guarded one, where the address is not our own choice. */
  fetch: typeof globalThis.fetch
  clock?: Clock
}

/**
 * A provider on the AI SDK. Key and address come from the options alone, never from the environment, so that one
 * tenant's provider cannot run on another's key.
 * @throws {TypeError} when `local` or `custom` has no address
 */
export function createSdkProvider(options: SdkProviderOptions): ModelProvider {
  const { id, name = id, type, apiKey, fetch } = options
  const clock = options.clock ?? createSystemClock()
  const hosted = type === 'hosted_a' || type === 'hosted_b'
  const baseUrl = vendorUrl(type, options.baseUrl)
  if (!baseUrl)
    throw new TypeError(
      `Provider ${name} of type ${type} needs a base URL, such as http://127.0.0.1:11434/v1.`,
    )
  const models = options.models ?? []
  const vendor = { type, baseUrl, apiKey, fetch }
  const noKey = `Provider ${name} has no API key. Set one and try again.`

  return {
    id,
    type,
    models,
    check: async (signal) => {
      if (hosted && !apiKey) return { ok: false, reached: true, message: noKey }
      const headers = accessHeaders(vendor)
      return checkModels({ id: name, baseUrl, headers, models, mustServe: !hosted, fetch, signal })
    },
    generate: async (request, sink) => {
      if (hosted && !apiKey) throw new ModelError('auth', noKey)
      request.signal?.throwIfAborted()
      const failure = (error: unknown) =>
        toModelError(error, { provider: name, now: clock.now(), ...(apiKey && { secret: apiKey }) })
      const tell = (call: ModelCall) => sink.modelCall(call)
      const meter = createMeter({ clock, tell, classify: (error) => failure(error).family })
      const halt: Halt = {}
      try {
        const model = sdkModel(vendor, request.model, meter.middleware)
        const result = await stream(model, request, sink, clock, halt)
        if (!halt.reason) return result
      } catch (error) {
        const aborted = request.signal?.aborted ?? false
        meter.settle(error, aborted)
        if (aborted) throw request.signal?.reason
        throw failure(error)
      }
      throw halt.reason
    },
  }
}

/** Holds the reason for which the caller has ended the work between two requests. */
interface Halt {
  reason?: Error
}

async function stream(
  model: SdkModel,
  request: ModelRequest,
  sink: ModelSink,
  clock: Clock,
  halt: Halt,
): Promise<ModelResult> {
  const durations = new Map<string, number>()
  const { stream: parts } = streamText({
    model,
    prompt: request.prompt,
    maxRetries: 0,
    stopWhen: [
      isStepCount(request.maxTurns),
      () => {
        const reason = request.mayGoOn?.()
        if (reason) halt.reason = reason
        return reason !== undefined
      },
    ],
    tools: toolSet(request, durations, clock),
    toolCallConcurrency: 1,
    // Prompts hold the customer's material: not kept at the vendor, not given to the host program's telemetry.
    providerOptions: { openai: { store: false } },
    telemetry: { isEnabled: false },
    // Failures come as parts of the stream; without this the SDK prints them as well.
    onError: () => {},
    ...(request.system !== undefined && { instructions: request.system }),
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
    ...(request.signal && { abortSignal: request.signal }),
  })

  let text = ''
  let turnText = ''
  let called = false
  const result: ModelResult = {
    text: '',
    turns: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    finishReason: 'other',
    model: request.model,
  }
  for await (const part of parts) {
    switch (part.type) {
      case 'text-delta':
        turnText += part.text
        if (part.text) sink.textDelta(part.text)
        break
      case 'tool-call':
        called = true
        sink.toolCall({ id: part.toolCallId, name: part.toolName, input: part.input })
        break
      case 'tool-result':
      case 'tool-error':
        sink.toolResult({
          id: part.toolCallId,
          name: part.toolName,
          ...(part.type === 'tool-result' ? { output: part.output } : { error: messageOf(part.error) }),
          durationMs: durations.get(part.toolCallId) ?? 0,
        })
        break
      case 'finish-step':
        result.turns += 1
        result.usage.inputTokens += part.usage.inputTokens ?? 0
        result.usage.outputTokens += part.usage.outputTokens ?? 0
        result.finishReason = finished(part.finishReason)
        if (turnText.trim()) text = turnText
        turnText = ''
        break
      case 'error':
        throw part.error
      case 'abort':
        throw new ModelError('internal', 'The stream was aborted by nobody that is known.')
      default:
        break
    }
  }
  if (result.turns === 0) throw new ModelError('transient', 'The stream ended before the first turn did.')
  if (!text && !called)
    throw new ModelError(
      'invalid',
      'The model gave an empty output. Reword the prompt or choose another model.',
    )
  return { ...result, text }
}

function finished(reason: string): ModelResult['finishReason'] {
  switch (reason) {
    case 'stop':
    case 'length':
    case 'tool-calls':
      return reason
    case 'content-filter':
      throw new ModelError('refusal', 'The model declined to write this, or a content filter stopped it.')
    case 'interrupted':
    case 'error':
      throw new ModelError('transient', 'The provider broke off in the middle of the answer.')
    default:
      return 'other'
  }
}

function toolSet(request: ModelRequest, durations: Map<string, number>, clock: Clock): ToolSet {
  const tools: ToolSet = {}
  for (const each of request.tools ?? []) {
    tools[each.name] = tool({
      description: each.description,
      inputSchema: each.input,
      execute: async (input: unknown, call) => {
        const startedAt = clock.now()
        try {
          const signal = call.abortSignal
          return await each.execute(input, { id: call.toolCallId, ...(signal && { signal }) })
        } finally {
          durations.set(call.toolCallId, clock.now() - startedAt)
        }
      },
      ...(each.render && {
        toModelOutput: ({ output }) => ({ type: 'text', value: each.render?.(output) ?? '' }),
      }),
    })
  }
  return tools
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
