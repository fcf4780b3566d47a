import type { Row } from '../../platform/database/database.ts'
import { asInstant, asNumber, placeholders } from '../../platform/database/row.ts'
import type { DeliverableType } from '../campaigns/entities.ts'
import type { Ctx } from '../context.ts'
import { type Condition, equals, where } from '../paging-queries.ts'
import type { RunStatus } from '../runs/entities.ts'
import { madeWithin } from '../runs/span.ts'
import { within } from '../scope.ts'

/** Instants; the last is not part of the span. */
export interface TimeSpan {
  from: Date
  until: Date
}

export interface WorkedRun {
  id: string
  role: string
  tenantName: string
  /** Of the activity; null where that is gone, or where there was none. */
  title: string | null
  activityId: string
  status: RunStatus
  error: string | null
  startedOn: Date
  costMicros: number
}

export interface HistoryItem {
  at: Date
  /** Of the activity or the approval. */
  id: string
  title: string
  tenantName: string
}

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
  const [rows, counted] = await Promise.all([
    ctx.sql.all<Row>(
      `select r.id, r.agent_role, t.name as tenant_name, x.title, r.activity_id, r.status, r.error, r.created_on, r.cost_micros
       from runs r join tenants t on t.id = r.tenant_id left join activities x on x.id = r.activity_id
       where ${condition.sql} order by r.id desc limit ?`,
      [...condition.params, limit],
    ),
    ctx.sql.all<Row>(
      `select r.status, count(*) as n, sum(r.cost_micros) as micros from runs r where ${condition.sql} group by r.status`,
      condition.params,
    ),
  ])
  return {
    items: rows.map((row) => ({
      id: row.id as string,
      role: row.agent_role as string,
      tenantName: row.tenant_name as string,
      title: row.title as string | null,
      activityId: row.activity_id as string,
      status: row.status as RunStatus,
      error: row.error as string | null,
      startedOn: asInstant(row.created_on),
      costMicros: asNumber(row.cost_micros),
    })),
    counts: Object.fromEntries(counted.map(({ status, n }) => [status as string, asNumber(n)])),
    costMicros: counted.reduce((sum, { micros }) => sum + asNumber(micros), 0),
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
    from: 'activities x join tenants t on t.id = x.tenant_id',
    columns: 'x.completed_at as at, x.id, x.title, t.name as tenant_name',
    condition,
    order: 'x.completed_at desc, x.id desc',
    limit,
  })
}

/** The approvals that were asked for in a span, the latest first, and how many there are. */
export function listAskedFor(ctx: Ctx, span: TimeSpan, limit: number) {
  return listHistory(ctx, {
    from: 'approvals a join tenants t on t.id = a.tenant_id',
    columns: 'a.created_on as at, a.id, a.title, t.name as tenant_name',
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
  list: { from: string; columns: string; condition: Condition; order: string; limit: number },
): Promise<{ items: HistoryItem[]; total: number }> {
  const { from, columns, condition, order, limit } = list
  const [rows, counted] = await Promise.all([
    ctx.sql.all<Row>(`select ${columns} from ${from} where ${condition.sql} order by ${order} limit ?`, [
      ...condition.params,
      limit,
    ]),
    ctx.sql.get<Row>(`select count(*) as n from ${from} where ${condition.sql}`, condition.params),
  ])
  return {
    items: rows.map((row) => ({
      at: asInstant(row.at),
      id: row.id as string,
      title: row.title as string,
      tenantName: row.tenant_name as string,
    })),
    total: asNumber(counted?.n),
  }
}
