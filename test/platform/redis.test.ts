import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { start } from '../cli/process.ts'
import { redisUrl } from '../kit/redis.ts'

const program = fileURLToPath(new URL('./redis-loading.ts', import.meta.url))

describe('createRedis', () => {
  it('loads its client only when it is used', async () => {
    const args = ['--conditions=@copydesk/source', program, redisUrl]
    const { code, stdout } = await start(process.execPath, args, { cwd: '/' }).ended
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ status: 200, without: false, used: redisUrl !== '' })
  })
})
