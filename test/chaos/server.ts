import { createServer } from 'node:http'
import { createCopydesk } from '@copydesk/core'

/**
 * A server to be killed: everything it needs is in its environment, everything it knows is in its database. Says `ready`
 * once it answers.
 */
const { CHAOS_DATABASE = '', CHAOS_DATA_DIR = '', CHAOS_PORT = '' } = process.env

const copydesk = await createCopydesk({
  database: CHAOS_DATABASE,
  dataDir: CHAOS_DATA_DIR,
  baseUrl: `http://127.0.0.1:${CHAOS_PORT}`,
  encryptionKeys: [{ id: 'k1', key: Buffer.alloc(32, 7).toString('base64') }],
  signingKeys: [{ id: 's1', secret: 'a test secret that is long enough to sign with' }],
  worker: { concurrency: 4, leaseMs: 1_500 },
  writerPaceMs: 1,
})
await copydesk.migrations.up()
await copydesk.setUp()
const system = copydesk.asSystem()
const password = 'Correct-horse-1'
const [tenant = await system.tenants.create({ name: 'Chaos Ltd' })] = (await system.tenants.list()).data
const known = new Set((await system.users.list()).data.map((user) => user.email))
if (!known.has('admin@chaos.example')) {
  await system.users.create({
    email: 'admin@chaos.example',
    name: 'Ada',
    password,
    role: 'admin',
    tenantId: tenant.id,
  })
}
if (!known.has('reviewer@chaos.example')) {
  await system.users.create({
    email: 'reviewer@chaos.example',
    name: 'Rita',
    password,
    role: 'reviewer',
    tenantIds: [tenant.id],
  })
}
await copydesk.start()
createServer((req, res) => void copydesk.node(req, res)).listen(Number(CHAOS_PORT), '127.0.0.1', () =>
  console.log('ready'),
)
