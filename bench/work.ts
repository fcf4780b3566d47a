import { createCopydesk } from '@copydesk/core'
import { silentLogger } from '../packages/core/src/platform/logger.ts'
import { type Installation, lookInto, waitFor } from './installation.ts'

/** How many tenants there are, and how many pieces each has ordered. */
export interface Size {
  tenants: number
  pieces: number
}

export interface PreparedRuns {
  /** Runs that wait. */
  count: number
  /** A tenant of the installation, and its admin. */
  tenantId: string
  adminId: string
}

/** Sets an installation up with tenants whose runs no one has begun. */
export async function prepareRuns(
  installation: Installation,
  { tenants, pieces }: Size = { tenants: 10, pieces: 50 },
): Promise<PreparedRuns> {
  const copydesk = await createCopydesk({
    ...installation,
    log: silentLogger,
    synchronous: 'off',
    // Plans, and begins nothing.
    worker: { concurrency: 0 },
  })
  const db = await lookInto(installation)
  try {
    await copydesk.migrations.up()
    await copydesk.setUp()
    await copydesk.start()
    const owners = []
    for (let i = 1; i <= tenants; i += 1) owners.push(await takeOn(copydesk, i, pieces))
    const waiting = async () => Number((await db.sql.get<{ n: number }>(`select count(*) as n from runs`))?.n)
    const count = tenants * pieces
    await waitFor(async () => (await waiting()) === count, `${count} runs wait`)
    return { count, ...(owners[0] as { tenantId: string; adminId: string }) }
  } finally {
    await copydesk.stop()
    await db.close()
  }
}

async function takeOn(copydesk: Awaited<ReturnType<typeof createCopydesk>>, number: number, pieces: number) {
  const system = copydesk.asSystem()
  const { id: tenantId } = await system.tenants.create({ name: `Tenant ${number}` })
  const { id: adminId } = await system.users.create({
    email: `admin${number}@bench.example`,
    name: 'Ada',
    password: 'Correct-horse-1',
    role: 'admin',
    tenantId,
  })
  const actor = { id: adminId, type: 'human', role: 'admin', appAccess: ['dashboard'], tenantId } as const
  await copydesk.asSystem({ tenantId }).agents.configure('social_writer', { concurrency: 10 })
  await copydesk.as(actor).call('dashboard.campaigns.create', {
    body: {
      name: 'Spring',
      brief: '# Spring\n\nHearth & Oat is a bakery.\n\n## Products\n\n- **Rye Loaf**: baked overnight\n',
      deliverables: [{ type: 'social_post', quantity: pieces }],
    },
  })
  return { tenantId, adminId }
}
