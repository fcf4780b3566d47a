import { seedMasters } from '../../packages/core/src/domain/agents/masters.ts'
import { seedTemplates } from '../../packages/core/src/domain/campaigns/templates.ts'
import { command } from '../../packages/core/src/domain/command.ts'
import type { Ctx, Principal, Scope } from '../../packages/core/src/domain/context.ts'
import { entities } from '../../packages/core/src/domain/entities.ts'
import type { Services } from '../../packages/core/src/domain/services.ts'
import { createTenant } from '../../packages/core/src/domain/tenants/tenants.ts'
import { type Clock, createIds } from '../../packages/core/src/platform/clock.ts'
import { createBox } from '../../packages/core/src/platform/crypto/box.ts'
import type { NewEvent } from '../../packages/core/src/platform/events/events.ts'
import type { NewJob } from '../../packages/core/src/platform/jobs/jobs.ts'
import { openTestDatabase, silent } from '../kit/database.ts'

/** Domain functions on a database of their own, with what they asked for and told kept in order. */
export async function createRig(at: string) {
  const test = await openTestDatabase({ entities })
  let now = Date.parse(at)
  const clock: Clock = { now: () => now, date: () => new Date(now), after: () => () => undefined }
  const newId = createIds(clock)
  const jobs: NewJob[] = []
  const events: NewEvent[] = []
  const services = {
    jobs: {
      enqueue: async (_tx: unknown, added: NewJob[]) => void jobs.push(...added),
      poke: () => undefined,
    },
    events: {
      append: async (_tx: unknown, added: NewEvent[]) => void events.push(...added),
      poke: () => undefined,
    },
    box: createBox({ keys: [{ id: 'k1', key: Buffer.alloc(32, 7) }], currentId: 'k1' }),
    models: { nameFor: (model: string) => model || 'builtin-writer' },
    wakeDispatcher: () => undefined,
  } as unknown as Services

  const context = (actor: Principal, scope: Scope): Ctx => ({
    scope,
    actor,
    trace: { requestId: newId(), surface: 'test', method: 'CALL', path: '', startedAt: now, audited: false },
    db: test.db,
    sql: test.db.sql,
    clock,
    newId,
    log: silent,
    services,
  })
  const system = () =>
    context({ id: 'system', type: 'human', role: 'super_admin', appAccess: [], name: 'Copydesk' }, 'all')
  const adminOf = (tenantId: string) =>
    context({ id: newId(), type: 'human', role: 'admin', tenantId, appAccess: ['dashboard'], name: 'Ada' }, [
      tenantId,
    ])
  await command(system(), async (cmd) => {
    await seedMasters(cmd)
    await seedTemplates(cmd)
  })
  return {
    db: test.db,
    jobs,
    events,
    services,
    system,
    /** A tenant with its agents, and the context of its admin. */
    async tenant(timezone = 'UTC'): Promise<{ id: string; ctx: Ctx }> {
      const { id } = await createTenant(system(), { name: `Tenant ${newId()}`, timezone })
      return { id, ctx: adminOf(id) }
    },
    setTime(instant: string | Date) {
      now = new Date(instant).getTime()
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  }
}

export type Rig = Awaited<ReturnType<typeof createRig>>
