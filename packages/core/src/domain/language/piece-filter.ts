import type { Ctx } from '../../kernel/context.ts'
import { type Condition, equals, where } from '../../kernel/paging-queries.ts'
import { within } from '../../kernel/scope.ts'
import { placeholders } from '../../platform/database/database.ts'
import type { ApprovalType, RiskLevel } from '../work/approvals/entities.ts'
import { rankOf } from '../work/approvals/policy.ts'
import type { DeliverableType } from '../work/campaigns/entities.ts'

/** What questions and work are narrowed down by. */
export interface PieceFilter {
  ids?: readonly string[]
  risks?: readonly RiskLevel[]
  approvalType?: ApprovalType | undefined
  deliverableType?: DeliverableType | undefined
  agentRoles?: readonly string[]
  /** Asked, or come to its status, from one instant on and before another. */
  from?: Date | undefined
  before?: Date | undefined
  expiresBefore?: Date | undefined
  dueBefore?: Date | undefined
  /** Only work that people have held back. */
  held?: true
  /** What is urgent: of a high risk, past its due time, or expiring before this. */
  urgentBefore?: Date | undefined
}

/** Questions in scope that wait for a verdict, narrowed down. */
export function pendingWhere(ctx: Ctx, filter: PieceFilter): Condition {
  const {
    ids,
    risks = [],
    agentRoles = [],
    deliverableType,
    approvalType,
    from,
    before,
    expiresBefore,
    dueBefore,
    urgentBefore,
  } = filter
  const about = (condition: Condition): Condition => ({
    sql: `exists (select 1 from approval_links l join activities y on y.id = l.activity_id
      where l.approval_id = a.id and ${condition.sql})`,
    params: condition.params,
  })
  return where(
    within(ctx.scope, 'a.tenant_id'),
    { sql: `a.status = 'pending' and a.expires_at > ?`, params: [ctx.clock.date()] },
    ids && oneOf('a.id', ids),
    risks.length > 0 ? oneOf('a.risk_rank', risks.map(rankOf)) : undefined,
    equals('a.type', approvalType),
    from && { sql: 'a.created_on >= ?', params: [from] },
    before && { sql: 'a.created_on < ?', params: [before] },
    expiresBefore && { sql: 'a.expires_at <= ?', params: [expiresBefore] },
    dueBefore && { sql: 'a.due_at <= ?', params: [dueBefore] },
    urgentBefore && {
      sql: 'a.risk_rank = 1 or a.due_at <= ? or a.expires_at <= ?',
      params: [ctx.clock.date(), urgentBefore],
    },
    deliverableType && about({ sql: 'y.deliverable_type = ?', params: [deliverableType] }),
    agentRoles.length > 0 ? about(oneOf('y.agent_role', agentRoles)) : undefined,
  )
}

/** Work in scope, narrowed down. */
export function workWhere(
  ctx: Ctx,
  { deliverableType, agentRoles = [], from, before, held }: PieceFilter,
): Condition {
  return where(
    within(ctx.scope, 'x.tenant_id'),
    equals('x.deliverable_type', deliverableType),
    agentRoles.length > 0 ? oneOf('x.agent_role', agentRoles) : undefined,
    from && { sql: 'x.status_since >= ?', params: [from] },
    before && { sql: 'x.status_since < ?', params: [before] },
    held && { sql: 'x.hold is not null', params: [] },
    { sql: `x.status <> 'reassigned'`, params: [] },
  )
}

/** A column has one of some values; without values no row fulfils it. */
export function oneOf(column: string, values: ReadonlyArray<string | number>): Condition {
  return { sql: `${column} in (${placeholders(values)})`, params: [...values] }
}
