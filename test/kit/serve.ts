import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CopydeskOptions, createCopydesk, createLogger } from '@copydesk/core'

/** A server in a process of its own: its options come in `SERVE_OPTIONS`; it says its port when it answers. */
const options = JSON.parse(process.env['SERVE_OPTIONS'] ?? '{}') as CopydeskOptions
const copydesk = await createCopydesk({ ...options, log: createLogger({ level: 'warn' }) })
await copydesk.start()
const server = createServer((req, res) => void copydesk.node(req, res))
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
