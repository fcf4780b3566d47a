/**
 * Why a request to the outside failed.
 * Refused before anything was sent: `bad_url`, `bad_request`, `scheme`, `credentials`, `address` (not public unicast),
 * `dns` (no such host). Underway: `connect` (no one answers, or TLS fails), `network` (the connection broke),
 * `timeout`, `aborted` (by the caller). The answer: `redirect` (too many, or impossible to follow), `too_large`,
 * `bad_response` (cannot be decoded).
 */
export type OutboundReason =
  | 'bad_url'
  | 'bad_request'
  | 'scheme'
  | 'credentials'
  | 'address'
  | 'dns'
  | 'connect'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'redirect'
  | 'too_large'
  | 'bad_response'

export interface OutboundErrorOptions extends ErrorOptions {
  /** The address that was refused. It is for the log, not for the person who gave the URL. */
  address?: string
  /** Overrides what the reason implies; see {@link OutboundError.maybeSent}. */
  maybeSent?: boolean
}

const NOTHING_SENT: ReadonlySet<OutboundReason> = new Set([
  'bad_url',
  'bad_request',
  'scheme',
  'credentials',
  'address',
  'dns',
  'connect',
])

/** A request to the outside that was refused or failed. Its message names no resolved address and no URL path. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly reason: OutboundReason
  readonly address: string | undefined
  /** False where the other side cannot have seen any of the request, so that doing it again repeats nothing. */
  readonly maybeSent: boolean

  constructor(reason: OutboundReason, message: string, options: OutboundErrorOptions = {}) {
    super(message, options)
    this.reason = reason
    this.address = options.address
    this.maybeSent = options.maybeSent ?? !NOTHING_SENT.has(reason)
  }
}

const CONNECT_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
])

/**
 * Gives any failure of a request its reason; an {@link OutboundError} stays what it is.
 * @param during in the body, where HTTP was spoken before, what cannot be parsed is the end of a broken connection
 */
export function toOutboundError(
  error: unknown,
  host: string,
  during: 'request' | 'body' = 'request',
): OutboundError {
  if (error instanceof OutboundError) return error
  if (error instanceof AggregateError && error.errors.length > 0)
    return toOutboundError(error.errors[0], host, during)
  const code = (error as { code?: string } | null)?.code ?? ''
  const options = { cause: error }
  if (code.startsWith('UND_ERR_INVALID') || code === 'UND_ERR_NOT_SUPPORTED') {
    return new OutboundError('bad_request', `The request to ${host} is not valid HTTP.`, options)
  }
  if (CONNECT_CODES.has(code) || /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO)/.test(code)) {
    return new OutboundError('connect', `No connection to ${host} (${code}).`, options)
  }
  if (/^(?:Z_|ERR__ERROR|ERR_BROTLI)/.test(code)) {
    return new OutboundError('bad_response', `The answer of ${host} cannot be decoded.`, options)
  }
  const unparsable = (error as { name?: string } | null)?.name === 'HTTPParserError' && during === 'request'
  if (unparsable || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new OutboundError('bad_response', `${host} did not answer in HTTP.`, options)
  }
  const known = code === '' ? '' : ` (${code})`
  return new OutboundError('network', `The connection to ${host} broke${known}.`, options)
}
