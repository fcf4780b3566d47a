import { hashSync } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import { createPasswords, createSlots } from '../../packages/core/src/platform/crypto/password.ts'

const passwords = createPasswords()

describe('createPasswords', () => {
  it('hashes with argon2id at 19 MiB, two passes, one lane, and a fresh salt', async () => {
    const [one, two] = await Promise.all([passwords.hashPassword('horse'), passwords.hashPassword('horse')])
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(two).not.toBe(one)
  })

  it('accepts the password and no other', async () => {
    const stored = await passwords.hashPassword('correct horse')
    expect(await passwords.verifyPassword(stored, 'correct horse')).toBe(true)
    expect(await passwords.verifyPassword(stored, 'correct horse ')).toBe(false)
    expect(await passwords.verifyPassword(stored, '')).toBe(false)
  })

  it('accepts the same password from a keyboard that composes letters differently', async () => {
    const stored = await passwords.hashPassword('caf\u00e9')
    expect(await passwords.verifyPassword(stored, 'cafe\u0301')).toBe(true)
  })

  it('refuses where there is no hash, or none that can be read', async () => {
    expect(await passwords.verifyPassword(undefined, 'x')).toBe(false)
    expect(await passwords.verifyPassword('', 'x')).toBe(false)
    expect(await passwords.verifyPassword('$2b$10$abcdefghijklmnopqrstuv', 'x')).toBe(false)
  })

  it('asks for a new hash where the cost has changed', async () => {
    expect(passwords.needsRehash(await passwords.hashPassword('x'))).toBe(false)
    expect(passwords.needsRehash(hashSync('x', { memoryCost: 8192, timeCost: 2, parallelism: 1 }))).toBe(true)
    expect(passwords.needsRehash('broken')).toBe(true)
  })
})

describe('createSlots', () => {
  it('runs at most so many at once, in the order they came, and goes on after a failure', async () => {
    const slots = createSlots(2)
    const started: number[] = []
    const finish: Array<(fail?: boolean) => void> = []
    const runs = [0, 1, 2, 3].map((n) =>
      slots(() => {
        started.push(n)
        return new Promise<number>((resolve, reject) => {
          finish[n] = (fail) => (fail ? reject(new Error('failed')) : resolve(n))
        })
      }),
    )
    expect(started).toEqual([0, 1])
    finish[1]?.(true)
    await expect(runs[1]).rejects.toThrow('failed')
    expect(started).toEqual([0, 1, 2])
    finish[0]?.()
    await runs[0]
    expect(started).toEqual([0, 1, 2, 3])
    finish[2]?.()
    finish[3]?.()
    expect(await Promise.all([runs[2], runs[3]])).toEqual([2, 3])
    expect(await slots(async () => 'free again')).toBe('free again')
  })

  it('refuses a size that would stop everything', () => {
    expect(() => createSlots(0)).toThrow(RangeError)
  })
})
