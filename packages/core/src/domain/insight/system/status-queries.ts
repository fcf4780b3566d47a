import { type Ctx } from '../../../kernel/context.ts'
import { where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { firstIdAt } from '../../../platform/clock.ts'
import { count, like, nullable, type RowOf, select, table, text } from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { Activity } from '../../work/activities/entities.ts'
import { Run } from '../../work/runs/entities.ts'
import { bySlot, slotMs } from '../costs/queries.ts'
import type { SystemHealth } from './schemas.ts'

const t = table(Tenant, 't')
const r = table(Run, 'r')
const x = table(Activity, 'x')

const basis = select({
  id: t.id,
  timezone: t.timezone,
  /** Micro-dollars a month; null without a cap. */
  capMicros: t.spendCapMicros,
  runningAgents: count('r.agents'),
})
/** What a tenant's figures are counted by, and how many of its agents are running. */
export type TenantBasis = Omit<RowOf<typeof basis>, 'id'>

/** By tenant in scope. */
export async function tenantBases(ctx: Ctx): Promise<ReadonlyMap<string, TenantBasis>> {
  const [tenants, inner] = [within(ctx.scope, 't.id'), within(ctx.scope, 'tenant_id')]
  const rows = await basis.all(
    ctx.sql,
    `from ${t} left join (
         select tenant_id, count(distinct agent_role) as agents from runs
         where open = true and status = 'running' and purpose = 'work' and ${inner.sql} group by tenant_id
       ) r on r.tenant_id = t.id
     where ${tenants.sql}`,
    [...inner.params, ...tenants.params],
  )
  return new Map(rows.map(({ id, ...found }) => [id, found]))
}

/** What came together at one tenant in a quarter of an hour. */
export interface Slot {
  tenantId: string
  /** When the quarter began, milliseconds. */
  at: number
  amount: number
}

const costs = bySlot('r.created_on', (slot) =>
  select({ tenantId: r.tenantId, slot, amount: count('sum(r.cost_micros)') }),
)

/** Micro-dollars that runs ordered since an instant have cost, of all tenants in scope. */
export async function costSlots(ctx: Ctx, since: Date): Promise<Slot[]> {
  const scope = within(ctx.scope, 'r.tenant_id')
  const rows = await costs[ctx.db.dialect].all(
    ctx.sql,
    `from ${r} where ${scope.sql} and r.id >= ? and r.cost_micros > 0 group by 1, 2`,
    [...scope.params, firstIdAt(since)],
  )
  return rows.map(toSlot)
}

const done = bySlot('x.completed_at', (slot) =>
  select({ tenantId: x.tenantId, slot, amount: count('count(*)') }),
)

/** How many pieces have been finished since an instant, of all tenants in scope. */
export async function doneSlots(ctx: Ctx, since: Date): Promise<Slot[]> {
  const scope = within(ctx.scope, 'x.tenant_id')
  const rows = await done[ctx.db.dialect].all(
    ctx.sql,
    `from ${x} where ${scope.sql} and x.is_final_step = true and x.completed_at >= ? and x.status = 'done'
     group by 1, 2`,
    [...scope.params, since],
  )
  return rows.map(toSlot)
}

const toSlot = ({ tenantId, slot, amount }: RowOf<(typeof costs)['sqlite']>): Slot => ({
  tenantId,
  at: Math.floor(slot) * slotMs,
  amount,
})

const startable = select({
  waiting: count('count(*)'),
  oldest: nullable(like(r.notBefore, 'min(r.not_before)')),
})

/** Runs in scope that could be running: how many, and since when the first of them could. */
export async function startableRuns(ctx: Ctx): Promise<RowOf<typeof startable>> {
  // As they are claimed: what people have paused waits for people, not for a worker.
  const condition = where(within(ctx.scope, 'r.tenant_id'), {
    sql: `r.open = true and r.status = 'pending' and r.not_before <= ? and r.purpose = 'work'
      and t.status in ('active', 'trial') and coalesce(a.status, 'terminated') <> 'paused'
      and (r.campaign_id is null or c.status in ('active', 'completed'))`,
    params: [ctx.clock.date()],
  })
  const row = await startable.get(
    ctx.sql,
    `from ${r} join ${t} on t.id = r.tenant_id
       left join tenant_agents a on a.tenant_id = r.tenant_id and a.role = r.agent_role
       left join campaigns c on c.id = r.campaign_id
     where ${condition.sql}`,
    condition.params,
  )
  return row ?? { waiting: 0, oldest: null }
}

const dayMs = 86_400_000

const queue = select({
  name: text("'jobs'"),
  waiting: count("(select count(*) from job where status = 'waiting' and run_at <= ?)"),
  delayed: count("(select count(*) from job where status = 'waiting' and run_at > ?)"),
  active: count("(select count(*) from job where status = 'running')"),
  failed: count("(select count(*) from job where status = 'dead' and finished_at > ?)"),
  deadLettered: count("(select count(*) from job where status = 'dead')"),
})

/** How the platform's own work stands, of all tenants and none. */
export function jobNumbers(ctx: Ctx): Promise<SystemHealth['queues']> {
  const now = ctx.clock.date()
  return queue.all(ctx.sql, '', [now, now, new Date(now.getTime() - dayMs)])
}
