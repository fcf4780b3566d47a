import { hashSync } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import { createPasswords } from '../../packages/core/src/platform/crypto/password.ts'
import { createSlots } from '../../packages/core/src/platform/crypto/slots.ts'

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

  it('accepts the same password in another Unicode normalization', async () => {
    const stored = await passwords.hashPassword('caf\u00e9')
    expect(await passwords.verifyPassword(stored, 'cafe\u0301')).toBe(true)
  })

  it('rejects a missing and an invalid hash', async () => {
    expect(await passwords.verifyPassword(undefined, 'x')).toBe(false)
    expect(await passwords.verifyPassword('', 'x')).toBe(false)
    expect(await passwords.verifyPassword('$2b$10$abcdefghijklmnopqrstuv', 'x')).toBe(false)
  })

  it('requests a new hash when the cost has changed', async () => {
    expect(await passwords.needsRehash(await passwords.hashPassword('x'))).toBe(false)
    expect(
      await passwords.needsRehash(hashSync('x', { memoryCost: 8192, timeCost: 2, parallelism: 1 })),
    ).toBe(true)
    expect(await passwords.needsRehash('broken')).toBe(true)
  })
})

describe('the queues of the password hasher', () => {
  /** A hasher that finishes nothing until the test allows it. */
  function heldPasswords(maxWaiting: number) {
    const started: string[] = []
    const finish: Array<() => void> = []
    const held = (text: string) => {
      started.push(text)
      return new Promise<void>((resolve) => finish.push(resolve))
    }
    const passwords = createPasswords({
      maxConcurrent: 2,
      maxWaiting,
      refuse: () => new Error('too many'),
      hasher: {
        hash: async (text) => held(text).then(() => text),
        verify: async (_stored, text) => held(text).then(() => true),
      },
    })
    return { passwords, started, next: () => finish.shift()?.() }
  }

  it('reject at once when a queue is full, and do not affect the other queues', async () => {
    const { passwords, started, next } = heldPasswords(3)
    const logins = Array.from({ length: 6 }, (_, n) => passwords.verifyPassword(undefined, `login ${n}`))
    await expect(logins[5]).rejects.toThrow('too many')
    const reset = passwords.hashPassword('reset')
    expect(started).toEqual(['login 0', 'login 1'])
    const served = [...logins.slice(0, 5), reset]
    for (let i = 0; i < served.length; i += 1) {
      next()
      await new Promise(setImmediate)
    }
    await Promise.all(served)
    expect(started).toHaveLength(6)
    expect(await Promise.race([passwords.hashPassword('later'), Promise.resolve('waits')])).toBe('waits')
    next()
  })

  it('take turns, so that many logins delay a reset by one turn', async () => {
    const { passwords, started, next } = heldPasswords(50)
    const waiting = [
      ...Array.from({ length: 6 }, (_, n) => passwords.verifyPassword(undefined, `login ${n}`)),
      ...Array.from({ length: 2 }, (_, n) => passwords.hashPassword(`registration ${n}`, 'registration')),
      ...Array.from({ length: 2 }, (_, n) => passwords.hashPassword(`reset ${n}`)),
    ]
    for (let i = 0; i < waiting.length; i += 1) {
      next()
      await new Promise(setImmediate)
    }
    await Promise.all(waiting)
    expect(started).toEqual([
      'login 0',
      'login 1',
      'login 2',
      'registration 0',
      'reset 0',
      'login 3',
      'registration 1',
      'reset 1',
      'login 4',
      'login 5',
    ])
  })
})

describe('createSlots', () => {
  const open = (size: number) => createSlots<'one'>({ size, maxWaiting: 10, refuse: () => new Error('full') })

  it('run a limited number at once, in order, and continue after a failure', async () => {
    const slots = open(2)
    const started: number[] = []
    const finish: Array<(fail?: boolean) => void> = []
    const runs = [0, 1, 2, 3].map((n) =>
      slots('one', () => {
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
    expect(await slots('one', async () => 'free again')).toBe('free again')
  })

  it('rejects a size of zero', () => {
    expect(() => open(0)).toThrow(RangeError)
  })
})
