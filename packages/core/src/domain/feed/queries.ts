import { isUlid } from '../../platform/clock.ts'
import type { Row, Sql } from '../../platform/database/database.ts'
import { asDate, asInstant, asJson, asNumber } from '../../platform/database/row.ts'
import type { Blocker } from '../activities/entities.ts'
import type { RiskLevel } from '../approvals/entities.ts'
import { preview } from '../content/preview.ts'
import type { Ctx } from '../context.ts'
import { cursorRow, unknownCursor } from '../page-queries.ts'
import type { Page } from '../paging-queries.ts'
import { actionsFor, type Facts, kindOf, kindsFor, type Rank, ranks } from './policy.ts'
import type { FeedKind, FeedQuery, ReviewerFeedItem } from './schemas.ts'
import { anyOf, type Place, sourceOf, type Wanted } from './source-queries.ts'

/** An item with what marks of it need. */
export interface Found {
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
export async function findItem(ctx: Ctx, sql: Sql, id: string): Promise<Found | undefined> {
  const row = await findRow({ ...ctx, sql }, id)
  return row && toFound(ctx, row)
}

async function findRow(ctx: Ctx, id: string): Promise<Row | undefined> {
  const [row] = await read(ctx, ranksOf(kindsFor(ctx.actor)), { asOf: ctx.clock.date(), limit: 1, id })
  return row
}

/** Remembers what a person has put aside; the newest word on an item counts. */
export async function keepMark(
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

/** Removes marks older than `before`, except for what is blocked still. @returns how many */
export function pruneMarks(tx: Sql, before: Date): Promise<number> {
  return tx.run(
    `delete from feed_marks where marked_on < ?
       and not exists (select 1 from activities x where x.id = feed_marks.item_id and x.status = 'blocked')`,
    [before],
  )
}

const ranksOf = (kinds: readonly FeedKind[]) => ranks.filter((rank) => kinds.includes(kindOf[rank]))

interface Cursor {
  asOf: Date
  rank: number
  place: Place
}

async function read(
  ctx: Ctx,
  wanted: readonly Rank[],
  { from, ...rest }: Omit<Wanted, 'after'> & { from?: Cursor | undefined },
): Promise<Row[]> {
  const parts = wanted.flatMap((rank) => {
    const number = ranks.indexOf(rank) + 1
    if (from && number < from.rank) return []
    return sourceOf(ctx, rank, { ...rest, after: number === from?.rank ? from.place : undefined })
  })
  if (parts.length === 0) return []
  return ctx.sql.all<Row>(
    parts.map(({ sql }, i) => `select * from (${sql}) s${i}`).join('\nunion all\n'),
    parts.flatMap(({ params }) => params),
  )
}

function inOrder(a: Row, b: Row): number {
  const rank = asNumber(a.feed_rank) - asNumber(b.feed_rank)
  const place = asInstant(a.place).getTime() - asInstant(b.place).getTime()
  return rank || place || ((a.id as string) < (b.id as string) ? -1 : 1)
}

const form = /^([1-8])\.([0-9a-z]{1,9})\.([0-7][0-9A-HJKMNP-TV-Z]{25})\.([0-9a-z]{1,9})$/

/** A place, not an item: what stood there may be done by the time the next page is asked for. */
function writeCursor(row: Row, asOf: Date): string {
  const instant = (date: Date) => date.getTime().toString(36)
  return [row.feed_rank, instant(asInstant(row.place)), row.id, instant(asOf)].join('.')
}

/** The id of an item that is in the feed still is as good. */
async function readCursor(ctx: Ctx, text: string): Promise<Cursor> {
  const [, rank = '', at = '', id = '', asOf = ''] = form.exec(text) ?? []
  const instant = (digits: string) => new Date(Number.parseInt(digits, 36))
  if (rank !== '') {
    await cursorRow(ctx, anyOf(ctx, ranks[Number(rank) - 1] as Rank), id)
    return { rank: Number(rank), place: { at: instant(at), id }, asOf: instant(asOf) }
  }
  const row = isUlid(text) ? await findRow(ctx, text) : undefined
  if (!row) throw unknownCursor()
  const place = { at: asInstant(row.place), id: text }
  return { rank: asNumber(row.feed_rank), place, asOf: ctx.clock.date() }
}

function toFound(ctx: Ctx, row: Row): Found {
  const deadline = asDate(row.deadline)
  const rank = asNumber(row.feed_rank)
  const facts: Facts = {
    kind: row.kind as FeedKind,
    riskLevel: row.risk_level as RiskLevel | null,
    campaignStatus: row.campaign_status as string | null,
    subjectKind: row.subject_kind as string,
  }
  return {
    news: asInstant(row.news),
    item: {
      id: row.id as string,
      kind: facts.kind,
      rank,
      title: row.title as string,
      reason: preview(reasonOf(row, ranks[rank - 1] as Rank), 300),
      since: asInstant(row.since),
      ...(deadline && { deadline }),
      ...(facts.riskLevel && { riskLevel: facts.riskLevel }),
      subject: { kind: facts.subjectKind as 'activity', id: row.subject_id as string },
      actions: actionsFor(ctx.actor, facts),
      tenantId: row.tenant_id as string,
      tenantName: row.tenant_name as string,
    },
  }
}

const urgency: Partial<Record<Rank, string>> = {
  high_risk: 'High risk',
  expiring: 'Expires soon',
  medium_risk: 'Medium risk',
  low_risk: 'Low risk',
}

function reasonOf(row: Row, rank: Rank): string {
  const text = (row.reason ?? '') as string
  if (rank === 'blocked') return asJson<Blocker>(text || null)?.description ?? ''
  if (rank === 'mention') return `${row.author as string}: ${text}`
  return urgency[rank] ? `${urgency[rank]}: ${text.replaceAll('_', ' ')}` : text
}
