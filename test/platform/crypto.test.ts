import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BoxError, createEncryptor } from '../../packages/core/src/platform/crypto/encryptor.ts'
import { equalText, randomToken, sha256Hex } from '../../packages/core/src/platform/crypto/hash.ts'

const a = { id: '2026-01', key: randomBytes(32) }
const b = { id: '2026-02', key: randomBytes(32) }
const encryptor = createEncryptor({ keys: [a], currentId: a.id })

function reasonOf(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    if (error instanceof BoxError) return error.reason
    throw error
  }
  return 'opened'
}

describe('the keyed hashes of an encryptor', () => {
  it('depend on text, purpose and key', () => {
    const mac = encryptor.macs('text', 'one')[0]
    expect(mac).toMatch(/^2026-01\.[\da-f]{64}$/)
    expect(encryptor.matchesMac(mac, 'text', 'one')).toBe(true)
    expect(encryptor.matchesMac(mac, 'texts', 'one')).toBe(false)
    expect(encryptor.matchesMac(mac, 'text', 'two')).toBe(false)
    const sameName = createEncryptor({ keys: [{ ...b, id: a.id }], currentId: a.id })
    expect(sameName.matchesMac(mac, 'text', 'one')).toBe(false)
    expect(mac).not.toContain(sha256Hex('text'))
  })

  it('stay valid while their key exists, and list the current key first', () => {
    const mac = encryptor.macs('text', 'one')[0]
    const rotated = createEncryptor({ keys: [b, a], currentId: b.id })
    expect(rotated.matchesMac(mac, 'text', 'one')).toBe(true)
    expect(rotated.macs('text', 'one').map((one) => one.split('.')[0])).toEqual([b.id, a.id])
    expect(rotated.macs('text', 'one')[1]).toBe(mac)
    const retired = createEncryptor({ keys: [b], currentId: b.id })
    for (const stored of [mac, '', '.', 'no.hash'])
      expect(retired.matchesMac(stored, 'text', 'one')).toBe(false)
  })

  it('reload the keys when one is unknown', () => {
    const newer = createEncryptor({ keys: [b], currentId: b.id })
    const behind = createEncryptor({
      keys: [a],
      currentId: a.id,
      onUnknown: () => behind.replace({ keys: [b, a], currentId: b.id }),
    })
    expect(behind.matchesMac(newer.macs('text', 'one')[0], 'text', 'one')).toBe(true)
  })
})

describe('createBox', () => {
  it('decrypts what it encrypted, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ minLength: 1, unit: 'grapheme' }),
        (text, aad) => {
          expect(encryptor.decrypt(encryptor.encrypt(text, aad), aad)).toBe(text)
        },
      ),
    )
  })

  it('contains version and key id in a fixed format, and differs each time', () => {
    const sealed = encryptor.encrypt('secret', 't1')
    expect(sealed).toMatch(/^v1\.2026-01\.[\w-]{16}\.[\w-]{22}\.[\w-]{8}$/)
    expect(encryptor.encrypt('secret', 't1')).not.toBe(sealed)
  })

  it('rejects other additional data', () => {
    expect(reasonOf(() => encryptor.decrypt(encryptor.encrypt('secret', 'tenant-1'), 'tenant-2'))).toBe(
      'rejected',
    )
  })

  it('rejects a text in which any character was changed', () => {
    const sealed = encryptor.encrypt('a secret of some length', 't1')
    for (let at = 0; at < sealed.length; at += 1) {
      const swap = sealed[at] === 'A' ? 'B' : 'A'
      const changed = sealed.slice(0, at) + swap + sealed.slice(at + 1)
      expect(
        reasonOf(() => encryptor.decrypt(changed, 't1')),
        changed,
      ).not.toBe('opened')
    }
  })

  it('rejects another key with the same id', () => {
    const other = createEncryptor({ keys: [{ id: a.id, key: b.key }], currentId: a.id })
    expect(reasonOf(() => other.decrypt(encryptor.encrypt('x', 't1'), 't1'))).toBe('rejected')
  })

  it('rejects a text whose key id was replaced by another id with the same key', () => {
    const twins = createEncryptor({ keys: [a, { id: 'twin', key: a.key }], currentId: a.id })
    const moved = twins.encrypt('x', 't1').replace('2026-01', 'twin')
    expect(reasonOf(() => twins.decrypt(moved, 't1'))).toBe('rejected')
  })

  it('names a missing key', () => {
    const other = createEncryptor({ keys: [b], currentId: b.id })
    expect(reasonOf(() => other.decrypt(encryptor.encrypt('x', 't1'), 't1'))).toBe('unknown_key')
  })

  it.each([
    '',
    'secret',
    'v1',
    'v2.2026-01.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.',
    'v1.2026-01.AAAAAAAAAAAAAAAA.AAAA.AAAA',
    'v1.2026-01.AAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA',
    'v1.2026-01.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA',
    'v1.2026-01.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AA==',
    'v1.2026-01.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA.AAAA',
    'v1.20 26.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA',
  ])('reports %j as malformed', (sealed) => {
    expect(reasonOf(() => encryptor.decrypt(sealed, 't1'))).toBe('malformed')
    expect(reasonOf(() => encryptor.needsRotation(sealed))).toBe('malformed')
  })

  it('decrypts old texts and encrypts with the current key after a rotation', () => {
    const old = encryptor.encrypt('x', 't1')
    const rotated = createEncryptor({ keys: [a, b], currentId: b.id })
    expect(rotated.needsRotation(old)).toBe(true)
    expect(encryptor.needsRotation(old)).toBe(false)
    const fresh = rotated.encrypt(rotated.decrypt(old, 't1'), 't1')
    expect(rotated.needsRotation(fresh)).toBe(false)
    expect(createEncryptor({ keys: [b], currentId: b.id }).decrypt(fresh, 't1')).toBe('x')
  })

  it('copies a key', () => {
    const key = randomBytes(32)
    const own = createEncryptor({ keys: [{ id: 'k', key }], currentId: 'k' })
    const sealed = own.encrypt('x', 't1')
    key.fill(0)
    expect(own.decrypt(sealed, 't1')).toBe('x')
  })

  it('requires an owner', () => {
    expect(() => encryptor.encrypt('x', '')).toThrow(/additional data/)
  })

  it.each([
    [[{ id: 'k', key: randomBytes(16) }], 'k', /16 bytes/],
    [[{ id: 'a.b', key: a.key }], 'a.b', /letters, digits/],
    [[a, a], a.id, /twice/],
    [[a], 'other', /not among/],
  ])('rejects invalid keys', (keys, currentId, message) => {
    expect(() => createEncryptor({ keys, currentId })).toThrow(message)
  })
})

describe('sha256Hex', () => {
  it('returns the standard digest of text and bytes', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    expect(sha256Hex('abc')).toBe(abc)
    expect(sha256Hex(Buffer.from('abc'))).toBe(abc)
  })
})

describe('equalText', () => {
  it('compares texts of any lengths', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (x, y) => equalText(x, y) === (x === y) && equalText(x, x)),
    )
    expect(equalText('', 'a')).toBe(false)
  })
})

describe('randomToken', () => {
  it('has the requested number of bytes, in base64url, and is unique', () => {
    expect(randomToken()).toMatch(/^[\w-]{43}$/)
    expect(Buffer.from(randomToken(16), 'base64url')).toHaveLength(16)
    expect(new Set(Array.from({ length: 1000 }, () => randomToken(16))).size).toBe(1000)
  })
})
