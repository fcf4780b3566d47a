import type { Row, Sql } from '../../platform/database/database.ts'
import { asJson, placeholders } from '../../platform/database/row.ts'
import { within } from '../scope.ts'
import type { NotificationType } from './entities.ts'
import { type Preference, preferenceOf, type Ways } from './preference.ts'

/** Somebody who may be told something, and how. */
export interface Recipient {
  userId: string
  preference: Preference
}

const columns = `select u.id, p.ways, p.quiet_from, p.quiet_to, p.timezone as own_zone, t.timezone
  from tenants t join users u on u.tenant_id = t.id or u.tenant_id is null
    left join notification_preferences p on p.user_id = u.id`

/** People whom a tenant tells something: those that are named, staff among them, or all its active admins. */
export async function recipientsOf(
  sql: Sql,
  tenantId: string,
  who: readonly string[] | 'admins',
): Promise<Recipient[]> {
  const scope = within([tenantId], 't.id')
  const chosen =
    who === 'admins'
      ? "u.tenant_id = t.id and u.role = 'admin' and u.status = 'active'"
      : `u.id in (${placeholders(who)})`
  const rows = await sql.all<Row>(`${columns} where ${scope.sql} and ${chosen} order by u.id`, [
    ...scope.params,
    ...(who === 'admins' ? [] : who),
  ])
  return rows.map((row) => ({
    userId: row.id as string,
    preference: preferenceOf({
      ways: asJson<Partial<Record<NotificationType, Ways>>>(row.ways) ?? {},
      quietFrom: row.quiet_from as string | null,
      quietTo: row.quiet_to as string | null,
      ownZone: row.own_zone as string | null,
      tenantZone: row.timezone as string,
    }),
  }))
}

/** One notification for the person that it is for, who may log in. */
export interface Tellable {
  tenantId: string
  userId: string
  email: string
  name: string
  type: NotificationType
  title: string
  body: string
  urgent: boolean
}

/** @returns undefined when it is gone, has been read, or nobody may be told of it any more */
export async function tellable(sql: Sql, notificationId: string): Promise<Tellable | undefined> {
  const row = await sql.get<Row>(
    `select n.tenant_id, n.user_id, n.type, n.title, n.body, n.urgent, u.email, u.name
     from notifications n join users u on u.id = n.user_id and u.tenant_id = n.tenant_id join tenants t on t.id = n.tenant_id
     where n.id = ? and n.read = ? and u.status = 'active' and t.status not in ('suspended', 'cancelled')`,
    [notificationId, false],
  )
  if (!row) return undefined
  return {
    tenantId: row.tenant_id as string,
    userId: row.user_id as string,
    email: row.email as string,
    name: row.name as string,
    type: row.type as NotificationType,
    title: row.title as string,
    body: row.body as string,
    urgent: Boolean(row.urgent),
  }
}
