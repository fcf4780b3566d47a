import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

const VERSION = 'v1'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_ID = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Why a sealed text could not be opened: it is not one of ours (`malformed`), its key is not among the keys given
 * (`unknown_key`), or it was changed, sealed under another key of that id, or sealed for other additional data
 * (`rejected`; the cipher cannot tell these apart).
 */
export type BoxReason = 'malformed' | 'unknown_key' | 'rejected'

export class BoxError extends Error {
  override readonly name = 'BoxError'
  readonly reason: BoxReason

  constructor(reason: BoxReason, message: string) {
    super(message)
    this.reason = reason
  }
}

export interface BoxKey {
  /** Up to 64 letters, digits, `-` and `_`; readable in every text sealed with the key. */
  id: string
  /** 32 bytes from a good random source. */
  key: Uint8Array
}

export interface Encryptor {
  /**
   * Encrypts text with the current key.
   * @param aad what the secret belongs to (owner, table, column); `open` wants the same again
   * @returns `v1.<keyId>.<iv>.<tag>.<ciphertext>`, the last three in base64url
   */
  encrypt(plaintext: string, aad: string): string
  /** Decrypts what `seal` made, under any of the keys. @throws {BoxError} */
  decrypt(sealed: string, aad: string): string
  /** True where the text was sealed with a key other than the current one. @throws {BoxError} if malformed */
  needsRotation(sealed: string): boolean
  /** The id of the key that a text was sealed with. @throws {BoxError} if malformed */
  keyOf(sealed: string): string
  /**
   * Keyed hashes of a text, `<keyId>.<HMAC-SHA256 in hex>`, one for each key, that of the current key first: store the first, look for all.
   * Without the keys no one can find out the text by guessing. Each purpose has keys of its own, derived from the keys (HKDF).
   */
  macs(text: string, purpose: string): [current: string, ...older: string[]]
  /** True where a stored keyed hash is that of the text; false also when its key is gone. */
  matchesMac(mac: string, text: string, purpose: string): boolean
  /** Works with other keys from now on. @throws {TypeError} on keys that cannot be used; the old ones stay */
  replace(keys: EncryptionKeys): void
}

export interface EncryptionKeys {
  /** Every key that may still open something. */
  keys: readonly BoxKey[]
  /** The one that seals. */
  currentId: string
}

/**
 * AES-256-GCM with a key id inside each sealed text, so that keys can be rotated while old texts stay readable.
 * Version and key id are authenticated together with the additional data.
 * @param onUnknown called when a text names a key that is not there; it may `replace` the keys with newer ones
 * @throws {TypeError} on keys that cannot be used; that is a fault of the configuration
 */
export function createEncryptor(options: EncryptionKeys & { onUnknown?: () => void }): Encryptor {
  let ring = createRing(options)
  const mac = (keyId: string, text: string, purpose: string) => {
    const key = Buffer.from(
      hkdfSync('sha256', ring.keys.get(keyId) as KeyObject, '', `copydesk ${purpose}`, 32),
    )
    return `${keyId}.${createHmac('sha256', key).update(text).digest('hex')}`
  }

  return {
    encrypt(plaintext, aad) {
      const { currentId, current } = ring
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', current, iv, { authTagLength: TAG_BYTES })
      cipher.setAAD(bind(currentId, aad))
      const text = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      const parts = [iv, cipher.getAuthTag(), text].map((part) => part.toString('base64url'))
      return [VERSION, currentId, ...parts].join('.')
    },

    decrypt(sealed, aad) {
      const { keyId, iv, tag, text } = parse(sealed)
      if (!ring.keys.has(keyId)) options.onUnknown?.()
      const key = ring.keys.get(keyId)
      if (!key) throw new BoxError('unknown_key', `Sealed with key "${keyId}", which is not configured.`)
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
      decipher.setAAD(bind(keyId, aad))
      decipher.setAuthTag(tag)
      try {
        return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
      } catch {
        const why = 'it was changed, belongs to something else, or its key was replaced under the same id'
        throw new BoxError('rejected', `The sealed text cannot be opened: ${why}.`)
      }
    },

    macs(text, purpose) {
      const older = [...ring.keys.keys()].filter((id) => id !== ring.currentId)
      return [mac(ring.currentId, text, purpose), ...older.map((id) => mac(id, text, purpose))]
    },

    matchesMac(stored, text, purpose) {
      const [keyId = ''] = stored.split('.')
      if (KEY_ID.test(keyId) && !ring.keys.has(keyId)) options.onUnknown?.()
      if (!ring.keys.has(keyId)) return false
      const given = Buffer.from(stored)
      const expected = Buffer.from(mac(keyId, text, purpose))
      return given.length === expected.length && timingSafeEqual(given, expected)
    },

    needsRotation: (sealed) => parse(sealed).keyId !== ring.currentId,
    keyOf: (sealed) => parse(sealed).keyId,
    replace: (keys) => void (ring = createRing(keys)),
  }
}

interface Ring {
  keys: ReadonlyMap<string, KeyObject>
  currentId: string
  current: KeyObject
}

function createRing(options: EncryptionKeys): Ring {
  const keys = new Map<string, KeyObject>()
  for (const { id, key } of options.keys) {
    if (!KEY_ID.test(id)) throw new TypeError(`Key id "${id}" must be 1-64 letters, digits, "-" or "_".`)
    if (keys.has(id)) throw new TypeError(`Key id "${id}" is given twice; give each key its own id.`)
    if (key.byteLength !== KEY_BYTES) {
      throw new TypeError(`Key "${id}" has ${key.byteLength} bytes; AES-256 needs ${KEY_BYTES}.`)
    }
    keys.set(id, createSecretKey(key))
  }
  const { currentId } = options
  const current = keys.get(currentId)
  if (!current) throw new TypeError(`The current key "${currentId}" is not among the keys given.`)
  return { keys, currentId, current }
}

/** Neither the version nor a key id holds a dot, so no two triples give the same bytes. */
function bind(keyId: string, aad: string): Buffer {
  if (aad === '') throw new TypeError('Say what the secret belongs to: the additional data is empty.')
  return Buffer.from(`${VERSION}.${keyId}.${aad}`, 'utf8')
}

function parse(sealed: string): { keyId: string; iv: Buffer; tag: Buffer; text: Buffer } {
  const [version, keyId = '', iv, tag, text, ...rest] = sealed.split('.')
  if (version !== VERSION || !KEY_ID.test(keyId) || text === undefined || rest.length > 0) throw malformed()
  return { keyId, iv: decode(iv, IV_BYTES), tag: decode(tag, TAG_BYTES), text: decode(text) }
}

/** Only the one canonical spelling is taken: Node's decoder skips what it does not know. */
function decode(part = '', size?: number): Buffer {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part || (size !== undefined && bytes.length !== size)) throw malformed()
  return bytes
}

function malformed(): BoxError {
  return new BoxError('malformed', 'Not a sealed text: expected "v1.<keyId>.<iv>.<tag>.<ciphertext>".')
}
