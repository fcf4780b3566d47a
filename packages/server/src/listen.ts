import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from 'listhen'

export interface ServeOptions {
  /** `0` takes any free port. */
  port: number
  /** Default `127.0.0.1`; `0.0.0.0` listens on every interface. */
  host?: string
  /** Ends streams and waits for the work of the handler; called by `close`. */
  drain?(): Promise<void>
  /** Answers what is no HTTP; without it node does, with an empty body. */
  clientError?(error: Error, socket: Duplex): void
  /** How long `close` waits before it cuts what is left, milliseconds; default 10,000. */
  graceMs?: number
}

export interface Served {
  port: number
  /** Without a slash at the end. */
  url: string
  server: Server
  /** Stops accepting, drains, and ends every connection. Settles when the port is free again. */
  close(): Promise<void>
}

// Longer than load balancers keep their side open, so that it is they who close.
const keepAliveMs = 65_000
const pollMs = 20

/**
 * Listens for HTTP.
 * @throws Error with one sentence that names the port and what to do, when the port cannot be had
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
  // Its shutdown helper reads the socket of every finished answer, which is gone when a request was cut off: the
  // process would die of it. Only our own handler stays.
  server.removeAllListeners('request')
  server.on('request', handler)
  // Node would answer 417 to an expectation that it does not know, in its own words; we may as well do without it.
  server.on('checkExpectation', handler)
  // The handler refuses requests that name no host, and says so.
  Object.assign(server, { requireHostHeader: false })
  server.keepAliveTimeout = keepAliveMs
  server.headersTimeout = keepAliveMs + 1_000
  return server
}

const isLoopback = (host: string) => /^(?:localhost|127\.[\d.]+|::1)$/.test(host)

/**
 * Takes a port and gives it back, because only node says why it cannot be had. `0` finds one that is free.
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
      return `Port ${port} needs more rights than this user has: choose a port above 1023`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${host}: choose 127.0.0.1, 0.0.0.0 or one of its own to listen on port ${port}`
    default:
      return `Port ${port} on ${host} cannot be opened (${code ?? 'unknown reason'}): choose another port`
  }
}

async function shut(server: Server, options: ServeOptions): Promise<void> {
  const stopped = new Promise<boolean>((resolve) => server.close(() => resolve(true)))
  const late = new AbortController()
  const over = sleep(options.graceMs ?? 10_000, true, { signal: late.signal }).catch(() => true)
  await Promise.race([options.drain?.() ?? stopped, over])
  // Connections that are kept alive become idle one by one, as their last answers get through.
  do server.closeIdleConnections()
  while (!(await Promise.race([stopped, over, sleep(pollMs, false)])))
  late.abort()
  server.closeAllConnections()
  await stopped
}
