import type { Row, Sql } from '../../platform/database/database.ts'
import { asInstant } from '../../platform/database/row.ts'
import type { InvitedRole } from './entities.ts'
import type { InvitationLink } from './policy.ts'

/** An invitation that nobody has accepted or revoked, with its tenant. */
export interface OpenInvitation {
  id: string
  tenantId: string
  tenantName: string
  tenantStatus: string
  email: string
  name: string
  role: InvitedRole
  invitedBy: string
  expiresAt: Date
  /** Which of its links the token is of. */
  link: InvitationLink
}

/** Stands before any scope: the token finds out whose it is. */
export async function invitationByToken(sql: Sql, tokenHash: string): Promise<OpenInvitation | undefined> {
  const row = await sql.get<Row>(
    `select i.id, i.tenant_id, t.name as tenant_name, t.status as tenant_status, i.email, i.name, i.role, i.invited_by, i.expires_at, i.token_hash
     from invitations i join tenants t on t.id = i.tenant_id
     where (i.token_hash = ? or i.handed_token_hash = ?) and i.accepted_on is null and i.revoked_on is null`,
    [tokenHash, tokenHash],
  )
  return (
    row && {
      id: row.id as string,
      tenantId: row.tenant_id as string,
      tenantName: row.tenant_name as string,
      tenantStatus: row.tenant_status as string,
      email: row.email as string,
      name: row.name as string,
      role: row.role as OpenInvitation['role'],
      invitedBy: row.invited_by as string,
      expiresAt: asInstant(row.expires_at),
      link: row.token_hash === tokenHash ? ('mailed' as const) : ('handed' as const),
    }
  )
}
