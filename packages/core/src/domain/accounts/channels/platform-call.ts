import type { Ctx } from '../../../kernel/context.ts'
import type { OutboundRequest, OutboundResponse } from '../../../platform/http/client.ts'
import { OutboundError } from '../../../platform/http/outbound-error.ts'
import type { ChannelUrls } from './clients.ts'
import type { ChannelAccount, ChannelType } from './entities.ts'
import { type FailureKind, PlatformError, safeWords } from './platform-error.ts'
import type { ChannelSecrets } from './provider.ts'

/** How long a platform is waited for, milliseconds. */
export const callMs = 30_000
/** More than this no platform says to a request of ours that expects no report. */
const mostBytes = 2 * 1024 * 1024

export interface PlatformRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'
  url: string | URL
  headers?: Record<string, string>
  /** One of these, or none. */
  json?: unknown
  form?: Readonly<Record<string, string>>
  bytes?: Uint8Array
  /**
   * What comes of it when it is sent twice: nothing is changed by `read`; `repeatable` leaves the same as once; after `once` there
   * would be a second post. Before the first request with `once` the intent notes that one may have gone out.
   */
  effect: 'read' | 'repeatable' | 'once'
  timeoutMs?: number
  /** The most bytes of an answer; default 2 MiB. */
  maxBytes?: number
}

/** Any answer in HTTP. */
export interface PlatformAnswer {
  status: number
  headers: Headers
  /** Parsed where it is JSON; else undefined. */
  body: unknown
  text: string
}

/** What a connector makes of an answer that is no success; what it leaves out is decided by the status. */
export interface PlatformRefusal {
  kind?: FailureKind
  /** The platform's words, as it has them. */
  words?: string | undefined
  until?: Date | undefined
  /** The same as a span from now, milliseconds. */
  waitMs?: number | undefined
  /** By which the platform's support finds the request. */
  requestId?: string | undefined
}

/** What is known of a platform's answers. */
export interface PlatformRules {
  /** Whether an answer with the status of a success refuses all the same; never, where it is left out. */
  isRefusal?(answer: PlatformAnswer): boolean
  /**
   * What a refusal means; undefined for what its status says. Where another try may do, but the request was not to be repeated, it
   * counts as a lost answer.
   */
  refusalOf?(answer: PlatformAnswer, now: Date): PlatformRefusal | undefined
  /** What an answer says about limits, by the names of the connector's limits. */
  limitsOf?(answer: PlatformAnswer, now: Date): Record<string, { left: number; until: Date }>
}

/** How a connector talks to its platform for one account. */
export interface PlatformCall {
  readonly secrets: ChannelSecrets
  readonly account: ChannelAccount
  /** Where the operator wants the platform to be reached; empty for its own addresses. */
  readonly urls: ChannelUrls
  /** Of the client that the operator has registered. */
  readonly clientId: string | undefined
  readonly now: () => Date
  /** @throws PlatformError for every answer that refuses or is no 2xx, and where there is none */
  request(request: PlatformRequest): Promise<PlatformAnswer>
  /** The same, for a read whose refusal is an answer too: 404 for what is not there. */
  ask(request: Omit<PlatformRequest, 'effect'>, fine: readonly number[]): Promise<PlatformAnswer>
}

export interface CallOptions {
  type: ChannelType
  secrets: ChannelSecrets
  account: ChannelAccount
  rules: PlatformRules
  signal?: AbortSignal | undefined
  /** Called before each request; what it throws stops the request. */
  before?: (request: PlatformRequest) => Promise<void>
  /** Called with each request that was certainly not done: it did not go out, or its refusal leaves no doubt. */
  onRefused?: (request: PlatformRequest) => void
  onLimits?: (limits: Record<string, { left: number; until: Date }>) => void
}

export function createCall(ctx: Ctx, options: CallOptions): PlatformCall {
  const { type, secrets, account, rules, signal, before, onRefused, onLimits } = options
  const hidden = Object.values(secrets).filter((value): value is string => typeof value === 'string')
  const exchange = async (request: PlatformRequest, fine: readonly number[]): Promise<PlatformAnswer> => {
    await before?.(request)
    try {
      return await answered(request, fine)
    } catch (error) {
      if (error instanceof PlatformError && error.kind !== 'unknown') onRefused?.(request)
      throw error
    }
  }
  const answered = async (request: PlatformRequest, fine: readonly number[]): Promise<PlatformAnswer> => {
    const answer = await send(ctx, request, signal)
    const limits = rules.limitsOf?.(answer, ctx.clock.date())
    if (limits) onLimits?.(limits)
    const { status } = answer
    const isSuccess = status >= 200 && status < 300 && !rules.isRefusal?.(answer)
    if (isSuccess || fine.includes(status)) return answer
    throw toError(ctx, request, answer, rules.refusalOf?.(answer, ctx.clock.date()), hidden)
  }
  return {
    secrets,
    account,
    urls: ctx.services.channels.urls(type),
    clientId: ctx.services.channels.client(type)?.clientId,
    now: () => ctx.clock.date(),
    request: (request) => exchange(request, []),
    ask: (request, fine) => exchange({ ...request, effect: 'read' }, fine),
  }
}

async function send(
  ctx: Ctx,
  request: PlatformRequest,
  signal: AbortSignal | undefined,
): Promise<PlatformAnswer> {
  const { effect } = request
  try {
    const response = await ctx.services.http.request(request.url, {
      ...bodyOf(request),
      method: request.method ?? 'GET',
      // Tokens go to the address that was meant, and to no other that this one names.
      redirect: 'manual',
      timeoutMs: request.timeoutMs ?? callMs,
      maxBytes: request.maxBytes ?? mostBytes,
      ...(signal && { signal }),
    })
    return await read(response)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const isLost = effect === 'once' && error.maybeSent
    throw new PlatformError(isLost ? 'unknown' : kindOf(error), safeWords(error.message), { cause: error })
  }
}

/** An address that cannot be right will not be so at the next try. */
function kindOf({ reason }: OutboundError): FailureKind {
  const lasting = ['bad_url', 'bad_request', 'scheme', 'credentials', 'address', 'too_large']
  return lasting.includes(reason) ? 'policy' : 'transient'
}

function bodyOf({
  headers = {},
  json,
  form,
  bytes,
}: PlatformRequest): Pick<OutboundRequest, 'headers' | 'body'> {
  const accept = { accept: 'application/json', ...headers }
  if (json !== undefined)
    return { headers: { 'content-type': 'application/json', ...accept }, body: JSON.stringify(json) }
  if (form)
    return {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...accept },
      body: new URLSearchParams(form).toString(),
    }
  return { headers: accept, ...(bytes && { body: bytes }) }
}

async function read(response: OutboundResponse): Promise<PlatformAnswer> {
  const { status, headers } = response
  const text = await response.text()
  let body: unknown
  try {
    body = JSON.parse(withoutZero(text))
  } catch {
    body = undefined
  }
  return { status, headers, body, text }
}

/** PostgreSQL has no texts with a zero byte in them, and people read none. */
const withoutZero = (json: string): string =>
  json.includes('\\u0000') ? json.replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1') : json

function toError(
  ctx: Ctx,
  { effect, url }: PlatformRequest,
  answer: PlatformAnswer,
  refusal: PlatformRefusal | undefined,
  hidden: readonly string[],
): PlatformError {
  const { status, headers } = answer
  const named = refusal?.kind ?? kindOfStatus(status)
  // After a request that must not be repeated, a failure of the server's says nothing about what it has done.
  const kind = named === 'transient' && effect === 'once' ? 'unknown' : named
  const asked = refusal?.waitMs === undefined ? undefined : new Date(ctx.clock.now() + refusal.waitMs)
  const until =
    refusal?.until ?? asked ?? (kind === 'quota' ? retryAfter(headers, ctx.clock.now()) : undefined)
  const said = safeWords(refusal?.words ?? '', hidden)
  return new PlatformError(kind, said || `${new URL(url).host} answered ${status}`, {
    until,
    requestId: refusal?.requestId,
  })
}

function kindOfStatus(status: number): FailureKind {
  if (status === 401) return 'auth'
  if (status === 403) return 'policy'
  if (status === 429) return 'quota'
  if (status === 408 || status >= 500) return 'transient'
  return status < 400 ? 'policy' : 'validation'
}

/** `Retry-After` in seconds or as a date; a platform that names a time long ago or far off names none. */
function retryAfter(headers: Headers, now: number): Date | undefined {
  const given = headers.get('retry-after')?.trim()
  if (!given) return undefined
  const ms = /^\d{1,9}$/.test(given) ? now + Number(given) * 1_000 : Date.parse(given)
  return ms > now && ms < now + longestWaitMs ? new Date(ms) : undefined
}

const longestWaitMs = 32 * 24 * 3_600_000
