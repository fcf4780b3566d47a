import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** SHA-256 of text (as UTF-8) or bytes, in lower-case hex. */
export function sha256Hex(input: string | Uint8Array): string {
  return hash('sha256', input)
}

/**
 * Compares two strings in a time that tells nothing about where they differ or how long the expected one is.
 * Both are hashed first, since the comparison itself needs equal lengths.
 */
export function equalText(a: string, b: string): boolean {
  const left = createHash('sha256').update(a).digest()
  const right = createHash('sha256').update(b).digest()
  return timingSafeEqual(left, right)
}

/** An unguessable token: `bytes` random bytes (default 32, i.e. 256 bits) in base64url. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url')
}
