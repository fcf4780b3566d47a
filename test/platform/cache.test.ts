import { describe, expect, it } from 'vitest'
import { createMemoryCache } from '../../packages/core/src/platform/cache.ts'
import type { Clock } from '../../packages/core/src/platform/clock.ts'

function setup(maxEntries?: number) {
  let now = 1_000
  const clock: Clock = { now: () => now, date: () => new Date(now), after: () => () => {} }
  const cache = createMemoryCache({ clock, ...(maxEntries !== undefined && { maxEntries }) })
  return { cache, pass: (ms: number) => (now += ms) }
}

describe('createMemoryCache', () => {
  it('gives back a value until its time is over', async () => {
    const { cache, pass } = setup()
    await cache.set('a', { x: [1, null, 'y'] }, 100)
    pass(99)
    expect(await cache.get('a')).toEqual({ x: [1, null, 'y'] })
    pass(1)
    expect(await cache.get('a')).toBeUndefined()
  })

  it('tells a missing value from null', async () => {
    const { cache } = setup()
    await cache.set('a', null, 100)
    expect(await cache.get('a')).toBeNull()
    expect(await cache.get('b')).toBeUndefined()
  })

  it('gives a new value a new time', async () => {
    const { cache, pass } = setup()
    await cache.set('a', 1, 100)
    pass(80)
    await cache.set('a', 2, 100)
    pass(80)
    expect(await cache.get('a')).toBe(2)
  })

  it('never shares an object: not with the writer, not between readers, not between keys', async () => {
    const { cache } = setup()
    const value = { list: [1] }
    await cache.set('t1:a', value, 100)
    await cache.set('t2:a', value, 100)
    value.list.push(2)
    const read = await cache.get<typeof value>('t1:a')
    read?.list.push(3)
    expect(await cache.get('t1:a')).toEqual({ list: [1] })
    expect(await cache.get('t2:a')).toEqual({ list: [1] })
  })

  it('drops the entry that was not asked for longest', async () => {
    const { cache } = setup(2)
    await cache.set('a', 1, 100)
    await cache.set('b', 2, 100)
    await cache.get('a')
    await cache.set('c', 3, 100)
    expect(await Promise.all(['a', 'b', 'c'].map((key) => cache.get(key)))).toEqual([1, undefined, 3])
  })

  it('drops nothing when a key is written again', async () => {
    const { cache } = setup(2)
    await cache.set('a', 1, 100)
    await cache.set('b', 2, 100)
    await cache.set('b', 3, 100)
    expect(await cache.get('a')).toBe(1)
  })

  it('forgets what is deleted', async () => {
    const { cache } = setup()
    await cache.set('a', 1, 100)
    await cache.delete('a')
    await cache.delete('never')
    expect(await cache.get('a')).toBeUndefined()
  })

  it('counts within one span of time that later steps do not move', async () => {
    const { cache, pass } = setup()
    expect(await cache.increment('n', 100)).toBe(1)
    pass(60)
    expect(await cache.increment('n', 100, 5)).toBe(6)
    pass(40)
    expect(await cache.increment('n', 100)).toBe(1)
  })

  it('loses no count of callers in parallel', async () => {
    const { cache } = setup()
    await Promise.all(Array.from({ length: 50 }, () => cache.increment('n', 100)))
    expect(await cache.get('n')).toBe(50)
  })

  it('refuses what it cannot keep', async () => {
    const { cache } = setup()
    await cache.set('text', 'x', 100)
    await expect(cache.increment('text', 100)).rejects.toThrow(TypeError)
    await expect(cache.set('a', undefined, 100)).rejects.toThrow(TypeError)
    await expect(cache.set('a', 1, 0)).rejects.toThrow(RangeError)
    await expect(cache.set('a', 1, Number.NaN)).rejects.toThrow(RangeError)
    expect(() => setup(0)).toThrow(RangeError)
  })
})
