import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AgentHarness, createAgentHarness } from './runtime.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** A socket whose requests are those of an instance, once there is one. */
export interface Door extends AsyncDisposable {
  url: string
  /** Says whose requests they are. */
  leadTo(handle: (...given: Parameters<Handler>) => unknown): void
}

/** Opens a socket for an instance that has to know its address before it is made. */
export async function openDoor(): Promise<Door> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo: (handle) => void server.on('request', (request, response) => void handle(request, response)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A harness whose instance listens on a socket, as external runtimes reach it. */
export interface ListeningHarness extends AgentHarness {
  url: string
}

/**
 * @param options those of `createAgentHarness`; `between` intercepts requests between the socket and the
 * instance, to interrupt them
 */
export async function createListeningHarness({
  between = (request, response, handle) => handle(request, response),
  ...options
}: Parameters<typeof createAgentHarness>[0] & {
  between?: (request: IncomingMessage, response: ServerResponse, handle: Handler) => unknown
} = {}): Promise<ListeningHarness> {
  await using stack = new AsyncDisposableStack()
  const { url, leadTo } = stack.use(await openDoor())
  const harness = stack.use(await createAgentHarness({ baseUrl: url, ...options }))
  leadTo((request, response) => between(request, response, (...both) => harness.app.copydesk.node(...both)))
  const owned = stack.move()
  return { ...harness, url, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
