import type { Ctx } from '../../kernel/context.ts'
import { type Condition, equals, where } from '../../kernel/paging-queries.ts'
import { within } from '../../kernel/scope.ts'
import { placeholders } from '../../platform/database/database.ts'
import { count, nullable, pick, type RowOf, select, table, text } from '../../platform/database/read.ts'
import { Tenant } from '../accounts/tenants/entities.ts'
import {
  Approval,
  type ApprovalType,
  type Resolution,
  type RiskLevel,
  resolutions,
} from '../work/approvals/entities.ts'
import { rankOf } from '../work/approvals/policy.ts'
import type { DeliverableType } from '../work/campaigns/entities.ts'

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

const a = table(Approval, 'a')
const t = table(Tenant, 't')
const from = `from ${a} join ${t} on t.id = a.tenant_id`

const decided = select({
  ...pick(a, 'id', 'title', 'tenantId'),
  tenantName: t.name,
  ...pick(a, 'type', 'status', 'resolution', 'resolvedAt', 'resolvedByName'),
  note: a.resolutionNote,
  activityId: nullable(text('(select max(l.activity_id) from approval_links l where l.approval_id = a.id)')),
})

/** An approval and what became of it. */
export interface DecidedApproval extends RowOf<typeof decided> {
  /** Null while it is pending, and where no one has decided it. */
  resolution: Resolution | null
}

const byResolution = select({ resolution: a.resolution, verdicts: count('count(*)') })
const decider = select({ id: text('a.resolved_by_id'), name: nullable(text('max(a.resolved_by_name)')) })

/** The verdicts of a span, the latest first, and how many there are of each kind. What was sent to the client counts once. */
export async function listVerdicts(
  ctx: Ctx,
  filter: VerdictFilter,
  limit: number,
): Promise<{ items: DecidedApproval[]; counts: Record<Resolution, number> }> {
  const condition = decidedWhere(ctx, filter)
  const [rows, counted] = await Promise.all([
    decided.all(ctx.sql, `${from} where ${condition.sql} order by a.resolved_at desc, a.id desc limit ?`, [
      ...condition.params,
      limit,
    ]),
    byResolution.all(ctx.sql, `from ${a} where ${condition.sql} group by a.resolution`, condition.params),
  ])
  const counts = Object.fromEntries(
    resolutions.map((one) => [one, counted.find(({ resolution }) => resolution === one)?.verdicts ?? 0]),
  ) as Record<Resolution, number>
  return { items: rows.map(toDecided), counts }
}

/** The people who have decided something in a span, at most 100. */
export async function listDeciders(
  ctx: Ctx,
  span: Pick<VerdictFilter, 'from' | 'until'>,
): Promise<Array<{ id: string; name: string }>> {
  const condition = decidedWhere(ctx, span)
  const rows = await decider.all(
    ctx.sql,
    `from ${a} where ${condition.sql} and a.resolved_by_id is not null
     group by a.resolved_by_id order by count(*) desc, 1 limit 100`,
    condition.params,
  )
  return rows.map(({ id, name }) => ({ id, name: name ?? '' }))
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
  const rest = `${from} where ${condition.sql} order by a.id desc limit 20`
  const rows = await decided.all(ctx.sql, rest, condition.params)
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

function toDecided(row: RowOf<typeof decided>): DecidedApproval {
  return { ...row, resolution: resolutions.find((one) => one === row.resolution) ?? null }
}
