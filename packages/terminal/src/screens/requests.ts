import { ApiError, type Client } from '@copydesk/client'
import { shellQuoted } from '../operations/invocation.ts'
import { type AnyClient, clientOf } from '../operations/operation.ts'
import { ofField } from '../operations/refused.ts'

/** One request of the terminal, and the equivalent shell command. */
export interface RequestEntry {
  /** Milliseconds since the epoch. */
  at: number
  command: string
  /** Milliseconds; absent while it is in progress. */
  tookMs?: number
  /** `ok`, the error code, or that the server could not be reached. */
  outcome?: string
}

export interface RequestLog {
  /** Oldest first, the latest thousand. */
  readonly entries: readonly RequestEntry[]
  /** The total number. */
  readonly made: number
}

const kept = 1_000
/**
 * Timeouts after which the server counts as offline, milliseconds: for reads, and for requests that may call
 * a model.
 */
const patience = { read: 20_000, other: 120_000 }
/** Status codes of a proxy whose server is offline. */
const ofProxies = new Set([502, 503, 504])

/** The outcome of a request: answered, rejected because the user is logged out, or not answered. */
export type Heard = 'answered' | 'refused' | 'nothing'

interface Given {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  signal?: AbortSignal
}

interface NotedOptions {
  now(): number
  after(ms: number, fn: () => void): () => void
  /** Called for each response, and when a stream disconnects and reconnects. */
  heard(what: Heard): void
}

/** The same client, which records each request, and applies timeouts. */
export function noted(
  client: Client,
  { now, after, heard }: NotedOptions,
): { client: Client; log: RequestLog } {
  const entries: RequestEntry[] = []
  let made = 0
  const passed: AnyClient = client
  const note = (surface: string, route: string, input: Given = {}): RequestEntry => {
    const entry: RequestEntry = { at: now(), command: commandOf(surface, route, input) }
    entries.push(entry)
    made += 1
    if (entries.length > kept) entries.splice(0, entries.length - kept)
    return entry
  }
  const call = async (surface: string, route: string, input: Given = {}) => {
    const entry = note(surface, route, input)
    const limit = limited(input.signal, (late) =>
      after(route.startsWith('GET ') ? patience.read : patience.other, late),
    )
    try {
      const given = { ...input, signal: limit.signal }
      const reply: unknown = await passed.call(surface, route, given)
      entry.outcome = 'ok'
      heard('answered')
      return reply
    } catch (error) {
      if (input.signal?.aborted) entry.outcome = 'left'
      else {
        entry.outcome = error instanceof ApiError ? error.code : 'not reached'
        heard(meaning(error))
      }
      throw error
    } finally {
      limit.end()
      entry.tookMs = now() - entry.at
    }
  }
  const stream = (surface: string, route: string, input: Given = {}) => {
    note(surface, route, input).outcome = 'stream'
    const connected = (stands: boolean) => heard(stands ? 'answered' : 'nothing')
    return passed.stream(surface, route, { ...input, connected })
  }
  return {
    client: clientOf({ call, stream }),
    log: {
      entries,
      get made() {
        return made
      },
    },
  }
}

/**
 * A signal that aborts after `late`, or with another signal. Not `AbortSignal.timeout`: that one retains its
 * listeners until the timeout, even after the response, and a terminal sends requests all day.
 */
function limited(outer: AbortSignal | undefined, late: (fn: () => void) => () => void) {
  const stop = new AbortController()
  const follow = () => stop.abort(outer?.reason)
  if (outer?.aborted) follow()
  outer?.addEventListener('abort', follow)
  const callOff = late(() =>
    stop.abort(new DOMException('The server did not answer in time', 'TimeoutError')),
  )
  return {
    signal: stop.signal,
    end() {
      callOff()
      outer?.removeEventListener('abort', follow)
    },
  }
}

/** What an error reveals about the connection. */
export function meaning(error: unknown): Heard {
  if (!(error instanceof ApiError)) return 'nothing'
  if (error.status === 401) return 'refused'
  return ofProxies.has(error.status) ? 'nothing' : 'answered'
}

/** The shell command that makes the same request. */
export function commandOf(surface: string, route: string, { params, query, body }: Given): string {
  const [method = 'GET', path = '/'] = route.split(' ')
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''))
  const words = ['copydesk', 'api', method, `/${surface}/v1${filled}`]
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) words.push('--query', `${name}=${String(value as string | number | boolean)}`)
  }
  if (body !== undefined) words.push('--body', JSON.stringify(body))
  return words.map(shellQuoted).join(' ')
}

/** Names of errors whose messages are meant for people. */
const told = new Set(['Error', 'Failure', 'UsageError'])

/** The message of an error for the user. */
export function sentence(error: unknown): string {
  const heard = meaning(error)
  if (error instanceof ApiError) {
    if (heard === 'refused')
      return 'You are logged out: run `copydesk login` in another window; this terminal continues afterwards'
    return ofField(error.field, error.message)
  }
  const { name, message } = error as Error
  if (name === 'TimeoutError') return 'The server does not answer'
  if (name === 'TypeError' && message === 'fetch failed') return 'The server cannot be reached'
  return told.has(name) ? message : `Internal error in the terminal: ${message}`
}
