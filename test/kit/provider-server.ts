import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a payment provider was asked for. */
export interface PaymentCall {
  method: string
  path: string
  authorization: string | undefined
  headers: IncomingHttpHeaders
  // biome-ignore lint: whatever was sent
  body: any
}

export interface ProviderTrouble {
  /** Answers with this status and does nothing, or does not answer at all. */
  fault?: number | 'hang' | undefined
  /** Does what it is asked for, and breaks the connection in place of an answer: so often. */
  lose?: number
}

/** Plays a payment provider on 127.0.0.1. @param play what is answered, a status and JSON */
export async function startProviderServer(
  state: ProviderTrouble,
  read: (text: string) => unknown,
  play: (call: PaymentCall) => [status: number, body: object],
) {
  const calls: PaymentCall[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = ''
    for await (const part of request.setEncoding('utf8')) text += part
    const { url: path = '', method = '', headers } = request
    const call = { method, path, authorization: headers.authorization, headers, body: read(text) }
    calls.push(call)
    if (state.fault === 'hang') return
    const [status, body] = state.fault ? [state.fault, { error: { code: 'SERVER_ERROR' } }] : play(call)
    if (!state.fault && state.lose) {
      state.lose -= 1
      return void request.socket.destroy()
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    calls,
    /** The calls of one method to paths that begin so. */
    callsOf: (method: string, path: string) =>
      calls.filter((call) => call.method === method && call.path.startsWith(path)),
    state,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
