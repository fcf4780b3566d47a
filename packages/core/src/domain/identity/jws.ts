import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'

export interface SigningKey {
  /** Travels in each token as `kid`, so that keys can be exchanged while older tokens still live. */
  id: string
  /** At least 32 bytes. */
  secret: string
}

/** Compact JSON web signatures, HS256 and nothing else. */
export interface Signer {
  /** Signs a claims object with the first key. */
  sign(payload: object): string
  /** The claims object of a token of ours; undefined for anything else, whatever is wrong with it. */
  open(token: string): Record<string, unknown> | undefined
  /** Works with other keys from now on. @throws {TypeError} on keys that cannot be used; the old ones stay */
  replace(keys: readonly SigningKey[]): void
}

const MIN_SECRET_BYTES = 32
const MAX_TOKEN_LENGTH = 8192
const SIGNATURE_LENGTH = 43
const PART = /^[A-Za-z0-9_-]+$/
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * @param keys the first one signs, all of them verify
 * @param onUnknown called when a token names a key that is not there; it may `replace` the keys with newer ones
 * @throws {TypeError} on keys that cannot be used; that is a fault of the configuration
 */
export function createSigner(keys: readonly SigningKey[], onUnknown?: () => void): Signer {
  let ring = createRing(keys)

  const keyFor = (header: string): KeyObject | undefined => {
    if (header === ring.ownHeader) return ring.first
    const said = decode(header)
    // A `crit` header asks for rules that are not known here; its token must be refused.
    if (!said || said['alg'] !== 'HS256' || 'crit' in said || typeof said['kid'] !== 'string')
      return undefined
    if (!ring.known.has(said['kid'])) onUnknown?.()
    return ring.known.get(said['kid'])
  }

  return {
    sign(payload) {
      const { ownHeader, first } = ring
      const text = `${ownHeader}.${encode(payload)}`
      return `${text}.${createHmac('sha256', first).update(text).digest('base64url')}`
    },
    open(token) {
      if (token.length > MAX_TOKEN_LENGTH) return undefined
      const afterHeader = token.indexOf('.')
      const afterPayload = token.indexOf('.', afterHeader + 1)
      if (afterHeader < 1 || afterPayload < 0) return undefined
      const header = token.slice(0, afterHeader)
      const payload = token.slice(afterHeader + 1, afterPayload)
      const signature = token.slice(afterPayload + 1)
      if (signature.length !== SIGNATURE_LENGTH) return undefined
      if (!canonical(header) || !canonical(payload) || !canonical(signature)) return undefined
      const key = keyFor(header)
      if (!key) return undefined
      const expected = createHmac('sha256', key).update(token.slice(0, afterPayload)).digest()
      return timingSafeEqual(expected, Buffer.from(signature, 'base64url')) ? decode(payload) : undefined
    },
    replace: (newKeys) => void (ring = createRing(newKeys)),
  }
}

interface Ring {
  known: ReadonlyMap<string, KeyObject>
  first: KeyObject
  /** The header of what is signed with the first key, encoded. */
  ownHeader: string
}

function createRing(keys: readonly SigningKey[]): Ring {
  const known = new Map<string, KeyObject>()
  for (const { id, secret } of keys) {
    if (id === '' || known.has(id)) throw new TypeError(`Signing key id "${id}" is empty or given twice.`)
    const bytes = Buffer.from(secret, 'utf8')
    if (bytes.length < MIN_SECRET_BYTES) {
      throw new TypeError(
        `Signing key "${id}" has ${bytes.length} bytes; HS256 needs ${MIN_SECRET_BYTES} or more.`,
      )
    }
    // Node derives an HMAC from a KeyObject several times faster than from a Buffer.
    known.set(id, createSecretKey(bytes))
  }
  const [first] = known
  if (!first) throw new TypeError('No signing key is given; tokens cannot be made.')
  const [firstId, firstKey] = first
  return { known, first: firstKey, ownHeader: encode({ alg: 'HS256', typ: 'JWT', kid: firstId }) }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64url')
}

/**
 * True for the one base64url spelling of some bytes: Node's decoder skips padding, white space and the other alphabet,
 * and ignores bits left over in the last character, so that one token would have many spellings.
 */
function canonical(part: string): boolean {
  const rest = part.length % 4
  if (rest === 1 || !PART.test(part)) return false
  if (rest === 0) return true
  const spareBits = rest === 2 ? 0b1111 : 0b11
  return (ALPHABET.indexOf(part.charAt(part.length - 1)) & spareBits) === 0
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
