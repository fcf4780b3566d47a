import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@copydesk/client'
import { type Copydesk, type CopydeskOptions, createCopydesk } from '@copydesk/core'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { BUILTIN_WRITER } from '../../packages/core/src/platform/models/builtin.ts'
import { encryptionKeys, password, signingKeys } from '../kit/app.ts'
import { pricedModel } from '../kit/runtime.ts'
import type { Installation } from './fleet.ts'

const commandFile = fileURLToPath(new URL('command.ts', import.meta.url))

/** What every server of an installation is given beside its database. */
export const keysOfChaos = {
  encryptionKeys,
  signingKeys,
  allowHosts: ['127.0.0.1'],
  // Never asked: it is there for its model's price. The built-in writer is the default.
  providers: [
    { id: 'hosted', type: 'hosted_a', apiKey: 'none', baseUrl: 'http://127.0.0.1:1', models: [pricedModel] },
  ],
  defaultModel: BUILTIN_WRITER,
  commands: { writer: { argv: [process.execPath, commandFile], output: 'json-lines', version: [] } },
} satisfies Partial<CopydeskOptions>

/** A tenant as its people log in. */
export interface SeededTenant {
  tenantId: string
  adminId: string
  admin: string
  reviewer: string
}

/** Calls as the admin of a tenant. */
export const adminOfTenant = (copydesk: Copydesk, { adminId, tenantId }: SeededTenant) =>
  copydesk.as({ id: adminId, type: 'human', role: 'admin', tenantId, appAccess: ['dashboard'] })

/** Fills an empty installation with tenants, before any server of it runs; `prepare` may do more. */
export async function seedTenants(
  { database, dataDir, baseUrl, more = {} }: Installation,
  count: number,
  prepare: (copydesk: Copydesk, tenant: SeededTenant, index: number) => Promise<void> = async () => undefined,
): Promise<SeededTenant[]> {
  const copydesk = await createCopydesk({
    database,
    dataDir,
    baseUrl,
    ...keysOfChaos,
    ...more,
    log: silentLogger,
    worker: false,
  })
  try {
    await copydesk.migrations.up()
    await copydesk.setUp()
    const system = copydesk.asSystem()
    const tenants: SeededTenant[] = []
    for (let index = 0; index < count; index += 1) {
      const { id: tenantId } = await system.tenants.create({ name: `Chaos ${index} Ltd` })
      const admin = `admin${index}@chaos.example`
      const reviewer = `reviewer${index}@chaos.example`
      const { id: adminId } = await system.users.create({
        email: admin,
        name: 'Ada',
        password,
        role: 'admin',
        tenantId,
      })
      await system.users.create({
        email: reviewer,
        name: 'Rita',
        password,
        role: 'reviewer',
        tenantIds: [tenantId],
      })
      const tenant = { tenantId, adminId, admin, reviewer }
      await prepare(copydesk, tenant, index)
      tenants.push(tenant)
    }
    return tenants
  } finally {
    await copydesk.stop()
  }
}

/** Logs in, again and again until the servers are there to answer. */
export async function logIn(baseUrl: string, email: string, app: 'dashboard' | 'dm-portal'): Promise<Client> {
  const anonymous = createClient({ baseUrl })
  const { accessToken } = await anonymous.call('auth', 'POST /login', { body: { email, password, app } })
  return createClient({ baseUrl, token: accessToken })
}
