import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from 'listhen'

export interface ServeOptions {
  /** `0` picks a free port. */
  port: number
  /** Default `127.0.0.1`; `0.0.0.0` listens on every interface. */
  host?: string
  /** Ends streams and waits for the handler's pending requests; called by `close`. */
  drain?(): Promise<void>
  /** Responds to input that is not HTTP; without it node responds with an empty body. */
  clientError?(error: Error, socket: Duplex): void
  /** How long `close` waits before it cuts remaining connections, milliseconds; default 10,000. */
  graceMs?: number
}

export interface Served {
  port: number
  /** Without a trailing slash. */
  url: string
  server: Server
  /** Stops accepting, drains, and ends every connection. Resolves when the port is free again. */
  close(): Promise<void>
}

// Longer than the keep-alive of load balancers, so that they close the connection first.
const keepAliveMs = 65_000
const pollMs = 20

/**
 * Listens for HTTP.
 * @throws Error with one sentence that names the port and the remedy when the port cannot be opened
 */
export async function serve(
  handler: (req: IncomingMessage, res: ServerResponse) => unknown,
  options: ServeOptions,
): Promise<Served> {
  const host = options.host ?? '127.0.0.1'
  const server = await open(handler, options.port, host)
  if (options.clientError) server.on('clientError', options.clientError)
  const { port } = server.address() as AddressInfo
  const name = host.includes(':') ? `[${host}]` : host
  let closing: Promise<void> | undefined
  return {
    port,
    url: `http://${name}:${port}`,
    server,
    close: () => (closing ??= shut(server, options)),
  }
}

async function open(
  handler: (req: IncomingMessage, res: ServerResponse) => unknown,
  port: number,
  host: string,
) {
  await probe(port, host)
  const listener = await listen(handler, {
    // Zero means "any" to node and "the default" to listhen.
    port: port === 0 ? { port: 0, random: true, host } : port,
    hostname: host,
    isProd: true,
    isTest: false,
    public: !isLoopback(host),
    showURL: false,
    open: false,
    clipboard: false,
    autoClose: false,
  })
  const server = listener.server as Server
  // Its shutdown helper reads the socket of every finished response, which is undefined when a request was
  // cut off and would crash the process. Only our handler stays.
  server.removeAllListeners('request')
  server.on('request', handler)
  // Node would respond with its own 417 to an unknown expectation; ignoring the expectation is allowed.
  server.on('checkExpectation', handler)
  // The handler rejects requests without a host, with a message.
  Object.assign(server, { requireHostHeader: false })
  server.keepAliveTimeout = keepAliveMs
  server.headersTimeout = keepAliveMs + 1_000
  return server
}

const isLoopback = (host: string) => /^(?:localhost|127\.[\d.]+|::1)$/.test(host)

/**
 * Opens a port and closes it again, because only node reports why it cannot be opened. `0` finds a free one.
 * @returns the port
 * @throws Error see `serve`
 */
export async function probe(port: number, host: string): Promise<number> {
  const server = createServer()
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    throw new Error(explain((error as { code?: string }).code, port, host), { cause: error })
  }
  const taken = (server.address() as AddressInfo).port
  server.close()
  await once(server, 'close')
  return taken
}

function explain(code: string | undefined, port: number, host: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is already in use: stop the program that uses it, or choose another port`
    case 'EACCES':
      return `Port ${port} needs more permissions than this user has: choose a port above 1023`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine does not have the address ${host}: choose 127.0.0.1, 0.0.0.0 or one of its addresses to listen on port ${port}`
    default:
      return `Port ${port} on ${host} cannot be opened (${code ?? 'unknown reason'}): choose another port`
  }
}

async function shut(server: Server, options: ServeOptions): Promise<void> {
  const stopped = new Promise<boolean>((resolve) => server.close(() => resolve(true)))
  const late = new AbortController()
  const over = sleep(options.graceMs ?? 10_000, true, { signal: late.signal }).catch(() => true)
  await Promise.race([options.drain?.() ?? stopped, over])
  // Keep-alive connections become idle one by one, as their last responses are sent.
  do server.closeIdleConnections()
  while (!(await Promise.race([stopped, over, sleep(pollMs, false)])))
  late.abort()
  server.closeAllConnections()
  await stopped
}
