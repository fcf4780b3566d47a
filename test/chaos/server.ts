import { createServer } from 'node:http'
import { createCopydesk } from '@copydesk/core'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { keysOfChaos } from './seed.ts'

/**
 * A server to be killed: everything it needs is in its environment, everything it knows is in its database. Says `ready`
 * once it answers.
 */
const {
  CHAOS_ROLE = 'all',
  CHAOS_DATABASE = '',
  CHAOS_DATA_DIR = '',
  CHAOS_BASE_URL = '',
  CHAOS_PORT = '',
  CHAOS_LOG,
} = process.env

const copydesk = await createCopydesk({
  database: CHAOS_DATABASE,
  dataDir: CHAOS_DATA_DIR,
  baseUrl: CHAOS_BASE_URL,
  ...keysOfChaos,
  // What goes wrong here is meant to.
  ...(!CHAOS_LOG && { log: silentLogger }),
  worker: CHAOS_ROLE === 'web' ? false : { concurrency: 8, leaseMs: 1_500 },
  writerPaceMs: 1,
})
await copydesk.start()
createServer((req, res) => void copydesk.node(req, res)).listen(Number(CHAOS_PORT), '127.0.0.1', () =>
  console.log('ready'),
)
process.once('SIGTERM', () => void copydesk.stop().finally(() => process.exit(0)))
