import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { daysBetween, daysFrom } from '../../../../kernel/periods.ts'
import { within } from '../../../../kernel/scope.ts'
import { upsertRows } from '../../../../kernel/upsert-queries.ts'
import { placeholders, type SqlValue } from '../../../../platform/database/database.ts'
import { count, nullable, pick, select, table, text } from '../../../../platform/database/read.ts'
import { ChannelConnection } from '../../../accounts/channels/entities.ts'
import { Publication } from '../entities.ts'
import { WebsiteDay } from './entities.ts'
import { type DayOfPage, type WebFigureName, webFigureNames } from './figures.ts'
import type { PageDay } from './schemas.ts'
import type { AskedDays } from './source.ts'

const n = table(ChannelConnection, 'n')
const p = table(Publication, 'p')
const w = table(WebsiteDay, 'w')

const source = select(pick(n, 'id', 'tenantId'))
const page = select({ id: p.id, url: text('p.url') })
const last = select({ day: nullable(text('max(w.day)')) })

/** Days of one page that are shown. */
const mostDays = 93

/** Connected sources after one, for the daily round over all tenants. */
export function connectedSources(ctx: Ctx, after: string, limit: number) {
  const types = [...ctx.services.websiteSources.keys()]
  return source.all(
    ctx.sql,
    `from ${n} where n.id > ? and n.status = 'connected' and n.type in (${placeholders(types)}) order by n.id limit ?`,
    [after, ...types, limit],
  )
}

/** The last day of which a source has said something about a website; null before the first one. */
export async function lastKnownDay(
  ctx: Ctx,
  { channelId, accountKey }: { channelId: string; accountKey: string },
): Promise<string | null> {
  const scope = within(ctx.scope, 'w.tenant_id')
  const [row] = await last.all(
    ctx.sql,
    `from ${w} where w.channel_id = ? and w.publication_id = '' and w.account_key = ? and ${scope.sql}`,
    [channelId, accountKey, ...scope.params],
  )
  return row?.day ?? null
}

/** Pieces that are out on the tenant's website since an instant, with their addresses, the newest first. */
export function publishedPages(ctx: Ctx, tenantId: string, since: Date, limit: number) {
  const scope = within(ctx.scope, 'p.tenant_id')
  return page.all(
    ctx.sql,
    `from ${p} where p.tenant_id = ? and p.status = 'published' and p.published_at >= ? and p.channel_type = 'cms_site'
       and p.url is not null and ${scope.sql} order by p.published_at desc, p.id desc limit ?`,
    [tenantId, since, ...scope.params, limit],
  )
}

/** Rows that one statement forgets. */
const forgottenAtOnce = 200

/**
 * Writes what a source says of some days. What it does not mention any more is forgotten, but each day of the website is written, so
 * that it is known that it was asked for.
 * @param of.pages the pages that it was asked about, with their publications
 */
export async function recordWebsiteDays(
  txn: Transaction,
  of: {
    tenantId: string
    channelId: string
    accountKey: string
    span: AskedDays
    pages: ReadonlyMap<string, string>
  },
  days: readonly DayOfPage[],
): Promise<number> {
  const { tenantId, channelId, accountKey, span, pages } = of
  const asked = [...pages.values()]
  for (let at = 0; at < asked.length; at += forgottenAtOnce) {
    const some = asked.slice(at, at + forgottenAtOnce)
    await txn.tx.run(
      `delete from website_days where channel_id = ? and day >= ? and day <= ? and publication_id in (${placeholders(some)})`,
      [channelId, span.from, span.to, ...some],
    )
  }
  const toRow = (day: string, publicationId: string, figures: DayOfPage['figures']) => ({
    channel_id: channelId,
    day,
    publication_id: publicationId,
    id: txn.newId(),
    tenant_id: tenantId,
    account_key: accountKey,
    ...figureColumns(figures),
    updated_on: txn.clock.date(),
  })
  const whole = new Map(days.filter((one) => one.page === null).map(({ day, figures }) => [day, figures]))
  const rows = daysFrom(span.from, daysBetween(span.from, span.to)).map((day) =>
    toRow(day, '', whole.get(day) ?? {}),
  )
  for (const { day, page: key, figures } of days) {
    const publicationId = key === null ? undefined : pages.get(key)
    if (publicationId !== undefined && day >= span.from && day <= span.to)
      rows.push(toRow(day, publicationId, figures))
  }
  return upsertRows(
    txn.tx,
    {
      table: 'website_days',
      key: ['channel_id', 'day', 'publication_id'],
      fixed: ['id', 'tenant_id'],
      values: ['account_key', ...webFigureNames.map((name) => columnOf[name]), 'search_place_milli'],
      stamp: ['updated_on'],
    },
    rows,
  )
}

const columnOf: Record<WebFigureName, string> = {
  views: 'views',
  sessions: 'sessions',
  visitors: 'visitors',
  keyEvents: 'key_events',
  searchImpressions: 'search_impressions',
  searchClicks: 'search_clicks',
}

function figureColumns(figures: DayOfPage['figures']): Record<string, SqlValue> {
  const counts = webFigureNames.map((name) => [columnOf[name], figures[name] ?? null])
  return { ...Object.fromEntries(counts), search_place_milli: figures.searchPlaceMilli ?? null }
}

const sum = (name: WebFigureName) => nullable(count(`sum(w.${columnOf[name]})`))
const pageDay = select({
  day: w.day,
  views: sum('views'),
  sessions: sum('sessions'),
  visitors: sum('visitors'),
  keyEvents: sum('keyEvents'),
  searchImpressions: sum('searchImpressions'),
  searchClicks: sum('searchClicks'),
  searchPlaceMilli: nullable(count('max(w.search_place_milli)')),
})

/** What became of the page of a piece, the newest day first; the sources count different things of a day. */
export async function pageDaysOf(ctx: Ctx, publicationId: string): Promise<PageDay[]> {
  const scope = within(ctx.scope, 'w.tenant_id')
  const rows = await pageDay.all(
    ctx.sql,
    `from ${w} where w.publication_id = ? and ${scope.sql} group by w.day order by w.day desc limit ?`,
    [publicationId, ...scope.params, mostDays],
  )
  return rows.map(({ searchPlaceMilli, ...day }) => ({
    ...day,
    searchPlace: searchPlaceMilli === null ? null : searchPlaceMilli / 1_000,
  }))
}
