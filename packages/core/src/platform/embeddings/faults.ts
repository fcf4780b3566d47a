import { APICallError, InvalidResponseDataError, TypeValidationError } from 'ai'
import { outboundOf, toModelError } from '../models/failures.ts'
import type { ModelFailure } from '../models/port.ts'
import { type EmbeddingFailure, EmbeddingFault } from './port.ts'

/**
 * Sorts whatever the SDK, the network or the outbound guard threw.
 * @param error anything; an `EmbeddingFault` comes back as it is
 * @param about the provider's name for the message, the instant in milliseconds that dates are measured from, and a
 *   secret that must not be repeated
 */
export function toEmbeddingFault(
  error: unknown,
  about: { provider: string; now: number; secret?: string },
): EmbeddingFault {
  if (error instanceof EmbeddingFault) return error
  if (InvalidResponseDataError.isInstance(error))
    return new EmbeddingFault(
      'dimensions',
      `Provider ${about.provider} answered with another number of vectors than of texts: ${error.message}`,
    )
  if (isOtherAnswer(error))
    return new EmbeddingFault(
      'dimensions',
      `Provider ${about.provider} did not answer with vectors as lists of numbers`,
    )
  const found = toModelError(error, about)
  const { message, family, retryAfterMs } = found
  const reason = family === 'invalid' && isMissing(error) ? 'missing' : reasons[family]
  return new EmbeddingFault(reason, message, { retryAfterMs, cause: found })
}

const reasons: Record<ModelFailure, EmbeddingFailure> = {
  auth: 'auth',
  quota: 'quota',
  transient: 'transient',
  refusal: 'input',
  invalid: 'input',
  internal: 'transient',
}

/** Whole JSON of another form; JSON that was cut off may come whole the next time. */
function isOtherAnswer(error: unknown): boolean {
  return APICallError.isInstance(error) && TypeValidationError.isInstance(error.cause)
}

/** No such model, no such path, or an address that must not be called: other texts would not help. */
function isMissing(error: unknown): boolean {
  return (APICallError.isInstance(error) && error.statusCode === 404) || outboundOf(error) !== undefined
}
