import { firstIdAt } from '../../platform/clock.ts'
import type { Row, Sql } from '../../platform/database/database.ts'
import { asInstant, asNumber, placeholders } from '../../platform/database/row.ts'
import type { Command, Ctx } from '../context.ts'
import { readPage } from '../page-queries.ts'
import { type Condition, equals, readOffset, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import { deepLink } from './deep-link.ts'
import type { NotificationType, SubjectKind } from './entities.ts'
import type { InboxPage, InboxQuery, MobileInbox, MobileInboxQuery, NotificationItem } from './schemas.ts'

/** How long a notification is there, days. */
export const keptDays = 90

const columns = `select n.id, n.type, n.title, n.body, n.read, n.subject_kind, n.subject_id, n.created_on from notifications n`

/** What the caller was told in the last 90 days, newest first. Serves `GET /mobile/v1/notifications`. */
export async function inboxForApp(ctx: Ctx, query: MobileInboxQuery): Promise<MobileInbox> {
  const [{ data }, unread] = await Promise.all([
    readOffset(
      ctx.sql,
      {
        select: columns,
        from: 'notifications n',
        condition: where(own(ctx), equals('n.read', query['filter.read'])),
        orderBy: 'n.id desc',
        request: query,
      },
      (row: Row) => toItem(ctx, row),
    ),
    unreadCount(ctx, ctx.sql),
  ])
  return { data, unreadCount: unread }
}

/** The same by the last one of the page before. Serves `GET /tenant/v1/notifications`. */
export async function inboxPage(ctx: Ctx, query: InboxQuery): Promise<InboxPage> {
  const request = { ...query, order: 'desc' as const }
  const filters = [recent(ctx), equals('n.read', query['filter.read'])]
  const [found, unread] = await Promise.all([
    readPage(ctx, { select: columns, id: 'n.id', rows: mine(ctx), filters, request }, (row: Row) =>
      toItem(ctx, row),
    ),
    unreadCount(ctx, ctx.sql),
  ])
  return { ...found, unreadCount: unread }
}

/** Some of the caller's own, oldest first. */
export async function notificationsById(ctx: Ctx, ids: readonly string[]): Promise<NotificationItem[]> {
  const condition = where(own(ctx), { sql: `n.id in (${placeholders(ids)})`, params: [...ids] })
  const rows = await ctx.sql.all<Row>(`${columns} where ${condition.sql} order by n.id`, condition.params)
  return rows.map((row) => toItem(ctx, row))
}

async function unreadCount(ctx: Ctx, sql: Sql): Promise<number> {
  const unread = where(own(ctx), equals('n.read', false))
  const row = await sql.get<Row>(
    `select count(*) as n from notifications n where ${unread.sql}`,
    unread.params,
  )
  return asNumber(row?.n)
}

/**
 * Marks what the caller has not read yet.
 * @param ids only these; all when undefined
 * @returns how many there were
 */
export function setRead(cmd: Command, ids: readonly string[] | undefined): Promise<number> {
  const chosen = where(
    own(cmd),
    equals('n.read', false),
    ids && { sql: `n.id in (${placeholders(ids)})`, params: [...ids] },
  )
  return cmd.tx.run(
    `update notifications set read = ? where id in (select n.id from notifications n where ${chosen.sql})`,
    [true, ...chosen.params],
  )
}

/** Of every tenant: what was told before an instant goes. @returns how many */
export function deleteToldBefore(tx: Sql, instant: Date): Promise<number> {
  return tx.run('delete from notifications where id < ?', [firstIdAt(instant)])
}

/** The caller's own, as far back as it is kept. */
const own = (ctx: Ctx): Condition => where(mine(ctx), recent(ctx))

function mine(ctx: Ctx): Condition {
  return where(within(ctx.scope, 'n.tenant_id'), equals('n.user_id', ctx.actor.id), equals('n.inbox', true))
}

function recent(ctx: Ctx): Condition {
  const since = new Date(ctx.clock.now() - keptDays * 86_400_000)
  return { sql: 'n.id >= ?', params: [firstIdAt(since)] }
}

function toItem(ctx: Ctx, row: Row): NotificationItem {
  const subject = { kind: row.subject_kind as SubjectKind, id: row.subject_id as string }
  return {
    id: row.id as string,
    type: row.type as NotificationType,
    title: row.title as string,
    body: row.body as string,
    read: Boolean(row.read),
    deepLink: deepLink(ctx, subject),
    createdOn: asInstant(row.created_on),
  }
}
