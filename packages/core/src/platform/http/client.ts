import { type Clock, createSystemClock } from '../clock.ts'
import type { Logger } from '../log.ts'
import { readAll } from './body.ts'
import type { Lookup } from './connect.ts'
import { createDeadline } from './deadline.ts'
import { exchange, type OutboundBody, type RawResponse, type Send } from './exchange.ts'
import { createGuardedFetch } from './fetch.ts'
import { createGuard, type Guard, targetOf } from './guard.ts'
import { OutboundError, toOutboundError } from './outbound-error.ts'

export interface HttpClientOptions {
  /** Hosts, addresses and networks that may be reached although they are not public; see {@link createGuard}. */
  allowHosts?: readonly string[]
  /** The time for a whole exchange, redirects and body included; default 30,000 ms. */
  timeoutMs?: number
  /** The time in which `guardedFetch` has to hear something, headers or a piece of body; default 300,000 ms. */
  silenceMs?: number
  /** The time to resolve, connect and do TLS; default 10,000 ms. */
  connectTimeoutMs?: number
  /** The most bytes of a body, decoded; default 10 MiB. */
  maxBytes?: number
  /** Default 5. */
  maxRedirects?: number
  /** Sent where the caller names none; default `Copydesk`. */
  userAgent?: string
  log: Logger
  clock?: Clock
  /** Resolves names; the machine's own resolver by default. */
  lookup?: Lookup
}

export interface OutboundRequest {
  /** Default `GET`. */
  method?: string
  headers?: HeadersInit
  body?: OutboundBody
  timeoutMs?: number
  /** What the time limit is on: the whole exchange, or each silence in it. Default `exchange`. */
  limitOn?: 'exchange' | 'silence'
  maxBytes?: number
  /** `manual` hands out the redirect itself. Default `follow`. */
  redirect?: 'follow' | 'manual'
  signal?: AbortSignal
}

/** The answer to a request. The body can be read once, by one of the four ways; unread, it ends with the time limit. */
export interface OutboundResponse {
  status: number
  headers: Headers
  /** Where the answer came from, after redirects. */
  url: string
  body: ReadableStream<Uint8Array>
  bytes(): Promise<Uint8Array>
  /** Decoded by the charset of the Content-Type, UTF-8 by default. */
  text(): Promise<string>
  /** @throws {OutboundError} `bad_response` where the body is not JSON */
  json(): Promise<unknown>
}

export interface HttpClient {
  /**
   * Sends a request to a public host or one that is allowed. Any status is an answer.
   * @throws {OutboundError} for a refusal, a broken connection or a limit that was passed, while reading the body too
   */
  request(url: string | URL, request?: OutboundRequest): Promise<OutboundResponse>
  /** `fetch` behind the same guard, with a streaming body, for libraries that take a `fetch` of their own. */
  guardedFetch: typeof globalThis.fetch
  /** Closes all connections at once; requests under way fail. */
  close(): Promise<void>
}

/** The one way out to hosts that users name: addresses, redirects, sizes and times are all checked here. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const guard = createGuard(options.allowHosts)
  const clock = options.clock ?? createSystemClock()
  const { timeoutMs = 30_000, maxBytes = 10 * 1024 * 1024, maxRedirects = 5 } = options
  const { log, userAgent = 'Copydesk' } = options
  const open = async () => {
    // A megabyte of code that a server without a request to the outside never needs.
    const { createGuardedAgent } = await import('./connect.ts')
    const { lookup, connectTimeoutMs = 10_000 } = options
    return createGuardedAgent({ guard, lookup, connectTimeoutMs })
  }
  let opened: ReturnType<typeof open> | undefined
  const limits = { maxBytes, maxRedirects, userAgent }

  /** Runs an exchange, frees its timer where it fails, and writes the line about it; never a path, it may hold a key. */
  const observed = async (
    url: URL,
    method: string,
    run: () => Promise<RawResponse>,
  ): Promise<RawResponse> => {
    const since = clock.now()
    const fields = () => ({ method, origin: url.origin, ms: clock.now() - since })
    try {
      const answer = await run()
      log.debug('outbound request', { ...fields(), status: answer.status })
      return answer
    } catch (error) {
      const { reason, address } = toOutboundError(error, url.host)
      log.warn('outbound request failed', { ...fields(), reason, address })
      throw error
    }
  }

  const send: Send = async (input, of, request) => {
    const url = checkedUrl(guard, input, log)
    const { host } = targetOf(url)
    const ms = request.timeoutMs ?? (of === 'silence' ? (options.silenceMs ?? 300_000) : timeoutMs)
    const deadline = createDeadline({ clock, ms, of, host, caller: request.signal })
    const given = { ...limits, ...request, maxBytes: request.maxBytes ?? maxBytes, deadline }
    try {
      return await observed(url, request.method, async () =>
        exchange(await (opened ??= open()), guard, url, given),
      )
    } catch (error) {
      deadline.end()
      throw error
    }
  }

  return {
    async request(
      url,
      { method = 'GET', headers, body, redirect = 'follow', limitOn = 'exchange', ...rest } = {},
    ) {
      const toReader = (error: OutboundError) => error
      return toResponse(await send(url, limitOn, { method, headers, body, redirect, toReader, ...rest }))
    },
    guardedFetch: createGuardedFetch(send),
    close: async () => (await opened)?.destroy(),
  }
}

function checkedUrl(guard: Guard, input: string | URL, log: Logger): URL {
  try {
    return guard.checkUrl(input)
  } catch (error) {
    const { reason, address } = error as OutboundError
    log.warn('outbound request refused', { reason, address })
    throw error
  }
}

function toResponse({ status, headers, url, body }: RawResponse): OutboundResponse {
  const stream = body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() })
  const text = async (charset: string): Promise<string> => decoderFor(charset).decode(await readAll(stream))
  return {
    status,
    headers,
    url: url.href,
    body: stream,
    bytes: () => readAll(stream),
    text: () => text(/charset="?([^\s";]+)/i.exec(headers.get('content-type') ?? '')?.[1] ?? 'utf-8'),
    async json() {
      const json = await text('utf-8')
      try {
        return JSON.parse(json) as unknown
      } catch (cause) {
        throw new OutboundError('bad_response', `${targetOf(url).host} did not answer in JSON.`, { cause })
      }
    },
  }
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
