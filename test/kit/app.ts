import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@copydesk/client'
import { type Copydesk, type CopydeskOptions, createCopydesk, type Principal } from '@copydesk/core'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import type { Logger } from '../../packages/core/src/platform/log.ts'
import { openTestDatabase } from './database.ts'
import { settling } from './events.ts'

/** A tenant with an admin and a member, and a reviewer who is assigned to it. */
export interface Team {
  tenantId: string
  admin: Client
  member: Client
  reviewer: Client
  adminId: string
  reviewerId: string
  /** The admin's access token, for calls that the client would not make. */
  adminToken: string
  reviewerToken: string
}

export interface TestApp extends AsyncDisposable {
  copydesk: Copydesk
  /** The same database on a connection of the test's own, to look at rows. */
  db: Database
  url: string
  options: CopydeskOptions
  fetch(path: string, init?: RequestInit, from?: { ip?: string }): Promise<Response>
  clientFor(token?: string): Client
  team(name?: string): Promise<Team>
  /** Resolves when `probe` gives something; asks again after each event and a few times a second. */
  until<T>(probe: () => Promise<T | undefined | false>, what: string): Promise<T>
  /** Another instance on the same database, as another process would be; stopped with the first. */
  another(changes?: Partial<CopydeskOptions>): Promise<Copydesk>
}

/** The admin of a team, as an embedding program names who it calls for. */
export function adminOf({ tenantId, adminId }: Pick<Team, 'tenantId' | 'adminId'>): Principal {
  return { id: adminId, type: 'human', role: 'admin', tenantId, appAccess: ['dashboard'] }
}

/** The reviewer of a team in process. */
export function reviewerOf({ reviewerId }: Pick<Team, 'reviewerId'>): Principal {
  return { id: reviewerId, type: 'human', role: 'reviewer', appAccess: ['dm-portal'], name: 'Rita' }
}

export const password = 'Correct-horse-1'
export const encryptionKeys = [{ id: 'k1', key: Buffer.alloc(32, 7).toString('base64') }]
export const signingKeys = [{ id: 's1', secret: 'a test secret that is long enough to sign with' }]

/**
 * A whole instance on a fresh database of the dialect under test. Fails the test when anything was logged as an error
 * or an endpoint answered with a code that it does not declare, unless `allowErrors` is set.
 */
export async function createTestApp(
  changes: Partial<CopydeskOptions> & { allowErrors?: boolean } = {},
): Promise<TestApp> {
  const { allowErrors = false, ...overrides } = changes
  const faults: string[] = []
  const log = recordingLogger(faults)
  const database = await openTestDatabase({ entities, migrations, log })
  const dataDir = await mkdtemp(join(tmpdir(), 'copydesk-app-'))
  const options: CopydeskOptions = {
    database: database.url,
    dataDir,
    baseUrl: 'http://127.0.0.1:1',
    encryptionKeys,
    signingKeys,
    log,
    synchronous: 'off',
    passwordCost: 'low',
    worker: { concurrency: 4 },
    onUndeclaredError: ({ endpoint, code }) =>
      faults.push(`${endpoint} answered ${code}, which it does not declare`),
    ...overrides,
  }
  const instances: Copydesk[] = []
  const another = async (more: Partial<CopydeskOptions> = {}) => {
    const instance = await createCopydesk({ ...options, ...more })
    instances.push(instance)
    await instance.setUp()
    await instance.start()
    return instance
  }
  const copydesk = await another()
  const db = settling(database.db)
  const fetch = (path: string, init?: RequestInit, from?: { ip?: string }) =>
    copydesk.fetch(new Request(`http://copydesk.test${path}`, init), from)
  const clientFor = (token?: string) =>
    createClient({
      baseUrl: 'http://copydesk.test',
      ...(token && { token }),
      fetch: (url, init) => copydesk.fetch(new Request(url, init)),
    })
  const logIn = (email: string, app: 'dashboard' | 'dm-portal') =>
    clientFor().call('auth', 'POST /login', { body: { email, password, app } })
  let teams = 0
  return {
    copydesk,
    db,
    url: database.url,
    options,
    fetch,
    clientFor,
    another,
    async team(name = `Tenant ${++teams}`) {
      const tag = `${teams}.${name.toLowerCase().replace(/\W+/g, '-')}`
      const system = copydesk.asSystem()
      const { id: tenantId } = await system.tenants.create({ name, timezone: 'Europe/London' })
      const admin = await system.users.create({
        email: `admin.${tag}@test.example`,
        name: 'Ada Admin',
        password,
        role: 'admin',
        tenantId,
      })
      await system.users.create({
        email: `member.${tag}@test.example`,
        name: 'Mia Member',
        password,
        role: 'member',
        tenantId,
      })
      const reviewer = await system.users.create({
        email: `reviewer.${tag}@test.example`,
        name: 'Rita Reviewer',
        password,
        role: 'reviewer',
        tenantIds: [tenantId],
      })
      const tokens = {
        admin: (await logIn(`admin.${tag}@test.example`, 'dashboard')).accessToken,
        member: (await logIn(`member.${tag}@test.example`, 'dashboard')).accessToken,
        reviewer: (await logIn(`reviewer.${tag}@test.example`, 'dm-portal')).accessToken,
      }
      return {
        tenantId,
        adminId: admin.id,
        reviewerId: reviewer.id,
        adminToken: tokens.admin,
        reviewerToken: tokens.reviewer,
        admin: clientFor(tokens.admin),
        member: clientFor(tokens.member),
        reviewer: clientFor(tokens.reviewer),
      }
    },
    async until<T>(probe: () => Promise<T | undefined | false>, what: string): Promise<T> {
      const deadline = Date.now() + 90_000
      while (Date.now() < deadline) {
        const found = await probe()
        if (found !== undefined && found !== false) return found
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`gave up waiting until ${what}`)
    },
    async [Symbol.asyncDispose]() {
      for (const instance of instances) await instance.stop()
      await database[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
      if (!allowErrors && faults.length > 0)
        throw new Error(`the instance reported faults:\n${faults.join('\n')}`)
    },
  }
}

function recordingLogger(faults: string[]): Logger {
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (message, fields) =>
      void faults.push(
        `${message} ${(fields?.['error'] as Error | undefined)?.stack ?? JSON.stringify(fields ?? {})}`,
      ),
    child: () => logger,
  }
  return logger
}

/** A brief with everything that the built-in writer can use. */
export const brief = `# Spring

Hearth & Oat is a small bakery in Bristol.

## Products

- **Morning Oats**: rolled oats with hazelnuts; no added sugar
- **Rye & Seed Loaf**: sourdough baked overnight

## Audience

people who leave the house early

## Voice

warm and plain

## Call to action

Find your nearest shop
`
