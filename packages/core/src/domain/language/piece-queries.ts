import type { AskedStatus } from '@copydesk/language'
import type { Ctx } from '../../kernel/context.ts'
import { type Condition, equals, where } from '../../kernel/paging-queries.ts'
import { within } from '../../kernel/scope.ts'
import { nullable, pick, type Selection, select, table, text } from '../../platform/database/read.ts'
import { Tenant } from '../accounts/tenants/entities.ts'
import { Activity, type ActivityStatus } from '../work/activities/entities.ts'
import { cancelledByPerson } from '../work/activities/state.ts'
import { Approval, type ApprovalStatus, type RiskLevel } from '../work/approvals/entities.ts'
import { oneOf, type PieceFilter, pendingWhere, workWhere } from './piece-filter.ts'
import { countRows } from './queries.ts'

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

/** Where pieces are read from, and in which form. */
export interface Source {
  /** `from …`, up to and without `where`. */
  from: string
  /** Pieces that fulfil a condition, in an order. */
  read(ctx: Ctx, condition: Condition, order: string, limit: number): Promise<Piece[]>
}

function sourceOf<Row>(from: string, selection: Selection<Row>, toPiece: (row: Row) => Piece): Source {
  return {
    from,
    async read({ sql }, condition, order, limit) {
      const rest = `${from} where ${condition.sql} order by ${order} limit ?`
      return (await selection.all(sql, rest, [...condition.params, limit])).map(toPiece)
    },
  }
}

const a = table(Approval, 'a')
const x = table(Activity, 'x')
const t = table(Tenant, 't')

/** Questions to people, with alias `a`. */
export const approvals = sourceOf(
  `from ${a} join ${t} on t.id = a.tenant_id`,
  select({
    ...pick(a, 'id', 'title', 'tenantId'),
    tenantName: t.name,
    ...pick(a, 'status', 'riskLevel', 'type'),
    other: nullable(text('(select max(l.activity_id) from approval_links l where l.approval_id = a.id)')),
    since: a.createdOn,
    expiresAt: a.expiresAt,
  }),
  (row) => ({ kind: 'approval', ...row, agentRole: null, hold: null, reason: null }),
)

/** Work, with alias `x`. */
export const activities = sourceOf(
  `from ${x} join ${t} on t.id = x.tenant_id`,
  select({
    ...pick(x, 'id', 'title', 'tenantId'),
    tenantName: t.name,
    status: x.status,
    type: x.type,
    other: nullable(
      text(`(select max(l.approval_id) from approval_links l join approvals q on q.id = l.approval_id
        where l.activity_id = x.id and q.status = 'pending')`),
    ),
    ...pick(x, 'agentRole', 'hold', 'blocker', 'failureReason'),
    since: x.statusSince,
  }),
  ({ blocker, failureReason, ...row }) => ({
    kind: 'activity',
    ...row,
    riskLevel: null,
    reason: blocker?.description ?? failureReason ?? (row.hold ? 'Paused' : null),
    expiresAt: null,
  }),
)

/** What ids stand for, in the order of the ids; those that stand for nothing in scope are left out. */
export async function findPieces(ctx: Ctx, ids: readonly string[]): Promise<Piece[]> {
  if (ids.length === 0) return []
  const [questions, work] = await Promise.all([
    approvals.read(ctx, where(within(ctx.scope, 'a.tenant_id'), oneOf('a.id', ids)), 'a.id', ids.length),
    activities.read(ctx, where(within(ctx.scope, 'x.tenant_id'), oneOf('x.id', ids)), 'x.id', ids.length),
  ])
  const found = new Map([...questions, ...work].map((piece) => [piece.id, piece]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** By time instead of by what needs someone most. */
export type TimeOrder = 'oldest' | 'newest'

/** Questions that wait for a verdict, the riskiest and oldest first, and how many there are. */
export function listPending(ctx: Ctx, filter: PieceFilter, limit: number, time?: TimeOrder) {
  const order = { oldest: 'a.created_on, a.id', newest: 'a.created_on desc, a.id desc' }
  return list(ctx, approvals, pendingWhere(ctx, filter), time ? order[time] : 'a.risk_rank, a.id', limit)
}

/** Work in a state, and how much there is: what stands still longest comes first, of all else the newest. */
export function listByState(
  ctx: Ctx,
  state: Exclude<AskedStatus, 'pending'>,
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

async function list(
  ctx: Ctx,
  source: Source,
  condition: Condition,
  order: string,
  limit: number,
): Promise<{ items: Piece[]; total: number }> {
  const [items, total] = await Promise.all([
    source.read(ctx, condition, order, limit),
    countRows(ctx, source.from, condition),
  ])
  return { items, total }
}
