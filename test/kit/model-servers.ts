import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  completionEvents,
  type ModelCall,
  type ModelReply,
  messageEvents,
  responseEvents,
  type SseEvent,
} from './model-replies.ts'

export type { ModelCall, ModelReply } from './model-replies.ts'

/** Replies in order, one a request, or a function of the request; a request beyond the list is answered 500. */
export type ModelScript = readonly ModelReply[] | ((call: ModelCall, index: number) => ModelReply)

export interface ModelServer extends AsyncDisposable {
  /** The base URL for a provider, version included. */
  url: string
  /** Generation requests so far, without those for the list of models. */
  calls: ModelCall[]
  /** Settles when a client has left an answer that was still open. */
  abandoned: Promise<void>
}

export interface ModelServerOptions {
  /** Names in the list of models. */
  models?: readonly string[]
  /** When set, requests without this key are answered 401. */
  apiKey?: string
}

/** Plays the Messages protocol of `hosted_a` on 127.0.0.1: `POST /v1/messages`, `GET /v1/models`. */
export function startAnthropicLike(
  script: ModelScript,
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  return start(script, options, {
    path: '/v1/messages',
    events: messageEvents,
    failure: (failure) => ({ type: 'error', error: failure }),
    keyOf: (call) => call.headers['x-api-key'],
  })
}

/** Plays the Responses protocol of `hosted_b` on 127.0.0.1: `POST /v1/responses`, `GET /v1/models`. */
export function startOpenAiLike(script: ModelScript, options: ModelServerOptions = {}): Promise<ModelServer> {
  return start(script, options, {
    path: '/v1/responses',
    events: responseEvents,
    failure: ({ type, message }) => ({ error: { type, code: type, message, param: null } }),
    keyOf: bearer,
  })
}

/** Plays the chat completions protocol of `local` and `custom` on 127.0.0.1: `POST /v1/chat/completions`, `GET /v1/models`. */
export function startCompatible(script: ModelScript, options: ModelServerOptions = {}): Promise<ModelServer> {
  return start(script, options, {
    path: '/v1/chat/completions',
    events: completionEvents,
    failure: ({ type, message }) => ({ error: { type, code: type, message } }),
    keyOf: bearer,
  })
}

interface Protocol {
  path: string
  events(reply: ModelReply, model: string): SseEvent[]
  failure(failure: { type: string; message: string }): unknown
  keyOf(call: ModelCall): string | string[] | undefined
}

async function start(
  script: ModelScript,
  options: ModelServerOptions,
  protocol: Protocol,
): Promise<ModelServer> {
  const calls: ModelCall[] = []
  const abandoned = Promise.withResolvers<void>()

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await read(request)
    const refuse = (status: number, type: string, message: string, headers?: ModelReply['headers']) =>
      json(response, status, protocol.failure({ type, message }), headers)
    if (options.apiKey !== undefined && protocol.keyOf(call) !== options.apiKey) {
      return refuse(401, 'authentication_error', 'invalid key')
    }
    if (call.method === 'GET' && call.path === '/v1/models') {
      const data = (options.models ?? ['test-model']).map((id) => ({ id, object: 'model', type: 'model' }))
      return json(response, 200, { object: 'list', data, has_more: false })
    }
    if (call.method !== 'POST' || call.path !== protocol.path) {
      return refuse(404, 'not_found_error', `no ${call.path}`)
    }
    const index = calls.push(call) - 1
    const reply = typeof script === 'function' ? script(call, index) : script[index]
    if (!reply) return refuse(500, 'api_error', `no reply for request ${index + 1}`)
    if (reply.status !== undefined) {
      const { type, message } = reply.failure ?? { type: 'error', message: `status ${reply.status}` }
      return refuse(reply.status, type, message, reply.headers)
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers })
    for (const { event, data } of protocol.events(reply, String(call.body.model))) {
      response.write(
        `${event ? `event: ${event}\n` : ''}data: ${data === '[DONE]' ? data : JSON.stringify(data)}\n\n`,
      )
    }
    // The bytes written so far have to reach the client before the connection dies.
    if (reply.hang) response.once('close', () => abandoned.resolve())
    else if (reply.cut) response.write(': \n\n', () => response.socket?.destroy())
    else response.end()
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    abandoned: abandoned.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

async function read(request: IncomingMessage): Promise<ModelCall> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return {
    method: request.method ?? '',
    path: (request.url ?? '').split('?')[0] ?? '',
    headers: request.headers,
    body: text ? JSON.parse(text) : undefined,
  }
}

function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

function bearer(call: ModelCall): string | undefined {
  return call.headers.authorization?.toString().replace(/^Bearer /, '')
}
