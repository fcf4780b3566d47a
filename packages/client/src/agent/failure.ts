import { ApiError } from '../errors.ts'

const families = ['transient', 'quota', 'auth', 'refusal', 'invalid', 'internal'] as const

/**
 * The kind of a failure decides what follows: `transient` and `quota` are retried, everything else needs a
 * person; `auth` and `internal` also set the agent to error.
 */
export type FailureFamily = (typeof families)[number]

/** Throw it in `perform` to report the kind of a failure. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure'
  readonly family: FailureFamily
  /** The minimum delay before a retry, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(family: FailureFamily, message: string, options: { retryAfterMs?: number } = {}) {
    super(message)
    this.family = family
    this.retryAfterMs = options.retryAfterMs
  }
}

/** Why a run was stopped before its end; the reason of its `signal`. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped'
  /**
   * `cancelled`: the run is no longer wanted; `over`: Copydesk accepts nothing more for this attempt;
   * `closing`: this runtime stops.
   */
  readonly why: 'cancelled' | 'over' | 'closing'

  constructor(why: RunStopped['why'], message: string) {
    super(message)
    this.why = why
  }
}

/** A failure as it is delivered. */
export interface Failure {
  error: string
  family: FailureFamily
  retryAfterMs?: number
}

/** The maximum length of an error message, in characters. */
const longest = 10_000

/**
 * Classifies anything that was thrown: by its own `family`, by the HTTP status that the errors of model
 * clients have (`status` or `statusCode`, with their `Retry-After`), or by what `fetch` throws. The rest is
 * `internal`.
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

/** Fields that errors of various kinds may have. */
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

/** @returns a `Retry-After` in seconds as milliseconds */
function askedMs(headers: unknown): number | undefined {
  const value =
    headers instanceof Headers
      ? headers.get('retry-after')
      : (headers as Record<string, string> | undefined)?.['retry-after']
  return value && /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : undefined
}
