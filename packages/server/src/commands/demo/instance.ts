import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@copydesk/client'
import { type Copydesk, type CopydeskOptions, createCopydesk, createLogger } from '@copydesk/core'
import { type Served, serve } from '../../listen.ts'
import { keepWebAssemblyCode } from '../../webassembly.ts'

export interface Login {
  email: string
  password: string
}

/**
 * A complete installation in a temporary folder: a server that listens, a tenant with an admin, and a
 * reviewer.
 */
export interface DemoInstance {
  url: string
  dataDir: string
  tenantName: string
  admin: Client
  reviewer: Client
  adminLogin: Login
  reviewerLogin: Login
  /** Stops the server; `keepData` leaves the folder. */
  close(keepData: boolean): Promise<void>
}

const tenantName = 'Hearth & Oat'

/**
 * @param settings `providers` and `defaultModel` make a configured model write instead of the built-in writer
 */
export async function createDemoInstance(
  settings: Pick<CopydeskOptions, 'providers' | 'defaultModel' | 'allowHosts'> & {
    port?: number
    writerPaceMs?: number
    /** Sees requests before the instance does. */
    between?(copydesk: Copydesk, request: IncomingMessage, response: ServerResponse): unknown
  },
): Promise<DemoInstance> {
  const { port = 0, between = pass, ...options } = settings
  keepWebAssemblyCode()
  const dataDir = await mkdtemp(join(tmpdir(), 'copydesk-demo-'))
  let copydesk: Copydesk | undefined
  // The address is known only once the server listens, and agents need it for their callbacks.
  const served = await serve((req, res) => copydesk && between(copydesk, req, res), {
    port,
    drain: async () => copydesk?.stop(),
  })
  try {
    copydesk = await createCopydesk({
      ...options,
      database: join(dataDir, 'copydesk.db'),
      dataDir,
      baseUrl: served.url,
      encryptionKeys: [{ id: 'demo', key: randomBytes(32).toString('base64') }],
      signingKeys: [{ id: 'demo', secret: randomBytes(32).toString('hex') }],
      log: createLogger({ level: 'error' }),
      worker: { concurrency: 4 },
    })
    await copydesk.migrations.up()
    await copydesk.setUp()
    await copydesk.start()
    return {
      ...(await people(copydesk, served)),
      url: served.url,
      dataDir,
      tenantName,
      close: (keepData) => close(served, dataDir, keepData),
    }
  } catch (error) {
    await close(served, dataDir, false)
    throw error
  }
}

const pass = (copydesk: Copydesk, request: IncomingMessage, response: ServerResponse) =>
  copydesk.node(request, response)

async function people(copydesk: Copydesk, { url }: Served) {
  const system = copydesk.asSystem()
  const tenant = await system.tenants.create({ name: tenantName, timezone: 'Europe/London' })
  const adminLogin = { email: 'ada@hearthandoat.example', password: randomBytes(9).toString('base64url') }
  const reviewerLogin = { email: 'rita@copydesk.example', password: randomBytes(9).toString('base64url') }
  await system.users.create({ ...adminLogin, name: 'Ada Okafor', role: 'admin', tenantId: tenant.id })
  await system.users.create({
    ...reviewerLogin,
    name: 'Rita Lindqvist',
    role: 'reviewer',
    tenantIds: [tenant.id],
  })
  const logIn = async (login: Login, app: 'dashboard' | 'dm-portal') => {
    const { accessToken } = await createClient({ baseUrl: url }).call('auth', 'POST /login', {
      body: { ...login, app },
    })
    return createClient({ baseUrl: url, token: accessToken })
  }
  return {
    adminLogin,
    reviewerLogin,
    admin: await logIn(adminLogin, 'dashboard'),
    reviewer: await logIn(reviewerLogin, 'dm-portal'),
  }
}

async function close(served: Served, dataDir: string, keepData: boolean): Promise<void> {
  await served.close()
  if (!keepData) await rm(dataDir, { recursive: true, force: true })
}
