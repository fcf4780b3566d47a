import type { Ctx } from '../../kernel/context.ts'
import { madeWithin } from '../../kernel/date-range.ts'
import { type Condition, equals, where } from '../../kernel/paging-queries.ts'
import { within } from '../../kernel/scope.ts'
import { placeholders } from '../../platform/database/database.ts'
import {
  count,
  instant,
  leftTable,
  pick,
  type RowOf,
  type Selection,
  select,
  table,
} from '../../platform/database/read.ts'
import { Tenant } from '../accounts/tenants/entities.ts'
import { Activity } from '../work/activities/entities.ts'
import { Approval } from '../work/approvals/entities.ts'
import type { DeliverableType } from '../work/campaigns/entities.ts'
import { Run, type RunStatus } from '../work/runs/entities.ts'
import { countRows } from './queries.ts'

/** Instants; the last is not part of the span. */
export interface TimeSpan {
  from: Date
  until: Date
}

const r = table(Run, 'r')
const t = table(Tenant, 't')
const x = table(Activity, 'x')
const a = table(Approval, 'a')
const worked = leftTable(Activity, 'x')

const workedRun = select({
  id: r.id,
  role: r.agentRole,
  tenantName: t.name,
  /** Of the activity; null where that is gone, or where there was none. */
  title: worked.title,
  ...pick(r, 'activityId', 'status', 'error'),
  startedOn: r.createdOn,
  costMicros: r.costMicros,
})
export type WorkedRun = RowOf<typeof workedRun>

const byStatus = select({ status: r.status, runs: count('count(*)'), micros: count('sum(r.cost_micros)') })

const finished = select({
  at: instant('x.completed_at'),
  id: x.id,
  title: x.title,
  tenantName: t.name,
})
/** An activity or an approval, and when it was done or asked for. */
export type HistoryItem = RowOf<typeof finished>
const askedFor: Selection<HistoryItem> = select({
  at: a.createdOn,
  id: a.id,
  title: a.title,
  tenantName: t.name,
})

/** The runs of agents that were ordered in a span, the latest first, and how many there are by status. */
export async function listRunsOf(
  ctx: Ctx,
  span: TimeSpan,
  { roles, failed = false }: { roles: readonly string[]; failed?: boolean },
  limit: number,
): Promise<{ items: WorkedRun[]; counts: Partial<Record<RunStatus, number>>; costMicros: number }> {
  const condition = where(
    within(ctx.scope, 'r.tenant_id'),
    madeWithin('r.id', span),
    { sql: `r.purpose = 'work'`, params: [] },
    roles.length > 0 ? { sql: `r.agent_role in (${placeholders(roles)})`, params: [...roles] } : undefined,
    failed ? { sql: `r.status in ('failed', 'timeout')`, params: [] } : undefined,
  )
  const [items, counted] = await Promise.all([
    workedRun.all(
      ctx.sql,
      `from ${r} join ${t} on t.id = r.tenant_id left join ${worked} on x.id = r.activity_id
       where ${condition.sql} order by r.id desc limit ?`,
      [...condition.params, limit],
    ),
    byStatus.all(ctx.sql, `from ${r} where ${condition.sql} group by r.status`, condition.params),
  ])
  return {
    items,
    counts: Object.fromEntries(counted.map(({ status, runs }) => [status, runs])),
    costMicros: counted.reduce((sum, { micros }) => sum + micros, 0),
  }
}

/** The pieces whose last step was done in a span, the latest first, and how many there are. */
export function listFinished(
  ctx: Ctx,
  { from, until }: TimeSpan,
  filter: { deliverableType?: DeliverableType | undefined; agentRoles?: readonly string[] },
  limit: number,
) {
  const { deliverableType, agentRoles = [] } = filter
  const condition = where(
    within(ctx.scope, 'x.tenant_id'),
    {
      sql: `x.is_final_step = true and x.completed_at >= ? and x.completed_at < ? and x.status = 'done'`,
      params: [from, until],
    },
    equals('x.deliverable_type', deliverableType),
    agentRoles.length > 0
      ? { sql: `x.agent_role in (${placeholders(agentRoles)})`, params: [...agentRoles] }
      : undefined,
  )
  return listHistory(ctx, {
    selection: finished,
    from: `from ${x} join ${t} on t.id = x.tenant_id`,
    condition,
    order: 'x.completed_at desc, x.id desc',
    limit,
  })
}

/** The approvals that were asked for in a span, the latest first, and how many there are. */
export function listAskedFor(ctx: Ctx, span: TimeSpan, limit: number) {
  return listHistory(ctx, {
    selection: askedFor,
    from: `from ${a} join ${t} on t.id = a.tenant_id`,
    condition: where(within(ctx.scope, 'a.tenant_id'), madeWithin('a.id', span), {
      sql: 'a.forwarded_from is null',
      params: [],
    }),
    order: 'a.id desc',
    limit,
  })
}

async function listHistory(
  ctx: Ctx,
  list: {
    selection: Selection<HistoryItem>
    from: string
    condition: Condition
    order: string
    limit: number
  },
): Promise<{ items: HistoryItem[]; total: number }> {
  const { selection, from, condition, order, limit } = list
  const [items, total] = await Promise.all([
    selection.all(ctx.sql, `${from} where ${condition.sql} order by ${order} limit ?`, [
      ...condition.params,
      limit,
    ]),
    countRows(ctx, from, condition),
  ])
  return { items, total }
}
