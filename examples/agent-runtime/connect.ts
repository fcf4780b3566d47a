/**
 * Points agents of a tenant at a runtime, with the library: on the database and with the keys of the data folder, also
 * while the server runs. Environment: `SECRET`; and `WEBHOOK_URL`, `COPYDESK_DATA_DIR` and `COPYDESK_DATABASE_URL`, where
 * they are not as `copydesk up` and the example have them.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CopydeskOptions, createCopydesk } from '@copydesk/core'

const { SECRET, WEBHOOK_URL = 'http://127.0.0.1:8430/', COPYDESK_DATA_DIR = 'copydesk-data' } = process.env
const { COPYDESK_DATABASE_URL = join(COPYDESK_DATA_DIR, 'copydesk.db') } = process.env
const [tenantId, ...roles] = process.argv.slice(2)
if (!SECRET || !tenantId || roles.length === 0) {
  console.error('Usage: SECRET=… node examples/agent-runtime/connect.ts <tenant id> <role>…')
  process.exit(2)
}

type Keys = Pick<CopydeskOptions, 'encryptionKeys' | 'signingKeys'>
const keys = JSON.parse(readFileSync(join(COPYDESK_DATA_DIR, 'secrets.json'), 'utf8')) as Keys
const copydesk = await createCopydesk({
  ...keys,
  database: COPYDESK_DATABASE_URL,
  dataDir: COPYDESK_DATA_DIR,
  baseUrl: 'http://127.0.0.1:8420',
  worker: false,
})
try {
  const { agents } = copydesk.asSystem({ tenantId })
  for (const role of roles) {
    await agents.configure(role, {
      adapterType: 'adapter_b',
      adapterConfig: { webhookUrl: WEBHOOK_URL, authHeader: 'x-runtime-key', authValue: SECRET },
    })
    console.log(`${role} works at ${WEBHOOK_URL} from its next run on.`)
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  await copydesk.stop()
}
