import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCopydesk } from '../../packages/core/src/index.ts'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { createRedis } from '../../packages/core/src/platform/redis-connection.ts'

/**
 * An installation without Redis, in a process of its own, because modules stay loaded. Prints as JSON whether the client of Redis
 * was loaded by it (`without`), and after one was used (`used`). Argument: the URL of a Redis, if there is one.
 */
const [redisUrl] = process.argv.slice(2)
const isLoaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('@redis'))

const folder = mkdtempSync(join(tmpdir(), 'copydesk-redis-loading-'))
const copydesk = await createCopydesk({
  database: join(folder, 'copydesk.db'),
  dataDir: folder,
  baseUrl: 'http://127.0.0.1:1',
  encryptionKeys: [{ id: 'k1', key: Buffer.alloc(32, 7).toString('base64') }],
  signingKeys: [{ id: 's1', secret: 'a test secret that is long enough to sign with' }],
  log: silentLogger,
  synchronous: 'off',
  worker: false,
})
await copydesk.migrations.up()
await copydesk.setUp()
await copydesk.start()
const { status } = await copydesk.fetch(new Request('http://copydesk.test/health/ready'))
const without = isLoaded()
await copydesk.stop()
rmSync(folder, { recursive: true })

if (redisUrl) {
  const redis = createRedis({ url: redisUrl, log: silentLogger, timeoutMs: 5_000 })
  await redis.start()
  await redis.check()
  await redis.close()
}
console.log(JSON.stringify({ status, without, used: isLoaded() }))
