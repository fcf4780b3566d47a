/** What a model server responds; each protocol formats it differently. */
export interface ModelReply {
  /** Pieces of text, one event each. */
  text?: readonly string[]
  toolCalls?: readonly { id: string; name: string; input: unknown }[]
  usage?: { inputTokens: number; outputTokens: number }
  /** Ends because of the length limit. */
  truncated?: true
  /** Ends with the protocol's own mark of a refusal. */
  refused?: true
  /** Answers with this status instead of a stream. */
  status?: number
  headers?: Readonly<Record<string, string>>
  /** The words of a failure: of `status`, or of an error event in the middle of the stream. */
  failure?: { type: string; message: string }
  /** Drops the connection after everything that is given here, without the closing events. */
  cut?: true
  /** Ends the answer in good order at the transport, but without the closing events. */
  unfinished?: true
  /** Sends what is given here and then nothing more until the client goes away. */
  hang?: true
}

/** One request that a server received. */
export interface ModelCall {
  method: string
  path: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into three protocols' bodies
  body: any
}

export type SseEvent = { event?: string; data: unknown }

const usageOf = (reply: ModelReply) => reply.usage ?? { inputTokens: 10, outputTokens: 5 }

/** Messages protocol. */
export function messageEvents(reply: ModelReply, model: string): SseEvent[] {
  const { inputTokens, outputTokens } = usageOf(reply)
  const events: Record<string, unknown>[] = [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: inputTokens, output_tokens: 1 },
      },
    },
  ]
  let index = 0
  const block = (start: unknown, deltas: unknown[]) => {
    events.push({ type: 'content_block_start', index, content_block: start })
    for (const delta of deltas) events.push({ type: 'content_block_delta', index, delta })
    events.push({ type: 'content_block_stop', index })
    index += 1
  }
  if (reply.text) {
    block(
      { type: 'text', text: '' },
      reply.text.map((text) => ({ type: 'text_delta', text })),
    )
  }
  for (const { id, name, input } of reply.toolCalls ?? []) {
    block({ type: 'tool_use', id, name, input: {} }, [
      { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    ])
  }
  if (reply.failure) events.push({ type: 'error', error: reply.failure })
  else if (!openEnded(reply)) {
    const stop_reason = reply.refused
      ? 'refusal'
      : reply.truncated
        ? 'max_tokens'
        : reply.toolCalls
          ? 'tool_use'
          : 'end_turn'
    events.push(
      {
        type: 'message_delta',
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: outputTokens },
      },
      { type: 'message_stop' },
    )
  }
  return events.map((data) => ({ event: String(data.type), data }))
}

/** Responses protocol. */
export function responseEvents(reply: ModelReply, model: string): SseEvent[] {
  const { inputTokens, outputTokens } = usageOf(reply)
  const base = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model }
  const events: Record<string, unknown>[] = [
    { type: 'response.created', response: { ...base, status: 'in_progress' } },
  ]
  let output_index = 0
  const item = (added: object, middle: Record<string, unknown>[], done: object) => {
    events.push({ type: 'response.output_item.added', output_index, item: added })
    for (const event of middle) events.push({ ...event, output_index })
    events.push({ type: 'response.output_item.done', output_index, item: done })
    output_index += 1
  }
  if (reply.text) {
    const message = { type: 'message', id: 'item_text', role: 'assistant' }
    const kind = reply.refused ? 'refusal' : 'output_text'
    const middle = reply.text.map((delta) => ({
      type: `response.${kind}.delta`,
      item_id: 'item_text',
      delta,
    }))
    item({ ...message, content: [] }, middle, { ...message, content: [] })
  }
  for (const call of reply.toolCalls ?? []) {
    const known = { type: 'function_call', id: `item_${call.id}`, call_id: call.id, name: call.name }
    const args = JSON.stringify(call.input)
    item(
      { ...known, arguments: '' },
      [{ type: 'response.function_call_arguments.delta', item_id: known.id, delta: args }],
      { ...known, arguments: args, status: 'completed' },
    )
  }
  const usage = { input_tokens: inputTokens, output_tokens: outputTokens }
  if (reply.failure) {
    events.push({
      type: 'response.failed',
      response: {
        ...base,
        status: 'failed',
        error: { code: reply.failure.type, message: reply.failure.message },
      },
    })
  } else if (!openEnded(reply)) {
    const why = reply.truncated
      ? 'max_output_tokens'
      : reply.refused && !reply.text
        ? 'content_filter'
        : undefined
    events.push({
      type: why ? 'response.incomplete' : 'response.completed',
      response: { ...base, usage, ...(why && { incomplete_details: { reason: why } }) },
    })
  }
  return events.map((data, sequence_number) => ({
    event: String(data.type),
    data: { ...data, sequence_number },
  }))
}

/** Chat completions protocol; usage comes in a last event of its own, as with `stream_options.include_usage`. */
export function completionEvents(reply: ModelReply, model: string): SseEvent[] {
  const { inputTokens, outputTokens } = usageOf(reply)
  const base = { id: 'chat_1', object: 'chat.completion.chunk', created: 1_700_000_000, model }
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    data: { ...base, choices: [{ index: 0, delta, finish_reason }] },
  })
  const events: SseEvent[] = [chunk({ role: 'assistant', content: '' })]
  for (const content of reply.text ?? []) events.push(chunk({ content }))
  for (const [index, call] of (reply.toolCalls ?? []).entries()) {
    const { id, name } = call
    events.push(chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }))
    events.push(chunk({ tool_calls: [{ index, function: { arguments: JSON.stringify(call.input) } }] }))
  }
  if (reply.failure) return [...events, { data: { error: reply.failure } }]
  if (openEnded(reply)) return events
  const why = reply.refused
    ? 'content_filter'
    : reply.truncated
      ? 'length'
      : reply.toolCalls
        ? 'tool_calls'
        : 'stop'
  const usage = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
  return [...events, chunk({}, why), { data: { ...base, choices: [], usage } }, { data: '[DONE]' }]
}

function openEnded(reply: ModelReply): boolean {
  return Boolean(reply.cut || reply.unfinished || reply.hang)
}
