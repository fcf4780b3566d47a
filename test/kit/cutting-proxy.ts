import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as a proxy sees it. */
export interface ProxiedRequest {
  method: string
  /** Path and query. */
  path: string
  body: string
}

/** `before`: the server never sees it; `after`: it has done it, and its answer is lost. */
export type Cut = 'before' | 'after'

/** A proxy before a real server, which can cut the connection of a request. */
export interface CuttingProxy extends AsyncDisposable {
  url: string
  /** The port of the server on this machine. */
  target: number
  requests: ProxiedRequest[]
  /** Asked about each request. */
  cuts: (request: ProxiedRequest) => Cut | undefined
}

export async function openCuttingProxy(): Promise<CuttingProxy> {
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const seen = { method: request.method ?? 'GET', path: request.url ?? '/', body: body.toString() }
    self.requests.push(seen)
    const cut = self.cuts(seen)
    if (cut === 'before') return void response.destroy()
    const { 'transfer-encoding': _, ...given } = request.headers
    const headers = { ...given, connection: 'close', 'content-length': String(body.length) }
    const onward = send({
      host: '127.0.0.1',
      port: self.target,
      method: seen.method,
      path: seen.path,
      headers,
    })
    const answered = once(onward, 'response') as Promise<[IncomingMessage]>
    onward.end(body)
    const [answer] = await answered
    const parts: Buffer[] = []
    for await (const chunk of answer) parts.push(chunk as Buffer)
    if (cut === 'after') return void response.destroy()
    response.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: 'close' })
    response.end(Buffer.concat(parts))
  }
  const server = createServer(
    (request, response) => void pass(request, response).catch(() => response.destroy()),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const self: CuttingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: 0,
    requests: [],
    cuts: () => undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return self
}
