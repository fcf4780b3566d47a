import { within } from '../../../kernel/scope.ts'
import { placeholders, type Sql } from '../../../platform/database/database.ts'
import { leftTable, pick, type RowOf, select, table, text } from '../../../platform/database/read.ts'
import { Notification, NotificationPreference } from './entities.ts'
import { type Preference, preferenceOf } from './preference.ts'

/** Someone who may be told something, and how. */
export interface Recipient {
  userId: string
  preference: Preference
}

const p = leftTable(NotificationPreference, 'p')
const stored = select({
  userId: text('u.id'),
  ...pick(p, 'ways', 'quietFrom', 'quietTo'),
  ownZone: p.timezone,
  tenantZone: text('t.timezone'),
})

/** People whom a tenant tells something: those that are named, staff among them, or all its active admins, or its whole team. */
export async function recipientsOf(
  sql: Sql,
  tenantId: string,
  who: readonly string[] | 'admins' | 'team',
): Promise<Recipient[]> {
  const scope = within([tenantId], 't.id')
  const chosen =
    typeof who === 'string'
      ? `u.tenant_id = t.id and u.role in (${who === 'admins' ? "'admin'" : "'admin', 'member'"}) and u.status = 'active'`
      : `u.id in (${placeholders(who)})`
  const rows = await stored.all(
    sql,
    `from tenants t join users u on u.tenant_id = t.id or u.tenant_id is null left join ${p} on p.user_id = u.id
     where ${scope.sql} and ${chosen} order by u.id`,
    [...scope.params, ...(typeof who === 'string' ? [] : who)],
  )
  return rows.map(({ userId, ways, ...rest }) => ({
    userId,
    preference: preferenceOf({ ways: ways ?? {}, ...rest }),
  }))
}

const n = table(Notification, 'n')
const deliverable = select({
  tenantId: n.tenantId,
  userId: n.userId,
  email: text('u.email'),
  name: text('u.name'),
  ...pick(n, 'type', 'title', 'body', 'urgent'),
})
/** One notification for the person that it is for, who may log in. */
export type DeliverableNotification = RowOf<typeof deliverable>

/** @returns undefined when it is gone, has been read, or no one may be told of it any more */
export function deliverableNotification(
  sql: Sql,
  notificationId: string,
): Promise<DeliverableNotification | undefined> {
  return deliverable.get(
    sql,
    `from ${n} join users u on u.id = n.user_id and u.tenant_id = n.tenant_id join tenants t on t.id = n.tenant_id
     where n.id = ? and n.read = ? and u.status = 'active' and t.status not in ('suspended', 'cancelled')`,
    [notificationId, false],
  )
}
