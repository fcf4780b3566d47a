import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDesk, type Desk } from './runtime.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** A desk whose instance is reached over a socket, as runtimes of other people reach it. */
export interface ListeningDesk extends Desk {
  url: string
}

/**
 * @param options those of `createDesk`; `between` stands between the socket and the instance, to break what passes there
 */
export async function createListeningDesk({
  between = (request, response, handle) => handle(request, response),
  ...options
}: Parameters<typeof createDesk>[0] & {
  between?: (request: IncomingMessage, response: ServerResponse, handle: Handler) => unknown
} = {}): Promise<ListeningDesk> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await using stack = new AsyncDisposableStack()
  stack.defer(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const desk = stack.use(await createDesk({ baseUrl: url, ...options }))
  server.on('request', (request, response) =>
    between(request, response, (...both) => desk.app.copydesk.node(...both)),
  )
  const owned = stack.move()
  return { ...desk, url, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
