import type { Ctx } from '../../../../kernel/context.ts'
import { readPage } from '../../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../../kernel/paging-queries.ts'
import type { Sql } from '../../../../platform/database/database.ts'
import { count, exists, pick, type RowOf, select, table, text } from '../../../../platform/database/read.ts'
import { SentMail, SuppressedAddress } from './entities.ts'
import type { SuppressedItem, SuppressedQuery } from './schemas.ts'

const m = table(SentMail, 'm')
const s = table(SuppressedAddress, 's')

export const isSuppressed = (sql: Sql, address: string) =>
  exists(sql, 'from suppressed_addresses where address = ?', [address])

/** Notes that a mail is handed over; another try of it changes nothing. */
export async function noteSent(
  tx: Sql,
  mail: { id: string; tenantId: string | null; address: string; sentOn: Date },
): Promise<void> {
  await tx.run(
    `insert into sent_mails (id, tenant_id, address, bounce, sent_on) values (?, ?, ?, null, ?)
     on conflict (id) do nothing`,
    [mail.id, mail.tenantId, mail.address, mail.sentOn],
  )
}

const sent = select(pick(m, 'id', 'bounce'))

/** The mails to an address up to the last that came back, the newest first. */
export function mailsUntilBounce(sql: Sql, address: string, limit: number) {
  return sent.all(
    sql,
    `from ${m} where m.address = ? and m.id <= (select max(b.id) from sent_mails b where b.address = ? and b.bounce is not null)
     order by m.id desc limit ?`,
    [address, address, limit],
  )
}

/** Turns an address off, unless it is off. @returns whether it was on */
export async function suppress(
  tx: Sql,
  row: { id: string; address: string; reason: string; detail: string; mailId: string } & {
    tenantId: string | null
    createdOn: Date
  },
): Promise<boolean> {
  const added = await tx.run(
    `insert into suppressed_addresses (id, address, reason, detail, mail_id, tenant_id, created_on)
     values (?, ?, ?, ?, ?, ?, ?) on conflict (address) do nothing`,
    [row.id, row.address, row.reason, row.detail, row.mailId, row.tenantId, row.createdOn],
  )
  return added > 0
}

const owner = select({ tenantId: text("coalesce(u.tenant_id, '')") })

/** The tenant of the user with an address; undefined for staff, and where no one has it. */
export async function tenantOfUser(sql: Sql, address: string): Promise<string | undefined> {
  const found = await owner.get(sql, 'from users u where u.email = ?', [address])
  return found?.tenantId || undefined
}

const operator = select({ id: text('u.id'), name: text('u.name'), email: text('u.email') })
export type Operator = RowOf<typeof operator>

/** Super-admins who may log in, the longest-serving first. */
export function activeOperators(sql: Sql, limit: number): Promise<Operator[]> {
  return operator.all(
    sql,
    "from users u where u.role = 'super_admin' and u.status = 'active' order by u.id limit ?",
    [limit],
  )
}

/** @returns undefined when the person is not one any more */
export function activeOperator(sql: Sql, userId: string): Promise<Operator | undefined> {
  return operator.get(sql, "from users u where u.id = ? and u.role = 'super_admin' and u.status = 'active'", [
    userId,
  ])
}

const listed = select(pick(s, 'id', 'address', 'reason', 'detail', 'mailId', 'tenantId', 'createdOn'))

/** The addresses that are off, the newest first. */
export function listSuppressed(
  ctx: Ctx,
  given: Partial<SuppressedQuery> = {},
): Promise<Page<SuppressedItem>> {
  const request = { limit: 50, order: 'desc' as const, ...given }
  return readPage(
    ctx,
    {
      select: listed,
      from: `from ${s}`,
      id: s.id,
      rows: where(equals(s.reason, request.reason)),
      filters: [],
      request,
    },
    (row) => row,
  )
}

const number = select({ addresses: count('count(*)') })

/** How many addresses are off. */
export async function countSuppressed(sql: Sql): Promise<number> {
  return (await number.get(sql, 'from suppressed_addresses'))?.addresses ?? 0
}

/** Forgets what was sent before an instant. @returns how many mails */
export function deleteSentBefore(tx: Sql, before: Date): Promise<number> {
  return tx.run('delete from sent_mails where sent_on < ?', [before])
}

/** Forgets what was sent to an address, so that nothing of it counts any more. */
export function forgetSentTo(tx: Sql, address: string): Promise<number> {
  return tx.run('delete from sent_mails where address = ?', [address])
}
