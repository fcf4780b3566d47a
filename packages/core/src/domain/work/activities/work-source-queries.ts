import type { Ctx } from '../../../kernel/context.ts'
import type { List } from '../../../kernel/page-queries.ts'
import { type Condition, equals, inScopeOf, type Sorted, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { count, type Selection, select, text } from '../../../platform/database/read.ts'
import type { RiskLevel } from '../approvals/entities.ts'
import { rankOf } from '../approvals/policy.ts'
import { piece, question, type WorkRow } from './work-line-queries.ts'
import type { WorkQuery, WorkState } from './work-schemas.ts'

/** The parts of the queue in their order. Each is one source of lines with an order of its own. */
export const workRanks = [
  'high_risk',
  'medium_risk',
  'low_risk',
  'blocked',
  'at_work',
  'waiting_for_agent',
  'failed',
] as const
export type WorkRank = (typeof workRanks)[number]

export const stateOf: Record<WorkRank, WorkState> = {
  high_risk: 'pending',
  medium_risk: 'pending',
  low_risk: 'pending',
  blocked: 'blocked',
  at_work: 'running',
  waiting_for_agent: 'running',
  failed: 'failed',
}

/** Where a page begins in the order of one rank: after this instant and id. */
export interface WorkPlace {
  at: Date
  id: string
}

interface Source {
  from: string
  /** Decides the order, with the id. */
  place: string
  id: string
  tenant: string
  since: string
  direction: 'asc' | 'desc'
  /** The id of the activity that a line is about. */
  activity: string
  /** What is read of each row, and what a line tells. */
  columns: string
  line: Selection<WorkRow>
  ids: Selection<{ id: string }>
}

const approvals: Source = {
  from: 'approvals a',
  place: 'a.due_at',
  id: 'a.id',
  tenant: 'a.tenant_id',
  since: 'a.created_on',
  direction: 'asc',
  // Of several activities that wait for one answer, the one that it is about, else the oldest.
  activity:
    'coalesce(a.content_of, (select min(l.activity_id) from approval_links l where l.approval_id = a.id))',
  columns: `a.title, a.campaign_id, a.created_on as asked_on, a.type, a.risk_level, a.due_at, a.expires_at, a.claimed_by_name,
    a.claimed_until`,
  line: question,
  ids: select({ id: text('a.id') }),
}

const activities: Source = {
  from: 'activities x',
  place: 'x.status_since',
  id: 'x.id',
  tenant: 'x.tenant_id',
  since: 'x.status_since',
  direction: 'asc',
  activity: 'x.id',
  columns: 'x.title, x.campaign_id, x.created_on as asked_on',
  line: piece,
  ids: select({ id: text('x.id') }),
}

const waiting: Source = {
  ...activities,
  from: 'runs r join activities x on x.id = r.activity_id',
  place: 'r.created_on',
  tenant: 'r.tenant_id',
  since: 'r.created_on',
}

interface Rule {
  source: Source
  condition(ctx: Ctx): Condition
}

/** What has expired is no longer to be decided, though its clock may not have come to it yet. */
const pending = (risk: RiskLevel): Rule => ({
  source: approvals,
  condition: ({ clock }) => ({
    // SQLite would take an index of the expiry for a plain comparison, and then have to sort.
    sql: `a.status = 'pending' and a.risk_rank = ${rankOf(risk)} and case when a.expires_at > ? then 1 else 0 end = 1`,
    params: [clock.date()],
  }),
})

const always = (sql: string) => () => ({ sql, params: [] })

const rules: Record<WorkRank, Rule> = {
  high_risk: pending('high'),
  medium_risk: pending('medium'),
  low_risk: pending('low'),
  blocked: { source: activities, condition: always(`x.status = 'blocked'`) },
  at_work: { source: activities, condition: always(`x.status = 'in_progress'`) },
  waiting_for_agent: {
    source: waiting,
    // Each activity stands at one place: what is running, stands still or has ended is told there.
    condition: always(`r.open = true and r.purpose = 'work'
      and x.status not in ('in_progress', 'blocked', 'done', 'reassigned', 'failed')`),
  },
  failed: { source: { ...activities, direction: 'desc' }, condition: always(`x.status = 'failed'`) },
}

export type WorkFilter = Pick<WorkQuery, 'type' | 'agent'>

function matching(ctx: Ctx, rank: WorkRank, { type, agent }: WorkFilter): Condition {
  const { source, condition } = rules[rank]
  const filters = [
    type === undefined ? undefined : { sql: 'x.deliverable_type = ? or x.type = ?', params: [type, type] },
    equals('x.agent_role', agent),
  ]
  if (source !== approvals || filters.every((filter) => filter === undefined))
    return where(condition(ctx), ...filters)
  const { sql, params } = where(...filters)
  // Counted, as PostgreSQL would make a join of anything else and read all activities for it.
  const isWanted = `(select count(*) from activities x where x.id = ${source.activity} and ${sql}) = 1`
  return where(condition(ctx), { sql: isWanted, params })
}

/** The lines of one rank in its order, as many as are wanted, from a place on; or the one with an id. */
export function readWorkItems(
  ctx: Ctx,
  rank: WorkRank,
  { filter, after, id, limit }: { filter: WorkFilter; after?: WorkPlace; id?: string; limit: number },
): Promise<WorkRow[]> {
  const { source } = rules[rank]
  const { from, place, tenant, direction } = source
  const by = (...columns: string[]) => columns.map((column) => `${column} ${direction}`).join(', ')
  const conditions = [
    matching(ctx, rank, filter),
    after && {
      sql: `(${place}, ${source.id}) ${direction === 'asc' ? '>' : '<'} (?, ?)`,
      params: [after.at, after.id],
    },
    equals(source.id, id),
  ]
  const list: Sorted = { from, id: source.id, tenant, order: [place, source.id], direction, limit }
  // Little waits at a tenant. SQLite has sorted that of 40 before it has merged their lists, PostgreSQL only long after it.
  const all =
    ctx.db.dialect === 'sqlite'
      ? where(within(ctx.scope, tenant), ...conditions)
      : inScopeOf(ctx, list, ...conditions)
  return source.line.all(
    ctx.sql,
    `from (
        select ${source.id} as id, ${place} as place, ${tenant} as tenant_id, ${source.since} as since,
          ${source.activity} as activity_id, ${source.columns}
        from ${from} where ${all.sql} order by ${by(place, source.id)} limit ?
      ) line join tenants t on t.id = line.tenant_id left join activities x on x.id = line.activity_id
        left join campaigns c on c.id = line.campaign_id
      order by ${by('line.place', 'line.id')}`,
    [...all.params, limit],
  )
}

/** Everything in scope that may have a line of a rank, whether it still does or not. */
export function workItems(ctx: Ctx, rank: WorkRank): List<{ id: string }> {
  const { from, id, ids, tenant } = rules[rank].source
  return { select: ids, from: `from ${from}`, id, rows: within(ctx.scope, tenant) }
}

const lines = select({ count: count('count(*)') })

/** How many lines of one rank match. */
export async function countLines(ctx: Ctx, rank: WorkRank, filter: WorkFilter): Promise<number> {
  const { from, tenant } = rules[rank].source
  const all = where(within(ctx.scope, tenant), matching(ctx, rank, filter))
  const row = await lines.get(ctx.sql, `from ${from} where ${all.sql}`, all.params)
  return row?.count ?? 0
}
