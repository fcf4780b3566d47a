import { Readable } from 'node:stream'
import type { Agent, Dispatcher } from 'undici'
import { ACCEPT_ENCODING, boundedBody, responseTooLarge } from './body.ts'
import type { Deadline } from './deadline.ts'
import { type Guard, targetOf } from './guard.ts'
import { OutboundError, toOutboundError } from './outbound-error.ts'
import { cleanHeaders, type Hop, isRedirect, nextHop, readLocation } from './redirect.ts'

/** What can be sent: text, bytes, or a stream, which cannot be sent again after a redirect. */
export type OutboundBody = string | Uint8Array | AsyncIterable<Uint8Array>

export interface ExchangeOptions {
  method: string
  headers: HeadersInit | undefined
  body: OutboundBody | undefined
  redirect: 'follow' | 'manual' | 'error'
  maxBytes: number
  maxRedirects: number
  userAgent: string
  deadline: Deadline
  /** What the reader of the body gets in place of an {@link OutboundError}. */
  toReader: (error: OutboundError) => unknown
}

export interface RawResponse {
  status: number
  statusText: string
  headers: Headers
  /** Decoded and bounded; null where HTTP knows no body (HEAD, 204, 205, 304). */
  body: ReadableStream<Uint8Array> | null
  url: URL
  redirected: boolean
}

/**
 * The exchange of one client, with its guard, limits and log.
 * @param of whether the time limit is on the whole exchange or on each silence in it
 */
export type Send = (
  url: string | URL,
  of: 'exchange' | 'silence',
  request: Pick<ExchangeOptions, 'method' | 'headers' | 'body' | 'redirect' | 'toReader'> & {
    timeoutMs?: number | undefined
    maxBytes?: number | undefined
    signal?: AbortSignal | undefined
  },
) => Promise<RawResponse>

/**
 * Sends one request and follows its redirects, each through the guard.
 * The deadline is ended when the body is; on an error the caller ends it.
 * @throws {OutboundError}
 */
export async function exchange(
  agent: Agent,
  guard: Guard,
  start: URL,
  options: ExchangeOptions,
): Promise<RawResponse> {
  const method = options.method.toUpperCase()
  if (method === 'CONNECT' || method === 'TRACE') {
    throw new OutboundError('bad_request', `The method ${method} is not allowed.`)
  }
  const headers = cleanHeaders(options.headers)
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', ACCEPT_ENCODING)
  if (!headers.has('user-agent')) headers.set('user-agent', options.userAgent)

  let hop: Hop<OutboundBody> = { url: start, method, headers, body: options.body }
  for (let redirects = 0; ; redirects += 1) {
    try {
      const response = await send(agent, hop, options.deadline)
      const next = options.redirect === 'manual' ? undefined : redirectOf(response, hop, guard)
      if (!next) return answer(response, hop, options, redirects > 0)
      drop(response)
      if (options.redirect === 'error' || redirects >= options.maxRedirects) {
        throw new OutboundError('redirect', `${start.host} redirects more than ${redirects} times.`)
      }
      if (next.body !== undefined && isStream(next.body)) {
        throw new OutboundError('redirect', `${start.host} redirects, and a stream cannot be sent twice.`)
      }
      hop = next
    } catch (error) {
      const failure = toOutboundError(error, targetOf(hop.url).host)
      throw redirects > 0 ? wasSent(failure) : failure
    }
  }
}

async function send(
  agent: Agent,
  hop: Hop<OutboundBody>,
  deadline: Deadline,
): Promise<Dispatcher.ResponseData> {
  deadline.signal.throwIfAborted()
  const { body } = hop
  const answered = agent.request({
    origin: hop.url.origin,
    path: hop.url.pathname + hop.url.search,
    method: hop.method,
    headers: Object.fromEntries(hop.headers),
    body: body !== undefined && isStream(body) ? Readable.from(body, { objectMode: false }) : (body ?? null),
    signal: deadline.signal,
  })
  const response = await unlessAborted(answered, deadline.signal)
  deadline.touch()
  return response
}

/** undici hears of an abort only once it has a connection; the wait for one ends here. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as OutboundError)
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    work.finally(() => signal.removeEventListener('abort', giveUp)).then(resolve, reject)
  })
}

function redirectOf(
  response: Dispatcher.ResponseData,
  hop: Hop<OutboundBody>,
  guard: Guard,
): Hop<OutboundBody> | undefined {
  const { location } = response.headers
  if (!isRedirect(response.statusCode) || typeof location !== 'string') return undefined
  try {
    const url = readLocation(location, hop.url)
    if (!url) throw new OutboundError('bad_url', 'The redirect leads to no readable URL.')
    return nextHop(hop, response.statusCode, guard.checkUrl(url))
  } catch (refusal) {
    drop(response)
    throw wasSent(refusal as OutboundError)
  }
}

function answer(
  response: Dispatcher.ResponseData,
  hop: Hop<OutboundBody>,
  options: ExchangeOptions,
  redirected: boolean,
): RawResponse {
  const { deadline, maxBytes } = options
  const { host } = targetOf(hop.url)
  const headers = toHeaders(response.headers)
  const status = response.statusCode
  const known = { status, statusText: response.statusText, headers, url: hop.url, redirected }
  if (hop.method === 'HEAD' || status === 204 || status === 205 || status === 304) {
    drop(response)
    deadline.end()
    return { ...known, body: null }
  }
  try {
    if (Number(headers.get('content-length') ?? 0) > maxBytes) throw responseTooLarge({ host, maxBytes })
    const encoding = headers.get('content-encoding') ?? ''
    const body = boundedBody(response.body, encoding, {
      host,
      maxBytes,
      toError: (error) => options.toReader(wasSent(toOutboundError(error, host, 'body'))),
      onBytes: () => deadline.touch(),
      onEnd: () => deadline.end(),
    })
    // They describe the bytes on the wire, which the reader does not see.
    if (encoding !== '') for (const name of ['content-encoding', 'content-length']) headers.delete(name)
    return { ...known, body }
  } catch (error) {
    drop(response)
    throw error
  }
}

function toHeaders(raw: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(raw)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one)
  }
  return headers
}

function wasSent(error: OutboundError): OutboundError {
  if (error.maybeSent) return error
  const { address, reason, message } = error
  return new OutboundError(reason, message, { cause: error, maybeSent: true, ...(address && { address }) })
}

function isStream(body: OutboundBody): body is AsyncIterable<Uint8Array> {
  return typeof body !== 'string' && !(body instanceof Uint8Array)
}

function drop({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {}).destroy()
}
