import { firstIdAt } from '../../platform/clock.ts'
import type { Row } from '../../platform/database/database.ts'
import { asDate, asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { slotMs, slotOf } from '../costs/report-queries.ts'
import { where } from '../paging-queries.ts'
import { within } from '../scope.ts'

/** What a tenant's figures are counted by, and how many of its agents are at work. */
export interface TenantBasis {
  timezone: string
  /** Micro-dollars a month; null without a cap. */
  capMicros: number | null
  runningAgents: number
}

/** By tenant in scope. */
export async function tenantBases(ctx: Ctx): Promise<ReadonlyMap<string, TenantBasis>> {
  const [tenants, inner] = [within(ctx.scope, 't.id'), within(ctx.scope, 'tenant_id')]
  const rows = await ctx.sql.all<Row>(
    `select t.id, t.timezone, t.spend_cap_micros, r.agents from tenants t
       left join (
         select tenant_id, count(distinct agent_role) as agents from runs
         where open = true and status = 'running' and purpose = 'work' and ${inner.sql} group by tenant_id
       ) r on r.tenant_id = t.id
     where ${tenants.sql}`,
    [...inner.params, ...tenants.params],
  )
  return new Map(
    rows.map((row) => [
      row.id as string,
      {
        timezone: row.timezone as string,
        capMicros: row.spend_cap_micros === null ? null : asNumber(row.spend_cap_micros),
        runningAgents: asNumber(row.agents),
      },
    ]),
  )
}

/** What came together at one tenant in a quarter of an hour. */
export interface Slot {
  tenantId: string
  /** When the quarter began, milliseconds. */
  at: number
  amount: number
}

/** Micro-dollars that runs ordered since an instant have cost, of all tenants in scope. */
export async function costSlots(ctx: Ctx, since: Date): Promise<Slot[]> {
  const scope = within(ctx.scope, 'r.tenant_id')
  const rows = await ctx.sql.all<Row>(
    `select r.tenant_id, ${slotOf(ctx, 'r.created_on')} as slot, sum(r.cost_micros) as amount from runs r
     where ${scope.sql} and r.id >= ? and r.cost_micros > 0 group by 1, 2`,
    [...scope.params, firstIdAt(since)],
  )
  return rows.map(toSlot)
}

/** How many pieces have been finished since an instant, of all tenants in scope. */
export async function doneSlots(ctx: Ctx, since: Date): Promise<Slot[]> {
  const scope = within(ctx.scope, 'x.tenant_id')
  const rows = await ctx.sql.all<Row>(
    `select x.tenant_id, ${slotOf(ctx, 'x.completed_at')} as slot, count(*) as amount from activities x
     where ${scope.sql} and x.is_final_step = true and x.completed_at >= ? and x.status = 'done' group by 1, 2`,
    [...scope.params, since],
  )
  return rows.map(toSlot)
}

/** Runs in scope that could be at work: how many, and since when the first of them could. */
export async function startableRuns(ctx: Ctx): Promise<{ waiting: number; oldest: Date | null }> {
  // As they are claimed: what people have paused waits for people, not for a worker.
  const condition = where(within(ctx.scope, 'r.tenant_id'), {
    sql: `r.open = true and r.status = 'pending' and r.not_before <= ? and r.purpose = 'work'
      and t.status in ('active', 'trial') and coalesce(a.status, 'terminated') <> 'paused'
      and (r.campaign_id is null or c.status in ('active', 'completed'))`,
    params: [ctx.clock.date()],
  })
  const row = await ctx.sql.get<Row>(
    `select count(*) as waiting, min(r.not_before) as oldest from runs r join tenants t on t.id = r.tenant_id
       left join tenant_agents a on a.tenant_id = r.tenant_id and a.role = r.agent_role
       left join campaigns c on c.id = r.campaign_id
     where ${condition.sql}`,
    condition.params,
  )
  return { waiting: asNumber(row?.waiting), oldest: asDate(row?.oldest) }
}

const toSlot = (row: Row): Slot => ({
  tenantId: row.tenant_id as string,
  at: Math.floor(asNumber(row.slot)) * slotMs,
  amount: asNumber(row.amount),
})
