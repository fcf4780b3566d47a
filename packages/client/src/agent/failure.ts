import { ApiError } from '../errors.ts'

const families = ['transient', 'quota', 'auth', 'refusal', 'invalid', 'internal'] as const

/**
 * What kind of failure it is decides what follows: `transient` and `quota` are tried again, everything else needs a person;
 * `auth` and `internal` mark the agent as broken as well.
 */
export type FailureFamily = (typeof families)[number]

/** Throw it in `perform` to say what kind of failure it is. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure'
  readonly family: FailureFamily
  /** The earliest moment at which trying again makes sense, in milliseconds from now. */
  readonly retryAfterMs: number | undefined

  constructor(family: FailureFamily, message: string, options: { retryAfterMs?: number } = {}) {
    super(message)
    this.family = family
    this.retryAfterMs = options.retryAfterMs
  }
}

/** Why a run was stopped before its work was done; the reason of its `signal`. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped'
  /** `cancelled`: nobody wants it any more; `over`: it takes nothing more from here; `closing`: this runtime ends. */
  readonly why: 'cancelled' | 'over' | 'closing'

  constructor(why: RunStopped['why'], message: string) {
    super(message)
    this.why = why
  }
}

/** A failure as it is handed in. */
export interface Failure {
  error: string
  family: FailureFamily
  retryAfterMs?: number
}

/** The longest text of a failure that is taken, in characters. */
const longest = 10_000

/**
 * Says of anything that was thrown what kind of failure it is: by its own `family`, by the HTTP status that the errors of
 * model clients carry (`status` or `statusCode`, with their `Retry-After`), or by what `fetch` throws. The rest is `internal`.
 */
export function toFailure(thrown: unknown): Failure {
  const error = (thrown instanceof Error ? thrown : new Error(String(thrown))) as Error & Partial<Told>
  const text = (error.message.trim() || error.name).slice(0, longest)
  if (error instanceof RunStopped)
    return { error: text, family: error.why === 'closing' ? 'transient' : 'invalid' }
  const retryAfterMs = error.retryAfterMs ?? askedMs(error.responseHeaders ?? error.headers)
  return {
    error: text,
    family: familyOf(error),
    ...(typeof retryAfterMs === 'number' && retryAfterMs > 0 && { retryAfterMs: Math.ceil(retryAfterMs) }),
  }
}

/** What errors of all kinds may tell about themselves. */
interface Told {
  family: unknown
  retryAfterMs: unknown
  status: unknown
  statusCode: unknown
  code: unknown
  headers: unknown
  responseHeaders: unknown
}

function familyOf(error: Error & Partial<Told>): FailureFamily {
  const named = families.find((family) => family === error.family)
  if (named) return named
  const status = Number(error.status ?? error.statusCode)
  if (error instanceof ApiError) return status >= 500 || status === 429 ? 'transient' : 'invalid'
  if (status === 401 || status === 403) return 'auth'
  if (status === 402 || status === 429 || status === 529) return 'quota'
  if (status === 408 || status === 409 || status >= 500) return 'transient'
  if (status >= 400) return 'invalid'
  const isNetwork = error.message === 'fetch failed' || /^(E[A-Z]+|UND_ERR_\w+)$/.test(String(error.code))
  return isNetwork || error.name === 'AbortError' || error.name === 'TimeoutError' ? 'transient' : 'internal'
}

/** @returns what a `Retry-After` in seconds asks for, in milliseconds */
function askedMs(headers: unknown): number | undefined {
  const value =
    headers instanceof Headers
      ? headers.get('retry-after')
      : (headers as Record<string, string> | undefined)?.['retry-after']
  return value && /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : undefined
}
