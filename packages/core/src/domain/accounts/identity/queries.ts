import { placeholders, type Sql } from '../../../platform/database/database.ts'
import {
  exists,
  instant,
  leftTable,
  nullable,
  pick,
  type RowOf,
  select,
  table,
  text,
} from '../../../platform/database/read.ts'
import { EventRow } from '../../../platform/events/entities.ts'

import { Tenant, TenantProfile } from '../tenants/entities.ts'
import { ApiKey, Invitation, PasswordReset, TenantAssignment, User } from './entities.ts'
import type { InvitationLink } from './policy.ts'

/** What stands before any scope: it finds out whose something is. */

const k = table(ApiKey, 'k')
const u = table(User, 'u')
const own = leftTable(Tenant, 't')

const owner = select({
  keyId: k.id,
  userId: u.id,
  ...pick(u, 'name', 'email', 'role', 'appAccess', 'tenantId'),
  tenantIds: k.tenantIds,
  assistantAccess: k.assistantAccess,
  userStatus: u.status,
  /** Of the user's own tenant; null for staff. */
  tenantStatus: own.status,
  expiresAt: k.expiresAt,
  revokedAt: k.revokedAt,
})

export function keyOwner(sql: Sql, keyHash: string): Promise<RowOf<typeof owner> | undefined> {
  return owner.get(
    sql,
    `from ${k} join ${u} on u.id = k.user_id left join ${own} on t.id = u.tenant_id where k.key_hash = ?`,
    [keyHash],
  )
}

const grant = select({
  apps: u.appAccess,
  sessionEnds: nullable(instant('s.expires_at')),
  keyEnds: nullable(instant('k.expires_at')),
})

/**
 * Whether a user may still use what was issued with a session or an API key: both live, and the user a super-admin.
 * @returns when that session or key ends, null for a key that does not; undefined when the user may not
 */
export async function impersonationGrant(
  sql: Sql,
  userId: string,
  grantId: string,
  now: Date,
): Promise<{ endsAt: Date | null } | undefined> {
  const row = await grant.get(
    sql,
    `from ${u} left join sessions s on s.id = ? and s.user_id = u.id and s.expires_at > ?
       left join api_keys k on k.id = ? and k.user_id = u.id and k.revoked_at is null
         and (k.expires_at is null or k.expires_at > ?)
     where u.id = ? and u.status = 'active' and u.role = 'super_admin' and (s.id is not null or k.id is not null)`,
    [grantId, now, grantId, now, userId],
  )
  return row?.apps.includes('manage') ? { endsAt: row.sessionEnds ?? row.keyEnds } : undefined
}

const a = table(TenantAssignment, 'a')
const assigned = select({ tenantId: a.tenantId })

export async function assignedTenants(sql: Sql, userId: string): Promise<string[]> {
  const rows = await assigned.all(sql, `from ${a} where a.user_id = ? order by a.tenant_id`, [userId])
  return rows.map(({ tenantId }) => tenantId)
}

const t = table(Tenant, 't')
const tenant = select({ status: t.status })

export async function tenantStatus(sql: Sql, tenantId: string): Promise<string | undefined> {
  const row = await tenant.get(sql, `from ${t} where t.id = ?`, [tenantId])
  return row?.status
}

const run = select({ tenantId: text('r.tenant_id'), agentName: text('coalesce(m.name, r.agent_role)') })

/** Whose run it is, and what its agent is called. */
export function runOwner(sql: Sql, runId: string): Promise<RowOf<typeof run> | undefined> {
  return run.get(sql, 'from runs r left join master_agents m on m.role = r.agent_role where r.id = ?', [
    runId,
  ])
}

/** Notes when keys were last used; a later use that another process has noted already stays. */
export async function markUsed(tx: Sql, uses: ReadonlyMap<string, Date>): Promise<void> {
  // In the order of the ids, so that two processes never wait for each other.
  for (const [id, at] of [...uses].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    await tx.run(
      'update api_keys set last_used_at = ? where id = ? and (last_used_at is null or last_used_at < ?)',
      [at, id, at],
    )
  }
}

const account = select(
  pick(u, 'id', 'tenantId', 'email', 'name', 'passwordHash', 'role', 'appAccess', 'status', 'mailboxProof'),
)
/** What a proof of identity is checked against, before a transaction is opened for what it allows. */
export type Account = RowOf<typeof account>

export function accountById(sql: Sql, id: string): Promise<Account | undefined> {
  return account.get(sql, `from ${u} where u.id = ?`, [id])
}

/** @param email in lower case */
export function accountByEmail(sql: Sql, email: string): Promise<Account | undefined> {
  return account.get(sql, `from ${u} where u.email = ?`, [email])
}

const r = table(PasswordReset, 'r')
const reset = select({ expiresAt: r.expiresAt })

/** When the request for a new password ends, if it is the person's newest and was not used. */
export async function currentReset(sql: Sql, userId: string, requestId: string): Promise<Date | undefined> {
  const row = await reset.get(
    sql,
    `from ${r} where r.user_id = ? and r.request_id = ? and r.used_at is null`,
    [userId, requestId],
  )
  return row?.expiresAt
}

const p = leftTable(TenantProfile, 'p')
const company = select({ name: t.name, legalName: p.legalName })

/** What the company of a tenant is called; nothing for staff, who belong to none. */
export async function companyNames(sql: Sql, tenantId: string | null): Promise<string[]> {
  if (tenantId === null) return []
  const row = await company.get(sql, `from ${t} left join ${p} on p.tenant_id = t.id where t.id = ?`, [
    tenantId,
  ])
  return row ? [row.name, ...(row.legalName === null ? [] : [row.legalName])] : []
}

const i = table(Invitation, 'i')

const open = select({
  id: i.id,
  tenantId: i.tenantId,
  tenantName: t.name,
  tenantStatus: t.status,
  ...pick(i, 'email', 'name', 'role', 'invitedBy', 'expiresAt', 'tokenHash'),
})

/** An invitation that no one has accepted or revoked, with its tenant. */
export interface OpenInvitation extends Omit<RowOf<typeof open>, 'tokenHash'> {
  /** Which of its links the token is of. */
  link: InvitationLink
}

/** Stands before any scope: the token finds out whose it is. */
export async function invitationByToken(sql: Sql, tokenHash: string): Promise<OpenInvitation | undefined> {
  const row = await open.get(
    sql,
    `from ${i} join ${t} on t.id = i.tenant_id
     where (i.token_hash = ? or i.handed_token_hash = ?) and i.accepted_on is null and i.revoked_on is null`,
    [tokenHash, tokenHash],
  )
  if (!row) return undefined
  const { tokenHash: mailed, ...invitation } = row
  return { ...invitation, link: mailed === tokenHash ? 'mailed' : 'handed' }
}

const e = table(EventRow, 'e')

const change = select({
  seq: e.seq,
  type: text<'access_revoked' | 'access_restored'>('e.type'),
  subject: e.subject,
  at: e.at,
})
/** That an id is refused from some instant on, or let in again. */
export type AccessChange = RowOf<typeof change>

/**
 * Who was shut out and let in since an instant, in the order in which it happened, however much else did. The types are written out
 * so that both databases use the index on just these events.
 */
export function accessChangesSince(sql: Sql, since: Date): Promise<AccessChange[]> {
  return change.all(
    sql,
    `from ${e} where e.type in ('access_revoked', 'access_restored') and e.at >= ? order by e.seq`,
    [since],
  )
}

/**
 * Whether an account was proved from a network since an instant. An e-mail without an account is asked for in the same way, so that the time tells
 * nothing.
 * @param email in lower case
 * @param networks the keyed hashes of one network
 */
export async function isKnownNetwork(
  sql: Sql,
  email: string,
  networks: readonly string[],
  since: Date,
): Promise<boolean> {
  return exists(
    sql,
    `from users u join known_logins k on k.user_id = u.id
     where u.email = ? and k.network in (${placeholders(networks)}) and k.used_on >= ?`,
    [email, ...networks, since],
  )
}

/** Notes that an account was proved from a network. */
export async function noteNetwork(tx: Sql, userId: string, network: string, at: Date): Promise<void> {
  await tx.run(
    `insert into known_logins (user_id, network, used_on) values (?, ?, ?)
     on conflict (user_id, network) do update set used_on = excluded.used_on`,
    [userId, network, at],
  )
}

/** Forgets from where an account was proved. */
export async function forgetNetworks(tx: Sql, userId: string): Promise<void> {
  await tx.run('delete from known_logins where user_id = ?', [userId])
}
