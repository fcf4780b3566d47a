import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CopydeskOptions, createCopydesk, createLogger } from '@copydesk/core'

/**
 * A server in a process of its own: everything it needs is in its environment, everything it knows is in its database. Says its
 * port when it answers; started by `serving.ts`.
 */
export interface Serving {
  options: Omit<CopydeskOptions, 'log' | 'clock' | 'onUndeclaredError'>
  /** 0 for any free one. */
  port: number
  log: 'info' | 'warn' | 'silent'
}

const { options, port, log } = JSON.parse(process.env['SERVING'] ?? '{}') as Serving
const copydesk = await createCopydesk({ ...options, log: createLogger({ level: log }) })
await copydesk.start()
const server = createServer((req, res) => void copydesk.node(req, res))
server.listen(port, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.once('SIGTERM', () => void copydesk.stop().finally(() => process.exit(0)))
