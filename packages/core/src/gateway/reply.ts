import { createHash } from 'node:crypto'
import { create } from 'content-disposition'
import fresh from 'fresh'
import type { FileContent } from '../kernel/file-content.ts'
import { hasBody } from './body.ts'
import { pipe } from './pipe.ts'
import type { RawReply } from './raw.ts'
import { type Answer, header, type RequestContext } from './request-context.ts'

const closedPolicy = "default-src 'none'; frame-ancestors 'none'"
const jsonHeaders = [
  'Content-Type',
  'application/json; charset=utf-8',
  'Cache-Control',
  'no-store',
  'Content-Security-Policy',
  closedPolicy,
]
const cachedHeaders = jsonHeaders.with(3, 'private, no-cache')
/** How long the rest of a refused body is still read, so that its sender gets to see the answer. */
const lingerMs = 1_000

/** An answer in JSON. */
export function jsonAnswer(status: number, value: unknown, extra: readonly string[] = []): Answer {
  return textAnswer(status, JSON.stringify(value), extra)
}

/** An answer in JSON that is text already. */
export function textAnswer(status: number, body: string, extra: readonly string[] = []): Answer {
  return { status, headers: extra.length === 0 ? jsonHeaders : [...jsonHeaders, ...extra], body }
}

/** What a handler returned, encoded through the schema that its endpoint declares. */
export function encodeReply(x: RequestContext, value: unknown): Answer {
  const { conditional, def, encode } = x.endpoint
  if (!encode) return { status: def.success, headers: ['Cache-Control', 'no-store'], body: null }
  const body = JSON.stringify(encode(value))
  if (!conditional) return { status: def.success, headers: jsonHeaders, body }
  const tag = entityTag(body)
  const headers = [...cachedHeaders, 'ETag', tag]
  // The comparison is weak either way; beside the tag with its own `W/` it would let `W/W/` pass.
  return fresh({ 'if-none-match': header(x.incoming, 'if-none-match') }, { etag: tag.slice(2) })
    ? { status: 304, headers: ['Cache-Control', 'private, no-cache', 'ETag', tag], body: null }
    : { status: def.success, headers, body }
}

/** A weak validator of a body: the same JSON has the same one, on every server. */
function entityTag(body: string): string {
  // Not `etag`: its SHA-1 lets anyone who writes the content make two versions with one tag.
  return `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
}

/** The bytes of a raw endpoint. */
export function rawAnswer(x: RequestContext, reply: RawReply): Answer {
  const status = reply.status ?? x.endpoint.def.success
  const headers = Object.entries(reply.headers ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  )
  const names = new Set(headers.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase()))
  const type = x.endpoint.def.replies[status]
  if (typeof type === 'string' && type !== '' && !names.has('content-type'))
    headers.push('Content-Type', type)
  if (!names.has('cache-control')) headers.push('Cache-Control', 'no-store')
  // A file that someone uploaded must not run as a page of ours.
  if (!names.has('content-security-policy')) headers.push('Content-Security-Policy', closedPolicy)
  return { status, headers, body: reply.body ?? null }
}

/** A file that browsers save under its name, of an endpoint that answers with JSON otherwise. */
export function fileAnswer(x: RequestContext, { name, bytes }: FileContent): Answer {
  const type = x.endpoint.def.file
  if (type === undefined) throw new Error(`${x.endpoint.id} declares no file`)
  const fallback = name.replace(/[^\w .()-]/g, '_')
  return rawAnswer(x, {
    headers: { 'Content-Type': type, 'Content-Disposition': create(name, { fallback }) },
    body: bytes,
  })
}

/** Headers that every answer carries, whatever became of the request. */
export function commonHeaders(x: RequestContext): string[] {
  const { runtime, count, rule } = x
  const headers = ['X-Request-Id', x.requestId]
  if (count && rule) {
    headers.push('X-RateLimit-Limit', String(rule.limit))
    headers.push('X-RateLimit-Remaining', String(Math.max(0, rule.limit - count.used)))
    headers.push('X-RateLimit-Reset', String(Math.ceil(count.resetAt / 1_000)))
  }
  headers.push(...runtime.safety, ...x.endpoint.headers)
  const cors = x.endpoint.def.origins ? x.cors : runtime.options.cors && runtime.cors
  if (cors) headers.push(...cors.headers(header(x.incoming, 'origin')))
  return headers
}

/** Sends the answer: straight to node's response where there is one, as a web response elsewhere. */
export function send(x: RequestContext, answer: Answer): void {
  const headers = commonHeaders(x)
  headers.push(...answer.headers)
  const silent = x.incoming.method === 'HEAD' || answer.status === 204 || answer.status === 304
  const { body } = answer
  const whole = body === null || typeof body === 'string' || body instanceof Uint8Array
  if (whole) {
    x.bytes = body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
    if (answer.status !== 204 && answer.status !== 304) headers.push('Content-Length', String(x.bytes))
    if (silent) x.bytes = 0
  }
  if (x.incoming.node) sendNode(x, answer, headers, silent)
  else if (whole || silent) {
    if (silent) leaveUnread(body)
    x.response = webResponse(answer.status, headers, silent ? null : (body as never))
  } else {
    const { readable, done } = fromIterable(x, body)
    x.sending = done
    x.response = webResponse(answer.status, headers, readable)
  }
}

/** A web response from names and values in turn. */
export function webResponse(
  status: number,
  headers: readonly string[],
  body: ConstructorParameters<typeof Response>[0],
): Response {
  const pairs = new Headers()
  for (let i = 0; i < headers.length; i += 2) pairs.append(headers[i] as string, headers[i + 1] as string)
  return new Response(body, { status, headers: pairs })
}

function sendNode(x: RequestContext, { status, body }: Answer, headers: string[], silent: boolean): void {
  const { req, res } = x.incoming.node as NonNullable<RequestContext['incoming']['node']>
  if (res.destroyed || res.headersSent) return leaveUnread(body)
  // A body that no one read must not be taken for the next request, and may never end.
  const unread = !req.complete && hasBody(x.incoming)
  if (unread || x.runtime.draining) if (req.httpVersionMajor < 2) headers.push('Connection', 'close')
  res.writeHead(status, headers)
  if (silent || body === null) {
    leaveUnread(body)
    res.end()
  } else if (typeof body !== 'string' && !(body instanceof Uint8Array)) x.sending = pipe(x, res, body)
  else if (unread) {
    x.sending = linger(x, body)
  } else res.end(body)
}

/** Closes what stands behind a body that is not sent, such as a file. */
function leaveUnread(body: Answer['body']): void {
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) return
  // There is no one who could be told that it failed.
  body[Symbol.asyncIterator]()
    .return?.()
    .catch(() => undefined)
}

/** Sends the answer while its sender still sends: anyone who closes now makes the other side miss it. */
function linger(x: RequestContext, body: string | Uint8Array): Promise<void> {
  const { req, res } = x.incoming.node as NonNullable<RequestContext['incoming']['node']>
  const { promise, resolve } = Promise.withResolvers<void>()
  res.write(body)
  const stop = x.runtime.clock.after(lingerMs, resolve)
  req.once('end', resolve).once('close', resolve).resume()
  return promise.then(() => {
    stop()
    res.end()
  })
}

function fromIterable(x: RequestContext, body: AsyncIterable<Uint8Array>) {
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const source = body[Symbol.asyncIterator]()
  const readable = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const part = await source.next()
        if (!part.done) {
          x.bytes += part.value.byteLength
          return controller.enqueue(part.value)
        }
        controller.close()
      } catch (error) {
        x.runtime.log.error('The body of an answer broke off', { requestId: x.requestId, error })
        controller.error(error)
      }
      resolve()
    },
    async cancel() {
      await source.return?.()
      resolve()
    },
  })
  return { readable, done }
}
