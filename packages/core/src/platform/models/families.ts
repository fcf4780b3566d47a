import type { OutboundError, OutboundReason } from '../http/outbound-error.ts'
import type { ModelFailure } from './port.ts'

/**
 * Reads a `Retry-After` header.
 * @param header seconds or an HTTP date
 * @param now milliseconds since the epoch that a date is measured from
 * @returns milliseconds to wait, or undefined when the header says nothing usable
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** The family of an HTTP answer of a provider. */
export function familyOfStatus(status: number): ModelFailure {
  if (status === 401 || status === 403) return 'auth'
  if (status === 402 || status === 429 || status === 529) return 'quota'
  if (status === 408 || status === 409 || status >= 500) return 'transient'
  return 'invalid'
}

/** What the guard found wrong with the address itself stays wrong; what happened on the way may pass. */
const passing: ReadonlySet<OutboundReason> = new Set([
  'dns',
  'connect',
  'network',
  'timeout',
  'aborted',
  'bad_response',
])

/** The family of a request that got no answer. */
export function familyOfOutbound(error: OutboundError): ModelFailure {
  return passing.has(error.reason) ? 'transient' : 'invalid'
}
