import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { type Condition, equals, readOffset, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { firstIdAt } from '../../../platform/clock.ts'
import { placeholders, type Sql } from '../../../platform/database/database.ts'
import { count, pick, type RowOf, select, table, text } from '../../../platform/database/read.ts'
import { Notification, type NotificationType, type SubjectKind } from './entities.ts'
import type {
  InboxPage,
  InboxQuery,
  MobileInbox,
  MobileInboxQuery,
  NotificationItem,
  ReviewerInboxPage,
} from './schemas.ts'

/** How long a notification is there, days. */
export const keptDays = 90

const n = table(Notification, 'n')
const from = `from ${n}`

const columns = pick(n, 'id', 'type', 'title', 'body', 'read', 'subjectKind', 'subjectId', 'createdOn')
const told = select(columns)
const total = select({ unread: count('count(*)') })

/** What the caller was told in the last 90 days, newest first. Serves `GET /mobile/v1/notifications`. */
export async function inboxForApp(ctx: Ctx, query: MobileInboxQuery): Promise<MobileInbox> {
  const [{ data }, unread] = await Promise.all([
    readOffset(
      ctx.sql,
      {
        select: told,
        from: 'notifications n',
        condition: where(own(ctx), equals(n.read, query['filter.read'])),
        orderBy: 'n.id desc',
        request: query,
      },
      (row) => toItem(ctx, row),
    ),
    unreadCount(ctx, ctx.sql),
  ])
  return { data, unreadCount: unread }
}

/** The same by the last one of the page before. Serves `GET /tenant/v1/notifications`. */
export async function inboxPage(ctx: Ctx, query: InboxQuery): Promise<InboxPage> {
  const request = { ...query, order: 'desc' as const }
  const filters = [recent(ctx), equals(n.read, query['filter.read'])]
  const [found, unread] = await Promise.all([
    readPage(ctx, { select: told, from, id: n.id, rows: mine(ctx), filters, request }, (row) =>
      toItem(ctx, row),
    ),
    unreadCount(ctx, ctx.sql),
  ])
  return { ...found, unreadCount: unread }
}

const toldOf = select({ ...columns, tenantId: n.tenantId, tenantName: text('t.name') })

/** The same of all tenants in scope, each with its tenant. Serves `GET /dm/v1/notifications`. */
export async function reviewerInbox(ctx: Ctx, query: InboxQuery): Promise<ReviewerInboxPage> {
  const request = { ...query, order: 'desc' as const }
  const filters = [recent(ctx), equals(n.read, query['filter.read'])]
  const from = `from ${n} join tenants t on t.id = n.tenant_id`
  const [found, unread] = await Promise.all([
    readPage(
      ctx,
      { select: toldOf, from, id: n.id, rows: mine(ctx), filters, request },
      ({ tenantId, tenantName, ...row }) => ({ ...toItem(ctx, row), tenantId, tenantName }),
    ),
    unreadCount(ctx, ctx.sql),
  ])
  return { ...found, unreadCount: unread }
}

/** Some of the caller's own, oldest first. */
export async function notificationsById(ctx: Ctx, ids: readonly string[]): Promise<NotificationItem[]> {
  const condition = where(own(ctx), { sql: `n.id in (${placeholders(ids)})`, params: [...ids] })
  const rows = await told.all(ctx.sql, `${from} where ${condition.sql} order by n.id`, condition.params)
  return rows.map((row) => toItem(ctx, row))
}

async function unreadCount(ctx: Ctx, sql: Sql): Promise<number> {
  const condition = where(own(ctx), equals(n.read, false))
  return (await total.get(sql, `${from} where ${condition.sql}`, condition.params))?.unread ?? 0
}

/**
 * Marks what the caller has not read yet.
 * @param ids only these; all when undefined
 * @returns how many there were
 */
export function setRead(txn: Transaction, ids: readonly string[] | undefined): Promise<number> {
  const chosen = where(
    own(txn),
    equals(n.read, false),
    ids && { sql: `n.id in (${placeholders(ids)})`, params: [...ids] },
  )
  return txn.tx.run(
    `update notifications set read = ? where id in (select n.id from notifications n where ${chosen.sql})`,
    [true, ...chosen.params],
  )
}

/**
 * Marks what people were told of a subject of a tenant as read: it is no longer so. Pushes and mails of it that are still to
 * leave do not.
 */
export async function settleTold(
  { tx }: Transaction,
  about: { tenantId: string; type: NotificationType; subjectKind: SubjectKind; subjectId: string },
): Promise<void> {
  const { tenantId, type, subjectKind, subjectId } = about
  // By those who may have been told, for whom there is an index.
  await tx.run(
    `update notifications set read = ? where read = ? and inbox in (?, ?) and tenant_id = ? and type = ?
       and subject_kind = ? and subject_id = ? and user_id in (
         select u.id from users u where u.tenant_id = ?
         union all select g.user_id from tenant_assignments g where g.tenant_id = ?
       )`,
    [true, false, true, false, tenantId, type, subjectKind, subjectId, tenantId, tenantId],
  )
}

/** Of every tenant: what was told before an instant goes. @returns how many */
export function deleteToldBefore(tx: Sql, instant: Date): Promise<number> {
  return tx.run('delete from notifications where id < ?', [firstIdAt(instant)])
}

/** The caller's own, as far back as it is kept. */
const own = (ctx: Ctx): Condition => where(mine(ctx), recent(ctx))

function mine(ctx: Ctx): Condition {
  return where(within(ctx.scope, 'n.tenant_id'), equals(n.userId, ctx.actor.id), equals(n.inbox, true))
}

function recent(ctx: Ctx): Condition {
  const since = new Date(ctx.clock.now() - keptDays * 86_400_000)
  return { sql: 'n.id >= ?', params: [firstIdAt(since)] }
}

function toItem(ctx: Ctx, { subjectKind: kind, subjectId, ...row }: RowOf<typeof told>): NotificationItem {
  return { ...row, deepLink: deepLink(ctx, { kind, id: subjectId }) }
}

/** Where the app opens when a person taps: `<app scheme>://approvals/<id>`; without a subject its first screen. */
export function deepLink(ctx: Ctx, subject?: { kind: SubjectKind; id: string }): string {
  const place = subject && subject.kind !== 'home' ? `${subject.kind}/${subject.id}` : 'home'
  return `${ctx.services.settings.appScheme}://${place}`
}
