import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from './errors.ts'
import { jsonAnswer } from './reply.ts'
import type { Runtime } from './runtime.ts'

/** How long anyone who is refused may still send, so that the answer is read before the connection breaks. */
const lingerMs = 1_000

/** What node's parser gives up on, by its code; anything else is no HTTP. */
const refusals: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The extensions of the chunks are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come to its end in time'],
}

/**
 * A listener for `clientError` of node's HTTP server: what the parser refuses, before there is a request, is answered in
 * the envelope and with an id like everything else.
 */
export function createClientErrorListener(runtime: Runtime) {
  const answered = new WeakSet<Duplex>()
  return (error: Error & { code?: string; rawPacket?: Buffer }, socket: Duplex): void => {
    // What it sends on is as little HTTP as before.
    if (answered.has(socket)) return
    answered.add(socket)
    // Node knows by the same field that the head of an answer is out: another one would be taken for its body.
    const { _httpMessage: inFlight } = socket as { _httpMessage?: ServerResponse | null }
    if (!socket.writable || inFlight?.headersSent) return void socket.destroy()
    const [status, message] = refusals[error.code ?? ''] ?? [400, 'The request is not valid HTTP']
    const { headers, body } = refuse(runtime, status, message, socket)
    const lines = headers.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${headers[i + 1]}\r\n`] : []))
    // The answer to a HEAD has none, as far as what the parser had in hands tells that it is one.
    const sent = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ' ? '' : body
    const stop = runtime.clock.after(lingerMs, () => socket.destroy())
    socket.once('close', stop)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${sent}`)
  }
}

/**
 * Refuses a request that names no host, or several, as RFC 9112 has it: node itself would do so without a body, or take the
 * first one.
 * @returns whether it was refused
 */
export function refuseWithoutOneHost(runtime: Runtime, req: IncomingMessage, res: ServerResponse): boolean {
  const fault = faultOfHost(req)
  if (fault === undefined) return false
  const { headers, body } = refuse(runtime, 400, fault, req.socket)
  res.writeHead(400, headers).end(body)
  return true
}

function faultOfHost({ headers, httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  if (headers.host === undefined) return httpVersion === '1.1' ? 'The Host header is missing' : undefined
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2)
    if ((rawHeaders[i] as string).length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts += 1
  return hosts > 1 ? 'There is more than one Host header' : undefined
}

function refuse(runtime: Runtime, status: number, message: string, socket: object) {
  const requestId = runtime.newId()
  const { remoteAddress: clientIp } = socket as { remoteAddress?: string }
  runtime.log.info('response', { requestId, status, clientIp, reason: message })
  const code = status === 413 ? 'PAYLOAD_TOO_LARGE' : 'BAD_REQUEST'
  const error: ApiError = { error: { code, message } }
  const answer = jsonAnswer(status, error, ['X-Request-Id', requestId, ...runtime.safety])
  const body = answer.body as string
  const length = String(Buffer.byteLength(body))
  return { headers: [...answer.headers, 'Content-Length', length, 'Connection', 'close'], body }
}
