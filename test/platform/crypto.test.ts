import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BoxError, createBox } from '../../packages/core/src/platform/crypto/box.ts'
import { equalText, randomToken, sha256Hex } from '../../packages/core/src/platform/crypto/hash.ts'

const a = { id: '2026-01', key: randomBytes(32) }
const b = { id: '2026-02', key: randomBytes(32) }
const box = createBox({ keys: [a], currentId: a.id })

function reasonOf(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    if (error instanceof BoxError) return error.reason
    throw error
  }
  return 'opened'
}

describe('the keyed hashes of a box', () => {
  it('are those of one text, one purpose and one key', () => {
    const mac = box.macs('text', 'one')[0]
    expect(mac).toMatch(/^2026-01\.[\da-f]{64}$/)
    expect(box.matchesMac(mac, 'text', 'one')).toBe(true)
    expect(box.matchesMac(mac, 'texts', 'one')).toBe(false)
    expect(box.matchesMac(mac, 'text', 'two')).toBe(false)
    const sameName = createBox({ keys: [{ ...b, id: a.id }], currentId: a.id })
    expect(sameName.matchesMac(mac, 'text', 'one')).toBe(false)
    expect(mac).not.toContain(sha256Hex('text'))
  })

  it('stay good as long as their key is there, and name the current key first', () => {
    const mac = box.macs('text', 'one')[0]
    const rotated = createBox({ keys: [b, a], currentId: b.id })
    expect(rotated.matchesMac(mac, 'text', 'one')).toBe(true)
    expect(rotated.macs('text', 'one').map((one) => one.split('.')[0])).toEqual([b.id, a.id])
    expect(rotated.macs('text', 'one')[1]).toBe(mac)
    const retired = createBox({ keys: [b], currentId: b.id })
    for (const stored of [mac, '', '.', 'no.hash'])
      expect(retired.matchesMac(stored, 'text', 'one')).toBe(false)
  })

  it('ask for newer keys when one is unknown', () => {
    const newer = createBox({ keys: [b], currentId: b.id })
    const behind = createBox({
      keys: [a],
      currentId: a.id,
      onUnknown: () => behind.replace({ keys: [b, a], currentId: b.id }),
    })
    expect(behind.matchesMac(newer.macs('text', 'one')[0], 'text', 'one')).toBe(true)
  })
})

describe('createBox', () => {
  it('opens what it sealed, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ minLength: 1, unit: 'grapheme' }),
        (text, aad) => {
          expect(box.open(box.seal(text, aad), aad)).toBe(text)
        },
      ),
    )
  })

  it('says version and key in a fixed form, and never seals alike twice', () => {
    const sealed = box.seal('secret', 't1')
    expect(sealed).toMatch(/^v1\.2026-01\.[\w-]{16}\.[\w-]{22}\.[\w-]{8}$/)
    expect(box.seal('secret', 't1')).not.toBe(sealed)
  })

  it('refuses other additional data', () => {
    expect(reasonOf(() => box.open(box.seal('secret', 'tenant-1'), 'tenant-2'))).toBe('rejected')
  })

  it('refuses a text in which any character was changed', () => {
    const sealed = box.seal('a secret of some length', 't1')
    for (let at = 0; at < sealed.length; at += 1) {
      const swap = sealed[at] === 'A' ? 'B' : 'A'
      const changed = sealed.slice(0, at) + swap + sealed.slice(at + 1)
      expect(
        reasonOf(() => box.open(changed, 't1')),
        changed,
      ).not.toBe('opened')
    }
  })

  it('refuses another key under the same id', () => {
    const other = createBox({ keys: [{ id: a.id, key: b.key }], currentId: a.id })
    expect(reasonOf(() => other.open(box.seal('x', 't1'), 't1'))).toBe('rejected')
  })

  it('refuses a text whose key id was swapped for another key with the same bytes', () => {
    const twins = createBox({ keys: [a, { id: 'twin', key: a.key }], currentId: a.id })
    const moved = twins.seal('x', 't1').replace('2026-01', 'twin')
    expect(reasonOf(() => twins.open(moved, 't1'))).toBe('rejected')
  })

  it('names a key that is not there', () => {
    const other = createBox({ keys: [b], currentId: b.id })
    expect(reasonOf(() => other.open(box.seal('x', 't1'), 't1'))).toBe('unknown_key')
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
  ])('calls %j malformed', (sealed) => {
    expect(reasonOf(() => box.open(sealed, 't1'))).toBe('malformed')
    expect(reasonOf(() => box.needsRotation(sealed))).toBe('malformed')
  })

  it('rotates: old texts open, new ones use the current key', () => {
    const old = box.seal('x', 't1')
    const rotated = createBox({ keys: [a, b], currentId: b.id })
    expect(rotated.needsRotation(old)).toBe(true)
    expect(box.needsRotation(old)).toBe(false)
    const fresh = rotated.seal(rotated.open(old, 't1'), 't1')
    expect(rotated.needsRotation(fresh)).toBe(false)
    expect(createBox({ keys: [b], currentId: b.id }).open(fresh, 't1')).toBe('x')
  })

  it('keeps its own copy of a key', () => {
    const key = randomBytes(32)
    const own = createBox({ keys: [{ id: 'k', key }], currentId: 'k' })
    const sealed = own.seal('x', 't1')
    key.fill(0)
    expect(own.open(sealed, 't1')).toBe('x')
  })

  it('insists on an owner', () => {
    expect(() => box.seal('x', '')).toThrow(/additional data/)
  })

  it.each([
    [[{ id: 'k', key: randomBytes(16) }], 'k', /16 bytes/],
    [[{ id: 'a.b', key: a.key }], 'a.b', /letters, digits/],
    [[a, a], a.id, /twice/],
    [[a], 'other', /not among/],
  ])('refuses keys that cannot work', (keys, currentId, message) => {
    expect(() => createBox({ keys, currentId })).toThrow(message)
  })
})

describe('sha256Hex', () => {
  it('gives the standard digest of text and bytes', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    expect(sha256Hex('abc')).toBe(abc)
    expect(sha256Hex(Buffer.from('abc'))).toBe(abc)
  })
})

describe('equalText', () => {
  it('is equality, for any lengths', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (x, y) => equalText(x, y) === (x === y) && equalText(x, x)),
    )
    expect(equalText('', 'a')).toBe(false)
  })
})

describe('randomToken', () => {
  it('carries the bytes asked for, in base64url, and does not repeat', () => {
    expect(randomToken()).toMatch(/^[\w-]{43}$/)
    expect(Buffer.from(randomToken(16), 'base64url')).toHaveLength(16)
    expect(new Set(Array.from({ length: 1000 }, () => randomToken(16))).size).toBe(1000)
  })
})
