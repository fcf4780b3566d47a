import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A request of node's server as the web knows it; it is aborted when the caller goes. */
export function toRequest(req: IncomingMessage, res: ServerResponse, base: string): Request {
  const gone = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers))
    if (value !== undefined && !name.startsWith(':')) headers.set(name, [value].flat().join(', '))
  const { method = 'GET' } = req
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(new URL(req.url ?? '/', base), {
    method,
    headers,
    signal: gone.signal,
    ...(hasBody && { body: bodyOf(req), duplex: 'half' }),
  } as RequestInit)
}

/**
 * What comes, as it is asked for. A body that nobody asks for is left to node, which throws it away; so is the rest of one
 * of which nobody wants more. The connection stays whole.
 */
function bodyOf(req: IncomingMessage): ReadableStream<Uint8Array> {
  let isHeard = false
  let isOver = false
  const hear = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    isHeard = true
    const end = (act: () => void) => () => {
      if (!isOver) act()
      isOver = true
    }
    req.on('data', (chunk: Buffer) => {
      if (isOver) return
      req.pause()
      controller.enqueue(new Uint8Array(chunk))
    })
    req.once(
      'end',
      end(() => controller.close()),
    )
    req.once(
      'close',
      end(() => controller.error(new Error('The request ended before its body did'))),
    )
  }
  const source: UnderlyingDefaultSource<Uint8Array> = {
    pull(controller) {
      if (!isHeard) hear(controller)
      req.resume()
    },
    cancel() {
      isOver = true
      req.resume()
    },
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}

/** Sends an answer of the web through node's server, as it comes. Settles when it is through or the caller has gone. */
export async function sendResponse(response: Response, res: ServerResponse): Promise<void> {
  res.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  if (!response.body) {
    res.end()
    return
  }
  // Who goes away in the middle needs no answer.
  await pipeline(Readable.fromWeb(response.body as never), res).catch(() => undefined)
}
