import type { Row, Sql } from '../../platform/database/database.ts'
import { asInstant, asJson } from '../../platform/database/row.ts'
import type { App } from '../context.ts'
import type { MailboxProof, UserStatus } from './entities.ts'
import type { Person } from './sessions.ts'

/** What a proof of identity is checked against, before a transaction is opened for what it allows. */
export interface Account extends Person {
  passwordHash: string
  status: UserStatus
  mailboxProof: MailboxProof
}

const columns = 'id, tenant_id, email, name, password_hash, role, app_access, status, mailbox_proof'

export async function accountById(sql: Sql, id: string): Promise<Account | undefined> {
  return toAccount(await sql.get<Row>(`select ${columns} from users where id = ?`, [id]))
}

/** @param email in lower case */
export async function accountByEmail(sql: Sql, email: string): Promise<Account | undefined> {
  return toAccount(await sql.get<Row>(`select ${columns} from users where email = ?`, [email]))
}

function toAccount(row: Row | undefined): Account | undefined {
  return (
    row && {
      id: row.id as string,
      tenantId: row.tenant_id as string | null,
      email: row.email as string,
      name: row.name as string,
      passwordHash: row.password_hash as string,
      role: row.role as Person['role'],
      appAccess: asJson<App[]>(row.app_access) ?? [],
      status: row.status as UserStatus,
      mailboxProof: row.mailbox_proof as MailboxProof,
    }
  )
}

/** When the request for a new password ends, if it is the person's newest and was not used. */
export async function currentReset(sql: Sql, userId: string, requestId: string): Promise<Date | undefined> {
  const row = await sql.get<Row>(
    'select expires_at from password_resets where user_id = ? and request_id = ? and used_at is null',
    [userId, requestId],
  )
  return row && asInstant(row.expires_at)
}
