import type { Row } from '../../platform/database/database.ts'
import { asDate, asInstant, asJson, asNumber, placeholders } from '../../platform/database/row.ts'
import type { ActivityStatus, Blocker } from '../activities/entities.ts'
import { cancelledByPerson } from '../activities/state.ts'
import type { ApprovalStatus, ApprovalType, RiskLevel } from '../approvals/entities.ts'
import { rankOf } from '../approvals/policy.ts'
import type { DeliverableType } from '../campaigns/entities.ts'
import type { Ctx } from '../context.ts'
import { type Condition, equals, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { Asked } from './slot-forms.ts'

/** A question that waits for a verdict, or a piece of work: whatever a person may speak of. */
export interface Piece {
  kind: 'approval' | 'activity'
  id: string
  title: string
  tenantId: string
  tenantName: string
  status: ApprovalStatus | ActivityStatus
  /** Of an activity the question about it that waits; of an approval the work that it is about. */
  other: string | null
  riskLevel: RiskLevel | null
  /** Of the question, or the kind of step. */
  type: string
  agentRole: string | null
  hold: 'pausing' | 'paused' | null
  /** Why it stands still or what it failed of. */
  reason: string | null
  /** When it was asked, or came to its status. */
  since: Date
  expiresAt: Date | null
}

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

const pending = `(select max(l.approval_id) from approval_links l join approvals q on q.id = l.approval_id
  where l.activity_id = x.id and q.status = 'pending')`

/** Questions to people, with alias `a`. */
export const approvals = {
  columns: `select 'approval' as kind, a.id, a.title, a.tenant_id, t.name as tenant_name, a.status, a.risk_level, a.type,
    (select max(l.activity_id) from approval_links l where l.approval_id = a.id) as other, null as agent_role, null as hold,
    null as blocker, null as failure_reason, a.created_on as since, a.expires_at`,
  from: 'from approvals a join tenants t on t.id = a.tenant_id',
}
/** Work, with alias `x`. */
export const activities = {
  columns: `select 'activity' as kind, x.id, x.title, x.tenant_id, t.name as tenant_name, x.status, null as risk_level, x.type,
    ${pending} as other, x.agent_role, x.hold, x.blocker, x.failure_reason, x.status_since as since, null as expires_at`,
  from: 'from activities x join tenants t on t.id = x.tenant_id',
}

/** What ids stand for, in the order of the ids; those that stand for nothing in scope are left out. */
export async function findPieces(ctx: Ctx, ids: readonly string[]): Promise<Piece[]> {
  if (ids.length === 0) return []
  const [questions, work] = await Promise.all([
    readPieces(
      ctx,
      approvals,
      where(within(ctx.scope, 'a.tenant_id'), oneOf('a.id', ids)),
      'a.id',
      ids.length,
    ),
    readPieces(
      ctx,
      activities,
      where(within(ctx.scope, 'x.tenant_id'), oneOf('x.id', ids)),
      'x.id',
      ids.length,
    ),
  ])
  const found = new Map([...questions, ...work].map((piece) => [piece.id, piece]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** By time instead of by what needs somebody most. */
export type TimeOrder = 'oldest' | 'newest'

/** Questions that wait for a verdict, the riskiest and oldest first, and how many there are. */
export function listPending(ctx: Ctx, filter: PieceFilter, limit: number, time?: TimeOrder) {
  const order = { oldest: 'a.created_on, a.id', newest: 'a.created_on desc, a.id desc' }
  return list(ctx, approvals, pendingWhere(ctx, filter), time ? order[time] : 'a.risk_rank, a.id', limit)
}

/** Work in a state, and how much there is: what stands still longest comes first, of all else the newest. */
export function listByState(
  ctx: Ctx,
  state: Exclude<Asked, 'pending'>,
  filter: PieceFilter,
  limit: number,
  time: TimeOrder = state === 'blocked' ? 'oldest' : 'newest',
) {
  const order = time === 'oldest' ? 'x.status_since, x.id' : 'x.status_since desc, x.id desc'
  const statuses = { running: 'in_progress', blocked: 'blocked', failed: 'failed', done: 'done' }
  const condition = where(workWhere(ctx, filter), equals('x.status', statuses[state]), notCancelled)
  return list(ctx, activities, condition, order, limit)
}

const notCancelled: Condition = { sql: `coalesce(x.failure_reason, '') <> ?`, params: [cancelledByPerson] }

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

function oneOf(column: string, values: ReadonlyArray<string | number>): Condition {
  return { sql: `${column} in (${placeholders(values)})`, params: [...values] }
}

async function list(
  ctx: Ctx,
  source: typeof approvals,
  condition: Condition,
  order: string,
  limit: number,
): Promise<{ items: Piece[]; total: number }> {
  const [items, counted] = await Promise.all([
    readPieces(ctx, source, condition, order, limit),
    ctx.sql.get<Row>(`select count(*) as n ${source.from} where ${condition.sql}`, condition.params),
  ])
  return { items, total: asNumber(counted?.n) }
}

/** Pieces that fulfil a condition, in an order. */
export async function readPieces(
  ctx: Ctx,
  { columns, from }: typeof approvals,
  condition: Condition,
  order: string,
  limit: number,
): Promise<Piece[]> {
  const rows = await ctx.sql.all<Row>(`${columns} ${from} where ${condition.sql} order by ${order} limit ?`, [
    ...condition.params,
    limit,
  ])
  return rows.map((row) => ({
    kind: row.kind as Piece['kind'],
    id: row.id as string,
    title: row.title as string,
    tenantId: row.tenant_id as string,
    tenantName: row.tenant_name as string,
    status: row.status as Piece['status'],
    other: row.other as string | null,
    riskLevel: row.risk_level as RiskLevel | null,
    type: row.type as string,
    agentRole: row.agent_role as string | null,
    hold: row.hold as Piece['hold'],
    reason:
      asJson<Blocker>(row.blocker)?.description ??
      (row.failure_reason as string | null) ??
      (row.hold ? 'Paused' : null),
    since: asInstant(row.since),
    expiresAt: asDate(row.expires_at),
  }))
}
