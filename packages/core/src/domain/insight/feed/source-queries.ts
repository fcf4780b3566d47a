import type { Ctx } from '../../../kernel/context.ts'
import type { List } from '../../../kernel/page-queries.ts'
import { type Condition, inScopeOf, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { count, type RowOf, select } from '../../../platform/database/read.ts'
import { warningMs } from '../../work/approvals/policy.ts'
import { kindOf, type Rank, ranks, retentionMs, waitingFor } from './policy.ts'

/** Where a page begins in the order of one rank: after this instant and id. */
export interface FeedCursor {
  at: Date
  id: string
}

export interface FeedSelection {
  /** Where the next page begins in one rank. */
  after?: FeedCursor | undefined
  /** The instant by which approvals are told to expire soon: the same for all pages of one reading. */
  asOf: Date
  /** This item only, whether it was put aside or not. */
  id?: string
  limit: number
}

interface Source {
  from: string
  /** Decides the order, with the id: a deadline, or else the time since when it stands there. */
  place: string
  id: string
  since: string
  /** When something new has happened to it. */
  news: string
  title: string
  reason: string
  more: { riskLevel?: string; deadline?: string; campaignStatus?: string; author?: string }
  /** Of the subject: what it is, and its id. */
  subject: readonly [kind: string, id: string]
  tenant: string
}

/** Sorts after every id, so that what has the same instant is left out. */
const last = 'Z'.repeat(26)

const approvals: Source = {
  from: 'approvals a join tenants t on t.id = a.tenant_id',
  place: 'a.expires_at',
  id: 'a.id',
  since: 'a.created_on',
  news: 'a.updated_on',
  title: 'a.title',
  reason: 'a.type',
  more: { riskLevel: 'a.risk_level', deadline: 'a.expires_at' },
  subject: [`'approval'`, 'a.id'],
  tenant: 'a.tenant_id',
}

const activities: Source = {
  from: 'activities x join tenants t on t.id = x.tenant_id left join campaigns c on c.id = x.campaign_id',
  place: 'x.status_since',
  id: 'x.id',
  since: 'x.status_since',
  news: 'x.status_since',
  title: 'x.title',
  reason: 'coalesce(cast(x.blocker as text), x.failure_reason)',
  more: { campaignStatus: 'c.status' },
  subject: [`'activity'`, 'x.id'],
  tenant: 'x.tenant_id',
}

const budgets: Source = {
  from: 'budget_alerts b join tenants t on t.id = b.tenant_id',
  place: 'b.raised_on',
  id: 'b.cap_id',
  since: 'b.raised_on',
  news: 'b.raised_on',
  title: `case when b.level = 100 then 'A budget is used up' else 'A budget is nearly used up' end`,
  reason: 'b.message',
  more: {},
  subject: ['b.scope', 'b.cap_id'],
  tenant: 'b.tenant_id',
}

const mentions: Source = {
  from: `activity_mentions m join tenants t on t.id = m.tenant_id join activity_comments n on n.id = m.comment_id
    join activities x on x.id = m.activity_id`,
  place: 'm.created_on',
  id: 'm.comment_id',
  since: 'm.created_on',
  news: 'm.created_on',
  title: 'x.title',
  reason: 'n.text',
  more: { author: 'n.author_name' },
  subject: [`'activity'`, 'm.activity_id'],
  tenant: 'm.tenant_id',
}

const campaigns: Source = {
  from: 'campaigns c join tenants t on t.id = c.tenant_id',
  place: 'c.updated_on',
  id: 'c.id',
  since: 'c.updated_on',
  news: 'c.updated_on',
  title: 'c.name',
  reason: 'c.status_note',
  more: {},
  subject: [`'campaign'`, 'c.id'],
  tenant: 'c.tenant_id',
}

/** What stands at one rank, in its order, with at most as many rows as a page needs. */
export function sourceOf(ctx: Ctx, rank: Rank, wanted: FeedSelection): Condition {
  const { source, condition, from } = rules[rank](ctx, wanted.asOf)
  const begin = wanted.after && later(wanted.after, from) ? wanted.after : from
  const { place, id, tenant, more } = source
  const { limit } = wanted
  const conditions = [
    condition,
    { sql: `(${place}, ${id}) > (?, ?)`, params: [begin.at, begin.id] },
    wanted.id === undefined ? notPutAside(ctx, source) : { sql: `${id} = ?`, params: [wanted.id] },
  ]
  const list = { from: source.from, id, tenant, order: [place, id], direction: 'asc', limit } as const
  // Little waits at a tenant. SQLite has sorted that of 40 before it has merged their lists, PostgreSQL only long after it.
  const all =
    ctx.db.dialect === 'sqlite'
      ? where(within(ctx.scope, tenant), ...conditions)
      : inScopeOf(ctx, list, ...conditions)
  return {
    sql: `select ${id} as id, '${kindOf[rank]}' as kind, ${ranks.indexOf(rank) + 1} as feed_rank, ${place} as place,
      ${source.since} as since, ${source.news} as news, ${tenant} as tenant_id, t.name as tenant_name, ${source.title} as title,
      ${source.reason} as reason, ${textOr(more.author)} as author, ${textOr(more.riskLevel)} as risk_level,
      ${more.deadline ?? 'cast(null as timestamptz)'} as deadline, ${textOr(more.campaignStatus)} as campaign_status,
      ${source.subject[0]} as subject_kind, ${source.subject[1]} as subject_id
      from ${source.from} where ${all.sql} order by ${place}, ${id} limit ?`,
    params: [...all.params, limit],
  }
}

const there = select({ one: count('1') })

/** Everything in scope that may have an item of a rank, whether it still does or not. */
export function feedItems(ctx: Ctx, rank: Rank): List<RowOf<typeof there>> {
  const { from, id, tenant } = rules[rank](ctx, ctx.clock.date()).source
  return { select: there, from: `from ${from}`, id, rows: within(ctx.scope, tenant) }
}

const textOr = (column: string | undefined) => column ?? 'cast(null as text)'

const later = (a: FeedCursor, b: FeedCursor) =>
  a.at > b.at || (a.at.getTime() === b.at.getTime() && a.id > b.id)

interface Rule {
  source: Source
  condition: Condition
  /** Where the rank begins. */
  from: FeedCursor
}

const at = (ms: number): FeedCursor => ({ at: new Date(ms), id: last })

function approvalsOf(riskRank: number, { after }: { after: (now: number, soon: number) => number }) {
  return (ctx: Ctx, asOf: Date): Rule => ({
    source: approvals,
    condition: { sql: `a.status = 'pending' and a.risk_rank = ${riskRank}`, params: [] },
    from: at(after(ctx.clock.now(), asOf.getTime() + warningMs)),
  })
}

/** What has expired is no longer to be decided, though its clock may not have come to it yet. */
const rules: Record<Rank, (ctx: Ctx, asOf: Date) => Rule> = {
  high_risk: approvalsOf(1, { after: (now) => now }),
  expiring: (ctx, asOf) => ({
    source: approvals,
    condition: {
      sql: `a.status = 'pending' and a.risk_rank > 1 and a.expires_at <= ?`,
      params: [new Date(asOf.getTime() + warningMs)],
    },
    from: at(ctx.clock.now()),
  }),
  blocked: () => ({
    source: activities,
    condition: {
      sql: `x.status = 'blocked' and x.hold is null and ${isAlive}`,
      params: [],
    },
    from: at(0),
  }),
  failed: (ctx) => ({
    source: activities,
    condition: {
      sql: `x.status = 'failed'
        and (x.failure_reason is null or x.failure_reason <> 'cancelled_by_reviewer') and ${isAlive}`,
      params: [],
    },
    from: at(ctx.clock.now() - retentionMs),
  }),
  budget: (ctx) => ({
    source: budgets,
    condition: { sql: `(b.until is null or b.until > ?) and ${isStillSo}`, params: [ctx.clock.date()] },
    from: at(ctx.clock.now() - retentionMs),
  }),
  mention: (ctx) => ({
    source: mentions,
    condition: { sql: isUnanswered, params: [ctx.actor.id, ctx.actor.id, ctx.actor.id] },
    from: at(ctx.clock.now() - retentionMs),
  }),
  campaign: ({ actor }) => ({
    source: campaigns,
    condition: { sql: 'c.status = ?', params: [waitingFor(actor) ?? ''] },
    from: at(0),
  }),
  medium_risk: approvalsOf(2, { after: (now, soon) => Math.max(now, soon) }),
  low_risk: approvalsOf(3, { after: (now, soon) => Math.max(now, soon) }),
}

/** What belongs to an archived campaign rests for good. */
const isAlive = `(c.status is null or c.status <> 'archived')`

/** No one has changed the cap since, and what it is set on goes on. A blocked activity tells of its budget itself. */
const isStillSo = `case b.scope
  when 'tenant' then t.spend_cap_micros = b.limit_micros
  when 'campaign' then exists (select 1 from campaigns c where c.id = b.cap_id and c.budget_cap_micros = b.limit_micros
    and c.status not in ('completed', 'archived'))
  else exists (select 1 from activities x where x.id = b.cap_id and x.status not in ('done', 'reassigned', 'failed', 'blocked'))
  end`

/** The newest mention of a person on an activity, as long as that one has said nothing there since. */
const isUnanswered = `m.user_id = ?
  and not exists (select 1 from activity_mentions o where o.user_id = ? and o.activity_id = m.activity_id and o.comment_id > m.comment_id)
  and not exists (select 1 from activity_comments r where r.activity_id = m.activity_id and r.id > m.comment_id and r.author_id = ?)`

function notPutAside(ctx: Ctx, { id, news }: Source): Condition {
  return {
    sql: `not exists (select 1 from feed_marks k where k.user_id = ? and k.item_id = ${id} and k.seen_news >= ${news}
      and (k.returns_at is null or k.returns_at > ?))`,
    params: [ctx.actor.id, ctx.clock.date()],
  }
}
