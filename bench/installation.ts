import { join } from 'node:path'
import { type CopydeskOptions, createCopydesk } from '@copydesk/core'
import { createTokens } from '../packages/core/src/domain/accounts/identity/tokens.ts'
import { createIds, createSystemClock } from '../packages/core/src/platform/clock.ts'
import { type Database, openDatabase } from '../packages/core/src/platform/database/database.ts'
import { jobEntities } from '../packages/core/src/platform/jobs/entities.ts'
import { silentLogger } from '../packages/core/src/platform/logger.ts'

export type Installation = Pick<
  CopydeskOptions,
  'dataDir' | 'baseUrl' | 'encryptionKeys' | 'signingKeys' | 'environment'
> & { database: string }

const signingKeys = [{ id: 's1', secret: 'a secret of the benchmarks that is long enough' }]

export function installationIn(
  folder: string,
  database = `sqlite:${join(folder, 'bench.db')}`,
): Installation {
  return {
    database,
    dataDir: folder,
    baseUrl: 'http://127.0.0.1:1',
    encryptionKeys: [{ id: 'k1', key: Buffer.alloc(32, 7).toString('base64') }],
    signingKeys,
    environment: 'production',
  }
}

export interface Seeded {
  tenantId: string
  adminId: string
  reviewerIds: string[]
  /** Ids of tenants beside it. */
  neighbours: string[]
  /** Ids of the approvals that wait for a verdict, oldest first. */
  approvalIds: string[]
}

/** Sets an installation up with one tenant, people, and `approvals` pieces that the built-in writer wrote and that wait for a verdict. */
export async function seed(
  installation: Installation,
  { approvals, reviewers, neighbours = 0 }: { approvals: number; reviewers: number; neighbours?: number },
): Promise<Seeded> {
  const copydesk = await createCopydesk({
    ...installation,
    log: silentLogger,
    synchronous: 'off',
    worker: { concurrency: 4 },
    writerPaceMs: 0,
  })
  try {
    await copydesk.migrations.up()
    await copydesk.setUp()
    await copydesk.start()
    const system = copydesk.asSystem()
    const password = 'Correct-horse-1'
    const { id: tenantId } = await system.tenants.create({ name: 'Hearth & Oat' })
    const admin = await system.users.create({
      email: 'admin@bench.example',
      name: 'Ada',
      password,
      role: 'admin',
      tenantId,
    })
    const others: string[] = []
    for (let i = 0; i < neighbours; i += 1)
      others.push((await system.tenants.create({ name: `Neighbour ${i}` })).id)
    // One after another: passwords that wait to be hashed are limited.
    const staff: Array<{ id: string }> = []
    for (let i = 0; i < reviewers; i += 1) {
      staff.push(
        await system.users.create({
          email: `reviewer${i}@bench.example`,
          name: `Rita ${i}`,
          password,
          role: 'reviewer',
          tenantIds: [tenantId],
        }),
      )
    }
    const actor = {
      id: admin.id,
      type: 'human',
      role: 'admin',
      appAccess: ['dashboard'],
      tenantId,
      name: 'Ada',
    } as const
    for (let rest = approvals; rest > 0; rest -= 50)
      await copydesk.as(actor).call('dashboard.campaigns.create', {
        body: {
          name: 'Spring',
          brief: '# Spring\n\nHearth & Oat is a bakery.\n\n## Products\n\n- **Rye Loaf**: baked overnight\n',
          deliverables: [{ type: 'social_post', quantity: Math.min(rest, 50) }],
        },
      })
    let approvalIds: string[] = []
    const list = async () => {
      const ids: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await system.approvals.list({
          'filter.status': 'pending',
          order: 'asc',
          limit: 100,
          ...(cursor && { cursor }),
        } as never)
        ids.push(...page.data.map(({ id }) => id))
        cursor = page.pagination.hasMore ? (page.pagination.nextCursor as string) : null
      }
      return ids
    }
    await waitFor(
      async () => (approvalIds = await list()).length === approvals,
      `${approvals} approvals wait for a verdict`,
    )
    return {
      tenantId,
      adminId: admin.id,
      reviewerIds: staff.map(({ id }) => id),
      neighbours: others,
      approvalIds,
    }
  } finally {
    await copydesk.stop()
  }
}

/** A connection of the benchmark's own to the database of an installation, to count rows. */
export function lookInto({ database: url }: Installation): Promise<Database> {
  return openDatabase({ url, entities: jobEntities, migrations: [], log: silentLogger, poolSize: 1 })
}

/** Asks a few times a second until `probe` is true. */
export async function waitFor(probe: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 300_000
  while (Date.now() < deadline) {
    if (await probe()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`Gave up waiting until ${what}`)
}

const tokens = createTokens({ signingKeys, clock: createSystemClock() })
/** Of sessions that begin now: those that are older than seven days let no one in. */
const newId = createIds(createSystemClock())

/** Access tokens as a login would give them. The limits count by person, so a load needs many. */
export function reviewerTokens(ids: readonly string[]): Promise<string[]> {
  return Promise.all(
    ids.map((sub) =>
      tokens.sign('access', { sub, role: 'reviewer', appAccess: ['dm-portal'], name: 'Rita', sid: newId() }),
    ),
  )
}

/** The same for members of one tenant; they need not be in the database to be let in. */
export function memberTokens(
  tenantId: string,
  ids: readonly string[],
  role: 'member' | 'admin' = 'member',
): Promise<string[]> {
  return Promise.all(
    ids.map((sub) =>
      tokens.sign('access', {
        sub,
        role,
        appAccess: ['dashboard'],
        tenantId,
        name: 'Mia',
        sid: newId(),
      }),
    ),
  )
}
