/**
 * The closed catalogue of error codes of the interface contract. The domain throws them by name and knows no HTTP status;
 * the gateway maps each to its status.
 */
export const errorCodes = [
  'VALIDATION_ERROR',
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'INVALID_TOKEN',
  'TOKEN_EXPIRED',
  'INVALID_API_KEY',
  'TENANT_NOT_FOUND',
  'FORBIDDEN',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'UNPROCESSABLE',
  'RATE_LIMITED',
  'THROTTLED',
  'INTERNAL_ERROR',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** A refusal that the caller is told of: a code of the catalogue, a sentence, and where it applies. */
export class DomainError extends Error {
  readonly code: ErrorCode
  /** The failing field of a `VALIDATION_ERROR`, in dotted form. */
  readonly field: string | undefined
  /** Anything a program can act on, for example `{ reason: 'content_changed' }`. */
  readonly details: unknown
  /** Of `RATE_LIMITED` and `THROTTLED`: after how many seconds another try may do. */
  readonly retryAfterS: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    extra: { field?: string; details?: unknown; cause?: unknown; retryAfterS?: number } = {},
  ) {
    super(message, { cause: extra.cause })
    this.name = 'DomainError'
    this.code = code
    this.field = extra.field
    this.details = extra.details
    this.retryAfterS = extra.retryAfterS
  }
}

/**
 * The one answer to an id that does not exist or belongs to someone else.
 * @param what in words, such as `blog post`
 * @param options `by` what it is asked for; `field` where in the request
 */
export function notFound(
  what: string,
  { by = 'id', ...extra }: { by?: string; field?: string } = {},
): DomainError {
  return new DomainError('NOT_FOUND', `There is no ${what} with this ${by}`, extra)
}

/**
 * The answer to anyone who has come too often.
 * @param wait `until` and `now` in milliseconds since the epoch
 * @param say the sentence, from what stands behind "try again": `in 42 seconds`
 */
export function rateLimited(
  { until, now }: { until: number; now: number },
  say: (when: string) => string,
): DomainError {
  const retryAfterS = Math.max(1, Math.ceil((until - now) / 1_000))
  const when = `in ${retryAfterS} ${retryAfterS === 1 ? 'second' : 'seconds'}`
  return new DomainError('RATE_LIMITED', say(when), { retryAfterS })
}

/** A field that does not hold what it must. */
export function invalid(field: string, message: string): DomainError {
  return new DomainError('VALIDATION_ERROR', message, { field })
}
