import type { Row } from '../../platform/database/database.ts'
import { asDate, asNumber, placeholders } from '../../platform/database/row.ts'
import {
  type ApprovalStatus,
  type ApprovalType,
  type Resolution,
  type RiskLevel,
  resolutions,
} from '../approvals/entities.ts'
import { rankOf } from '../approvals/policy.ts'
import type { DeliverableType } from '../campaigns/entities.ts'
import type { Ctx } from '../context.ts'
import { type Condition, equals, where } from '../paging-queries.ts'
import { within } from '../scope.ts'

/** An approval and what became of it. */
export interface DecidedApproval {
  id: string
  title: string
  tenantId: string
  tenantName: string
  type: ApprovalType
  status: ApprovalStatus
  /** Null while it is pending, and where nobody has decided it. */
  resolution: Resolution | null
  resolvedAt: Date | null
  resolvedByName: string | null
  note: string | null
  activityId: string | null
}

export interface VerdictFilter {
  from: Date
  /** Not part of it. */
  until: Date
  resolution?: Resolution | undefined
  /** User ids. */
  by?: readonly string[] | undefined
  deliverableType?: DeliverableType | undefined
  approvalType?: ApprovalType | undefined
  risks?: readonly RiskLevel[]
}

const columns = `select a.id, a.title, a.tenant_id, t.name as tenant_name, a.type, a.status, a.resolution, a.resolved_at,
  a.resolved_by_name, a.resolution_note, (select max(l.activity_id) from approval_links l where l.approval_id = a.id) as activity_id
  from approvals a join tenants t on t.id = a.tenant_id`

/** The verdicts of a span, the latest first, and how many there are of each kind. What was sent to the client counts once. */
export async function listVerdicts(
  ctx: Ctx,
  filter: VerdictFilter,
  limit: number,
): Promise<{ items: DecidedApproval[]; counts: Record<Resolution, number> }> {
  const condition = decidedWhere(ctx, filter)
  const [rows, counted] = await Promise.all([
    ctx.sql.all<Row>(`${columns} where ${condition.sql} order by a.resolved_at desc, a.id desc limit ?`, [
      ...condition.params,
      limit,
    ]),
    ctx.sql.all<Row>(
      `select a.resolution, count(*) as n from approvals a where ${condition.sql} group by a.resolution`,
      condition.params,
    ),
  ])
  const counts = Object.fromEntries(
    resolutions.map((one) => [one, asNumber(counted.find(({ resolution }) => resolution === one)?.n)]),
  ) as Record<Resolution, number>
  return { items: rows.map(toDecided), counts }
}

/** The people who have decided something in a span, at most 100. */
export async function listDeciders(
  ctx: Ctx,
  span: Pick<VerdictFilter, 'from' | 'until'>,
): Promise<Array<{ id: string; name: string }>> {
  const condition = decidedWhere(ctx, span)
  const rows = await ctx.sql.all<Row>(
    `select a.resolved_by_id as id, max(a.resolved_by_name) as name from approvals a
     where ${condition.sql} and a.resolved_by_id is not null group by a.resolved_by_id order by count(*) desc, 1 limit 100`,
    condition.params,
  )
  return rows.map((row) => ({ id: row.id as string, name: (row.name as string | null) ?? '' }))
}

/** The approvals that were asked for one activity, or one of them alone, the latest first; at most 20. */
export async function listApprovalsOf(
  ctx: Ctx,
  { activityId, id }: { activityId: string | null; id: string },
): Promise<DecidedApproval[]> {
  const scope = within(ctx.scope, 'a.tenant_id')
  const about =
    activityId === null
      ? { sql: 'a.id = ?', params: [id] }
      : {
          sql: 'a.id in (select l.approval_id from approval_links l where l.activity_id = ?)',
          params: [activityId],
        }
  const condition = where(scope, about, { sql: 'a.forwarded_from is null', params: [] })
  const rows = await ctx.sql.all<Row>(
    `${columns} where ${condition.sql} order by a.id desc limit 20`,
    condition.params,
  )
  return rows.map(toDecided)
}

function decidedWhere(ctx: Ctx, filter: VerdictFilter): Condition {
  const { from, until, resolution, by, deliverableType, approvalType, risks = [] } = filter
  const ranks = risks.map(rankOf)
  return where(
    within(ctx.scope, 'a.tenant_id'),
    { sql: 'a.resolved_at >= ? and a.resolved_at < ? and a.forwarded_from is null', params: [from, until] },
    { sql: `a.resolution in (${placeholders(resolutions)})`, params: [...resolutions] },
    equals('a.resolution', resolution),
    equals('a.type', approvalType),
    by && { sql: `a.resolved_by_id in (${placeholders(by)})`, params: [...by] },
    ranks.length > 0 ? { sql: `a.risk_rank in (${placeholders(ranks)})`, params: ranks } : undefined,
    deliverableType && {
      sql: `exists (select 1 from approval_links l join activities y on y.id = l.activity_id
        where l.approval_id = a.id and y.deliverable_type = ?)`,
      params: [deliverableType],
    },
  )
}

const isResolution = (value: unknown): value is Resolution =>
  (resolutions as readonly unknown[]).includes(value)

function toDecided(row: Row): DecidedApproval {
  return {
    id: row.id as string,
    title: row.title as string,
    tenantId: row.tenant_id as string,
    tenantName: row.tenant_name as string,
    type: row.type as ApprovalType,
    status: row.status as ApprovalStatus,
    resolution: isResolution(row.resolution) ? row.resolution : null,
    resolvedAt: asDate(row.resolved_at),
    resolvedByName: row.resolved_by_name as string | null,
    note: row.resolution_note as string | null,
    activityId: row.activity_id as string | null,
  }
}
