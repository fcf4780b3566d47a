import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request for scores. */
export interface RerankCall {
  headers: IncomingHttpHeaders
  body: { model: string; query: string; documents: string[]; top_n: number }
}

/** What is answered: a score for each text, a body, a status, or nothing at all. */
export type RerankReply = number[] | { text: string } | { status: number } | 'hang'

/** Plays `POST /v1/rerank` of the protocol that Jina, Cohere, vLLM and llama.cpp share, on 127.0.0.1. */
export async function startReranker(reply: (call: RerankCall) => RerankReply, apiKey?: string) {
  const calls: RerankCall[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    let text = ''
    for await (const part of request.setEncoding('utf8')) text += part
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`)
      return void send(401, '{"detail":"no such key"}')
    if (request.method !== 'POST' || request.url !== '/v1/rerank') return void send(404, '{}')
    const call: RerankCall = { headers: request.headers, body: JSON.parse(text) }
    calls.push(call)
    const given = reply(call)
    if (given === 'hang') return
    if ('status' in given) return void send(given.status, '{"detail":"status"}')
    if ('text' in given) return void send(200, given.text)
    const results = given.map((score, index) => ({ index, relevance_score: score }))
    const sorted = results.toSorted((a, b) => b.relevance_score - a.relevance_score)
    send(
      200,
      JSON.stringify({ id: '1', model: call.body.model, results: sorted, usage: { total_tokens: 1 } }),
    )
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
