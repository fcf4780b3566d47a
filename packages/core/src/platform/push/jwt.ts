import { createPrivateKey, type KeyObject, sign } from 'node:crypto'

/** The algorithms that push services ask for, and the keys that these take. */
const kinds = {
  ES256: { type: 'ec', curve: 'prime256v1', words: 'an EC private key on P-256' },
  RS256: { type: 'rsa', curve: undefined, words: 'an RSA private key' },
} as const
export type JwtAlgorithm = keyof typeof kinds

/**
 * Reads a key in PEM; `\n` may stand for line breaks, as they do in environment variables.
 * @param where named in the error, which holds nothing of the key
 * @throws TypeError when it is none, or not one for the algorithm
 */
export function readKey(pem: string, alg: JwtAlgorithm, where: string): KeyObject {
  const { type, curve, words } = kinds[alg]
  let key: KeyObject | undefined
  try {
    key = createPrivateKey(pem.replaceAll('\\n', '\n'))
  } catch {
    // OpenSSL's reasons quote what it has read.
  }
  const fits = key?.asymmetricKeyType === type && key.asymmetricKeyDetails?.namedCurve === curve
  if (!key || !fits) throw new TypeError(`${where}: must be ${words} in PEM`)
  return key
}

/** A signed JWT. */
export function signJwt(
  key: KeyObject,
  header: { alg: JwtAlgorithm; kid?: string | undefined },
  claims: Record<string, unknown>,
): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ typ: 'JWT', ...header })}.${part(claims)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}
