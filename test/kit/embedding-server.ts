import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request for vectors. */
export interface EmbeddingCall {
  headers: IncomingHttpHeaders
  body: { model: string; input: string[]; encoding_format?: string; dimensions?: number }
}

/** What differs from a good answer. */
export interface EmbeddingReply {
  status?: number
  headers?: Record<string, string>
  /** Default: those of `vectorOf`. */
  vectors?: number[][]
  /** Of the vectors in their order; default 0, 1, 2 … */
  indexes?: number[]
  /** Default: what the request asks for. */
  format?: 'float' | 'base64'
  /** The body instead of all this. */
  text?: string
  /** Never answers. */
  hang?: true
  /** Breaks off in the middle of the answer. */
  cut?: true
}

export interface EmbeddingServer extends AsyncDisposable {
  /** The base URL for a provider, version included. */
  url: string
  /** Those with the right key. */
  calls: EmbeddingCall[]
  /** Settles when a client has left a request that was not answered. */
  abandoned: Promise<void>
}

/**
 * Plays `POST /v1/embeddings` of OpenAI's protocol on 127.0.0.1.
 * @param reply says what differs in the answer to a request, by its content and its number from 0
 * @param options `apiKey`: requests without this key are answered 401; `dimensions` of vectors where a request names none, default 64
 */
export async function startEmbeddings(
  reply: (call: EmbeddingCall, index: number) => EmbeddingReply | Promise<EmbeddingReply> = () => ({}),
  options: { apiKey?: string; dimensions?: number } = {},
): Promise<EmbeddingServer> {
  const calls: EmbeddingCall[] = []
  const abandoned = Promise.withResolvers<void>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, text: string, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
    const refuse = (status: number, message: string, headers = {}) =>
      send(status, JSON.stringify({ error: { message, type: 'error', code: null } }), headers)
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const { headers } = request
    if (options.apiKey !== undefined && headers.authorization !== `Bearer ${options.apiKey}`)
      return void refuse(401, `Incorrect API key provided: ${headers.authorization}`)
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') return void refuse(404, 'no such path')
    const call: EmbeddingCall = { headers, body: JSON.parse(text) }
    const given = await reply(call, calls.push(call) - 1)
    if (given.hang) return void response.once('close', () => abandoned.resolve())
    if (given.status !== undefined) return void refuse(given.status, `status ${given.status}`, given.headers)
    const whole = given.text ?? JSON.stringify(listOf(call, given, options.dimensions ?? 64))
    if (!given.cut) return void send(200, whole)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length })
    response.write(whole.slice(0, whole.length / 2), () => response.socket?.destroy())
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

function listOf({ body }: EmbeddingCall, reply: EmbeddingReply, width: number): object {
  const { vectors = body.input.map((text) => vectorOf(text, body.dimensions ?? width)) } = reply
  const format = reply.format ?? body.encoding_format ?? 'float'
  const tokens = body.input.reduce((sum, text) => sum + text.split(/\s+/).length, 0)
  return {
    object: 'list',
    model: body.model,
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index: reply.indexes?.[index] ?? index,
      embedding:
        format === 'base64' ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector,
    })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}

/** Texts that share words have vectors that share numbers: each word is counted at a place of its own. */
export function vectorOf(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let place = 0
    for (const letter of word) place = (place * 31 + (letter.codePointAt(0) ?? 0)) % dimensions
    vector[place] = (vector[place] ?? 0) + 1
  }
  return vector
}
