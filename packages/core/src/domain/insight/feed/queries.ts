import type { Ctx } from '../../../kernel/context.ts'
import { cursorRow, unknownCursor } from '../../../kernel/page-queries.ts'
import type { Page } from '../../../kernel/paging-queries.ts'
import { preview } from '../../../kernel/text.ts'
import { isUlid } from '../../../platform/clock.ts'
import type { Sql } from '../../../platform/database/database.ts'
import {
  count,
  instant,
  like,
  nullable,
  type RowOf,
  select,
  table,
  text,
} from '../../../platform/database/read.ts'
import { Activity } from '../../work/activities/entities.ts'
import type { RiskLevel } from '../../work/approvals/entities.ts'
import { actionsFor, kindOf, kindsFor, type Rank, ranks } from './policy.ts'
import type { FeedKind, FeedQuery, ReviewerFeedItem } from './schemas.ts'
import { type FeedCursor, type FeedSelection, feedItems, sourceOf } from './source-queries.ts'

/** What stands in the feed, as the sources name it. */
const place = select({
  id: text('f.id'),
  kind: text<FeedKind>('f.kind'),
  rank: count('f.feed_rank'),
  at: instant('f.place'),
  since: instant('f.since'),
  news: instant('f.news'),
  tenantId: text('f.tenant_id'),
  tenantName: text('f.tenant_name'),
  title: text('f.title'),
  reason: nullable(text('f.reason')),
  /** As JSON, the reason of work that is blocked. */
  blocker: like(table(Activity, 'x').blocker, "case when f.kind = 'blocked' then f.reason end"),
  /** Of a mention. */
  author: nullable(text('f.author')),
  riskLevel: nullable(text<RiskLevel>('f.risk_level')),
  deadline: nullable(instant('f.deadline')),
  campaignStatus: nullable(text('f.campaign_status')),
  subjectKind: text<ReviewerFeedItem['subject']['kind']>('f.subject_kind'),
  subjectId: text('f.subject_id'),
})
type Place = RowOf<typeof place>

/** An item with what marks of it need. */
export interface FeedRows {
  item: ReviewerFeedItem
  news: Date
}

/**
 * What needs the caller in the tenants in scope, the most urgent first, without what that one has put aside. One statement,
 * in which each rank is read by its index and only as far as the page needs it. Serves `GET /dashboard/v1/feed` and
 * `GET /dm/v1/feed`.
 * @throws DomainError `VALIDATION_ERROR` on `cursor`
 */
export async function listFeed(ctx: Ctx, query: FeedQuery): Promise<Page<ReviewerFeedItem>> {
  const { limit, cursor, 'filter.kind': kind } = query
  const from = cursor === undefined ? undefined : await readCursor(ctx, cursor)
  const asOf = from?.asOf ?? ctx.clock.date()
  const kinds = kindsFor(ctx.actor).filter((one) => kind === undefined || one === kind)
  const rows = await read(ctx, ranksOf(kinds), { asOf, limit: limit + 1, from })
  const sorted = rows.toSorted(inOrder).slice(0, limit + 1)
  const shown = sorted.slice(0, limit)
  const end = sorted.length > limit ? shown.at(-1) : undefined
  return {
    data: shown.map((row) => toFound(ctx, row).item),
    pagination: { hasMore: end !== undefined, nextCursor: end ? writeCursor(end, asOf) : null },
  }
}

/** One item of the caller's feed, also when it was put aside. */
export async function findItem(ctx: Ctx, sql: Sql, id: string): Promise<FeedRows | undefined> {
  const row = await findRow({ ...ctx, sql }, id)
  return row && toFound(ctx, row)
}

async function findRow(ctx: Ctx, id: string): Promise<Place | undefined> {
  const [row] = await read(ctx, ranksOf(kindsFor(ctx.actor)), { asOf: ctx.clock.date(), limit: 1, id })
  return row
}

/** Remembers what a person has put aside; the newest word on an item counts. */
export async function saveMark(
  tx: Sql,
  mark: {
    userId: string
    itemId: string
    tenantId: string
    seenNews: Date
    returnsAt: Date | null
    markedOn: Date
  },
): Promise<void> {
  await tx.run(
    `insert into feed_marks (user_id, item_id, tenant_id, seen_news, returns_at, marked_on) values (?, ?, ?, ?, ?, ?)
     on conflict (user_id, item_id) do update
       set seen_news = excluded.seen_news, returns_at = excluded.returns_at, marked_on = excluded.marked_on`,
    [mark.userId, mark.itemId, mark.tenantId, mark.seenNews, mark.returnsAt, mark.markedOn],
  )
}

/** Removes marks older than `before`, except for what is blocked, or waits as a campaign, still. @returns how many */
export function pruneMarks(tx: Sql, before: Date): Promise<number> {
  return tx.run(
    `delete from feed_marks where marked_on < ?
       and not exists (select 1 from activities x where x.id = feed_marks.item_id and x.status = 'blocked')
       and not exists (select 1 from campaigns c where c.id = feed_marks.item_id and c.status in ('dm_review', 'client_review'))`,
    [before],
  )
}

const ranksOf = (kinds: readonly FeedKind[]) => ranks.filter((rank) => kinds.includes(kindOf[rank]))

interface Cursor {
  asOf: Date
  rank: number
  place: FeedCursor
}

async function read(
  ctx: Ctx,
  wanted: readonly Rank[],
  { from, ...rest }: Omit<FeedSelection, 'after'> & { from?: Cursor | undefined },
): Promise<Place[]> {
  const parts = wanted.flatMap((rank) => {
    const number = ranks.indexOf(rank) + 1
    if (from && number < from.rank) return []
    return sourceOf(ctx, rank, { ...rest, after: number === from?.rank ? from.place : undefined })
  })
  if (parts.length === 0) return []
  return place.allOf(
    ctx.sql,
    parts.map(({ sql }) => `select ${place.columns} from (${sql}) f`).join('\nunion all\n'),
    parts.flatMap(({ params }) => params),
  )
}

function inOrder(a: Place, b: Place): number {
  return a.rank - b.rank || a.at.getTime() - b.at.getTime() || (a.id < b.id ? -1 : 1)
}

const form = /^([1-9])\.([0-9a-z]{1,9})\.([0-7][0-9A-HJKMNP-TV-Z]{25})\.([0-9a-z]{1,9})$/

/** A place, not an item: what stood there may be done by the time the next page is asked for. */
function writeCursor({ rank, at, id }: Place, asOf: Date): string {
  const digits = (date: Date) => date.getTime().toString(36)
  return [rank, digits(at), id, digits(asOf)].join('.')
}

/** The id of an item that is in the feed still is as good. */
async function readCursor(ctx: Ctx, cursor: string): Promise<Cursor> {
  const [, rank = '', at = '', id = '', asOf = ''] = form.exec(cursor) ?? []
  const dateOf = (digits: string) => new Date(Number.parseInt(digits, 36))
  if (rank !== '') {
    await cursorRow(ctx, feedItems(ctx, ranks[Number(rank) - 1] as Rank), id)
    return { rank: Number(rank), place: { at: dateOf(at), id }, asOf: dateOf(asOf) }
  }
  const row = isUlid(cursor) ? await findRow(ctx, cursor) : undefined
  if (!row) throw unknownCursor()
  return { rank: row.rank, place: { at: row.at, id: cursor }, asOf: ctx.clock.date() }
}

function toFound(ctx: Ctx, row: Place): FeedRows {
  const { id, kind, rank, title, since, deadline, riskLevel, subjectKind, subjectId, news } = row
  return {
    news,
    item: {
      id,
      kind,
      rank,
      title,
      reason: preview(reasonOf(row, ranks[rank - 1] as Rank), 300),
      since,
      ...(deadline && { deadline }),
      ...(riskLevel && { riskLevel }),
      subject: { kind: subjectKind, id: subjectId },
      actions: actionsFor(ctx.actor, row),
      tenantId: row.tenantId,
      tenantName: row.tenantName,
    },
  }
}

const waits = 'Waits for your review'

const urgency: Partial<Record<Rank, string>> = {
  high_risk: 'High risk',
  expiring: 'Expires soon',
  medium_risk: 'Medium risk',
  low_risk: 'Low risk',
}

function reasonOf({ reason, blocker, author }: Place, rank: Rank): string {
  const told = reason ?? ''
  if (rank === 'blocked') return blocker?.description ?? ''
  if (rank === 'mention') return `${author}: ${told}`
  if (rank === 'campaign') return told === '' ? waits : `${waits}: ${told}`
  return urgency[rank] ? `${urgency[rank]}: ${told.replaceAll('_', ' ')}` : told
}
