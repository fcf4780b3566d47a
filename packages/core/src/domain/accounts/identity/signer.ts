import { createSecretKey, type webcrypto } from 'node:crypto'
import { CompactSign, compactVerify } from 'jose'

export interface SigningKey {
  /** Travels in each token as `kid`, so that keys can be exchanged while older tokens still live. */
  id: string
  /** At least 32 bytes. */
  secret: string
}

/** Compact JSON web signatures by jose, HS256 and nothing else. */
export interface Signer {
  /** Signs a claims object with the first key. */
  sign(payload: object): Promise<string>
  /** The claims object of a token of ours; undefined for anything else, whatever is wrong with it. */
  open(token: string): Promise<Record<string, unknown> | undefined>
  /** Works with other keys from now on. @throws {TypeError} on keys that cannot be used; the old ones stay */
  replace(keys: readonly SigningKey[]): void
}

const algorithm = 'HS256'
const hmac = { name: 'HMAC', hash: 'SHA-256' }
const minSecretBytes = 32
const maxTokenLength = 8192
const base64url = /^[A-Za-z0-9_-]+$/
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * @param keys the first one signs, all of them verify
 * @param onUnknown called when a token names a key that is not there; it may `replace` the keys with newer ones
 * @throws {TypeError} on keys that cannot be used; that is a fault of the configuration
 */
export function createSigner(keys: readonly SigningKey[], onUnknown?: () => void): Signer {
  let ring = createRing(keys)

  const keyFor = (header: string): webcrypto.CryptoKey | undefined => {
    const read = decode(header)
    // A `crit` header asks for rules that are not known here; its token must be refused.
    if (!read || read['alg'] !== algorithm || 'crit' in read || typeof read['kid'] !== 'string')
      return undefined
    if (!ring.known.has(read['kid'])) onUnknown?.()
    return ring.known.get(read['kid'])
  }

  return {
    sign(payload) {
      const { id, key } = ring.first
      return new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
        .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: id })
        .sign(key)
    },
    async open(token) {
      const parts = partsOf(token)
      const key = parts && keyFor(parts.header)
      if (!key) return undefined
      try {
        await compactVerify(token, key, { algorithms: [algorithm] })
      } catch {
        // Whatever is wrong with it, it is no token of ours.
        return undefined
      }
      return decode(parts.payload)
    },
    replace: (newKeys) => void (ring = createRing(newKeys)),
  }
}

/** What jose takes though it is no spelling that we write: more than one spelling of a token, and tokens without an end. */
function partsOf(token: string): { header: string; payload: string } | undefined {
  if (token.length > maxTokenLength) return undefined
  const parts = token.split('.')
  const [header = '', payload = ''] = parts
  return parts.length === 3 && parts.every(canonical) ? { header, payload } : undefined
}

interface Ring {
  known: ReadonlyMap<string, webcrypto.CryptoKey>
  first: { id: string; key: webcrypto.CryptoKey }
}

function createRing(keys: readonly SigningKey[]): Ring {
  const known = new Map<string, webcrypto.CryptoKey>()
  for (const { id, secret } of keys) {
    if (id === '' || known.has(id)) throw new TypeError(`Signing key id "${id}" is empty or given twice.`)
    const bytes = Buffer.from(secret, 'utf8')
    if (bytes.length < minSecretBytes) {
      throw new TypeError(
        `Signing key "${id}" has ${bytes.length} bytes; HS256 needs ${minSecretBytes} or more.`,
      )
    }
    // Of any other kind of key jose makes one of this kind for each token, which takes as long as the signature.
    known.set(id, createSecretKey(bytes).toCryptoKey(hmac, false, ['sign', 'verify']))
  }
  const [first] = known
  if (!first) throw new TypeError('No signing key is given; tokens cannot be made.')
  return { known, first: { id: first[0], key: first[1] } }
}

/**
 * True for the one base64url spelling of some bytes: Node's decoder skips padding, white space and the other alphabet,
 * and ignores bits left over in the last character, so that one token would have many spellings.
 */
function canonical(part: string): boolean {
  const rest = part.length % 4
  if (rest === 1 || !base64url.test(part)) return false
  if (rest === 0) return true
  const spareBits = rest === 2 ? 0b1111 : 0b11
  return (alphabet.indexOf(part.charAt(part.length - 1)) & spareBits) === 0
}

/**
 * The JSON object in a canonical part; undefined for broken UTF-8, broken JSON, values that are no object, and JSON that
 * `sign` would write otherwise: with a key given twice, readers differ on which of the two counts.
 */
function decode(part: string): Record<string, unknown> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(part, 'base64url'),
    )
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return JSON.stringify(value) === text ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
