import {
  APICallError,
  InvalidPromptError,
  LoadAPIKeyError,
  NoSuchModelError,
  StreamProviderError,
  UnsupportedFunctionalityError,
} from 'ai'
import { OutboundError } from '../http/outbound-error.ts'
import { familyOfOutbound, familyOfStatus, parseRetryAfter } from './families.ts'
import { ModelError, type ModelFailure } from './port.ts'

const LONGEST_DETAIL = 300

/**
 * Sorts whatever the SDK, the network or the outbound guard threw into a family.
 * @param error anything; a `ModelError` comes back as it is
 * @param about the provider's id for the message, the instant in milliseconds that dates are measured from, and a
 *   secret that must not be repeated
 */
export function toModelError(
  error: unknown,
  about: { provider: string; now: number; secret?: string },
): ModelError {
  if (error instanceof ModelError) return error
  const found = classify(error)
  const name = about.provider
  const detail = cleaned(error, about.secret)
  const options = { cause: withoutRequest(error), ...waitOf(error, about.now) }
  switch (found) {
    case 'auth':
      // The provider's own words are left out: some repeat part of the key.
      return new ModelError(
        found,
        `Provider ${name} refused the credentials. Check its API key and the rights of that key.`,
        options,
      )
    case 'quota':
      return new ModelError(
        found,
        `Provider ${name} is overloaded or its quota is used up: ${detail}`,
        options,
      )
    case 'refusal':
      return new ModelError(found, `Provider ${name} declined the request: ${detail}`, options)
    case 'invalid':
      return new ModelError(found, `Provider ${name} does not accept this request: ${detail}`, options)
    case 'transient':
      return new ModelError(found, `Provider ${name} could not be reached or broke off: ${detail}`, options)
    default:
      return new ModelError('internal', `Provider ${name} failed unexpectedly: ${detail}`, options)
  }
}

const networkCodes = /^(E[A-Z]{3,}|UND_ERR_[A-Z_]+)$/
const cutStream =
  /terminated|fetch failed|socket|network|without a finish|stream ended|other side closed|premature/i

function classify(error: unknown): ModelFailure {
  const guard = outboundOf(error)
  if (guard) return familyOfOutbound(guard)
  if (LoadAPIKeyError.isInstance(error)) return 'auth'
  if (NoSuchModelError.isInstance(error) || InvalidPromptError.isInstance(error)) return 'invalid'
  if (UnsupportedFunctionalityError.isInstance(error)) return 'invalid'
  if (APICallError.isInstance(error)) {
    const told = familyOfWords(error.responseBody ?? '')
    // A body that speaks of a filter or of overload says more than its status.
    if (told === 'refusal' || (told === 'quota' && (error.statusCode ?? 500) >= 429)) return told
    if (error.statusCode !== undefined && error.statusCode >= 400) return familyOfStatus(error.statusCode)
    return 'transient'
  }
  if (StreamProviderError.isInstance(error)) {
    const told = familyOfWords(`${error.type ?? ''} ${error.code ?? ''}`)
    if (told) return told
    return error.statusCode === undefined ? 'transient' : familyOfStatus(error.statusCode)
  }
  if (!(error instanceof Error)) return 'internal'
  // Half a line of JSON, an empty body and a missing last event are all the marks of a stream that was cut.
  if (
    /^AI_(JSONParse|EmptyResponseBody|NoOutputGenerated|InvalidResponseData|TypeValidation)Error$/.test(
      error.name,
    )
  ) {
    return 'transient'
  }
  if (error.name === 'TimeoutError') return 'transient'
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string' && networkCodes.test(code)) return 'transient'
  if (error instanceof TypeError && cutStream.test(error.message)) return 'transient'
  return error.cause instanceof Error ? classify(error.cause) : 'internal'
}

/** What the guard or the network said, however deep an SDK has wrapped it. */
export function outboundOf(error: unknown): OutboundError | undefined {
  if (error instanceof OutboundError) return error
  return error instanceof Error && error.cause ? outboundOf(error.cause) : undefined
}

function familyOfWords(words: string): ModelFailure | undefined {
  if (/content_filter|content_policy|policy_violation/i.test(words)) return 'refusal'
  if (/overloaded|rate_limit|insufficient_quota|billing/i.test(words)) return 'quota'
  if (/authentication|permission|invalid_api_key/i.test(words)) return 'auth'
  return undefined
}

function waitOf(error: unknown, now: number): { retryAfterMs?: number } {
  if (!APICallError.isInstance(error)) return {}
  const headers = error.responseHeaders ?? {}
  const exact = Number(headers['retry-after-ms'])
  const ms =
    headers['retry-after-ms'] && exact >= 0 ? Math.ceil(exact) : parseRetryAfter(headers['retry-after'], now)
  return ms === undefined ? {} : { retryAfterMs: ms }
}

/** The error without the request that it carries: prompts and keys do not belong into a log. */
function withoutRequest(error: unknown): unknown {
  if (!APICallError.isInstance(error)) return error
  return { name: error.name, url: error.url, statusCode: error.statusCode }
}

function cleaned(error: unknown, secret: string | undefined): string {
  const message = error instanceof Error ? error.message : String(error)
  const safe = secret ? message.replaceAll(secret, '…') : message
  const line = safe.replace(/\s+/g, ' ').trim() || 'no reason given'
  return line.length > LONGEST_DETAIL ? `${line.slice(0, LONGEST_DETAIL)}…` : line
}
