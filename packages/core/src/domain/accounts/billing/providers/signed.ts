import { createHmac } from 'node:crypto'
import { invalid } from '../../../../kernel/errors.ts'
import { equalText } from '../../../../platform/crypto/hash.ts'

/**
 * True when one of the given signatures is the hex HMAC-SHA256 of the bytes with one of the secrets. All are compared, so that the time
 * does not tell which one it was.
 */
export function isSigned(
  bytes: Uint8Array,
  { secrets, given }: { secrets: readonly string[]; given: readonly string[] },
): boolean {
  const own = secrets.map((secret) => createHmac('sha256', secret).update(bytes).digest('hex'))
  return own.flatMap((one) => given.map((other) => equalText(one, other))).includes(true)
}

/** @throws DomainError `VALIDATION_ERROR` on `body` */
export function parseEventBody(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw invalid('body', 'Must be JSON in UTF-8')
  }
}
