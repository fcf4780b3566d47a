import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OutboundError } from '../../../packages/core/src/platform/http/outbound-error.ts'
import type { LogFields, Logger } from '../../../packages/core/src/platform/log.ts'

/** A request as a local server got it, its body included. */
export interface Heard {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

export interface LocalServer extends AsyncDisposable {
  /** `http://127.0.0.1:port` */
  url: string
  port: number
  /** `127.0.0.1:port`, as `allowHosts` takes it. */
  host: string
  heard: Heard[]
  /** Connections so far, those without a request too. */
  readonly connections: number
}

/** Listens on 127.0.0.1 and remembers all that reaches it, so that "no one was asked" can be asserted. */
export async function startServer(
  answer: (response: ServerResponse, request: Heard) => void = (response) => void response.end('reached'),
): Promise<LocalServer> {
  const heard: Heard[] = []
  let connections = 0
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one = { method, url, headers, body }
      heard.push(one)
      answer(response, one)
    })
  })
  server.on('connection', () => (connections += 1))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    port,
    heard,
    get connections() {
      return connections
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The error that a request fails with. Anything else, success too, fails the test. */
export async function failureOf(request: Promise<unknown>): Promise<OutboundError> {
  const outcome = await request.then(
    (value) => new Error('The request succeeded.', { cause: value }),
    (error: unknown) => error,
  )
  if (outcome instanceof OutboundError) return outcome
  throw outcome
}

/** A logger that keeps what is written to it. */
export function createRecorder(): { log: Logger; lines: Array<{ message: string } & LogFields> } {
  const lines: Array<{ message: string } & LogFields> = []
  const bind = (own: LogFields): Logger => {
    const write = (level: string) => (message: string, fields?: LogFields) =>
      void lines.push({ level, message, ...own, ...fields })
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (fields) => bind({ ...own, ...fields }),
    }
  }
  return { log: bind({}), lines }
}
