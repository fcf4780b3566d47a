import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { createTestApp } from '../kit/app.ts'
import { openRedisSpace, redisUrl } from '../kit/redis.ts'

const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('@redis'))

describe('createRedis', () => {
  it('loads its client only where it is used', async () => {
    await using app = await createTestApp()
    expect((await app.fetch('/health/ready')).status).toBe(200)
    expect(loaded()).toBe(false)
    if (!redisUrl) return
    await using space = await openRedisSpace()
    await space.redis.check()
    expect(loaded()).toBe(true)
  })
})
