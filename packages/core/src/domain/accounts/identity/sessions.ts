import { LockMode } from '@mikro-orm/core'
import type { App, Ctx, Role, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { madeAt } from '../../../platform/clock.ts'
import { randomToken, sha256Hex } from '../../../platform/crypto/hash.ts'
import { forgetDevices } from '../../people/push/device-queries.ts'
import { isSuspended, Tenant } from '../tenants/entities.ts'
import { Session, User } from './entities.ts'
import { accessRevoked } from './events.ts'
import type { LoginReply } from './schemas.ts'

const sessionMs = 7 * 24 * 3_600_000

/** When a session ends by its age, milliseconds since the epoch: its id, which its access tokens name, says when it was opened. */
export const sessionEnd = (sessionId: string): number => madeAt(sessionId) + sessionMs

/** What tokens, audit records and replies say about a person. */
export interface Person {
  id: string
  role: Exclude<Role, 'agent'>
  appAccess: App[]
  tenantId: string | null
  name: string
  email: string
}

/**
 * The context of an act by which a person proves who that is: the person is its actor, and it reaches the person's own
 * tenant. `/auth/v1` is of no tenant, but its audit records are.
 */
export function actingAs(ctx: Ctx, { id, role, appAccess, tenantId, name, email }: Person): Ctx {
  return {
    ...ctx,
    scope: tenantId ? [tenantId] : [],
    actor: { id, type: 'human', role, appAccess, name, email, ...(tenantId && { tenantId }) },
  }
}

/** The row of a person, kept from logins, password changes and resets at the same moment until the command is over. */
export function lockUser(txn: Transaction, id: string) {
  return txn.em.findOne(User, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
}

/**
 * Opens a session for a person whose row is locked.
 * @throws DomainError `FORBIDDEN` when the tenant is suspended or gone
 */
export async function openSession(
  txn: Transaction,
  user: Person,
): Promise<LoginReply & { sessionId: string }> {
  const tenant = await activeTenant(txn, user.tenantId)
  const refreshToken = randomToken(32)
  const now = txn.clock.date()
  const session = txn.em.create(Session, {
    id: txn.newId(),
    userId: user.id,
    tokenHash: sha256Hex(refreshToken),
    expiresAt: new Date(now.getTime() + sessionMs),
    createdOn: now,
  })
  const { id, email, name, role, appAccess } = user
  return {
    sessionId: session.id,
    accessToken: await accessToken(txn, user, session.id),
    refreshToken,
    user: {
      id,
      email,
      name,
      role,
      appAccess,
      ...(tenant && { tenantId: tenant.id, tenantName: tenant.name }),
    },
  }
}

/**
 * Ends the sessions of a person whose row is locked, all or all but one; the devices of those hear nothing more. Every server refuses their access tokens once
 * the command has committed; give the ids to `refuse` then, so that this one does at once.
 * @returns the ids of the sessions
 */
export async function endSessions(txn: Transaction, userId: string, except?: string): Promise<string[]> {
  const where = { userId, ...(except !== undefined && { id: { $ne: except } }) }
  const ids = (await txn.em.find(Session, where, { fields: ['id'] })).map(({ id }) => id)
  if (ids.length > 0) await txn.em.nativeDelete(Session, { id: { $in: ids } })
  await forgetDevices(txn, userId, except)
  for (const subject of ids) txn.emit(accessRevoked, { tenantId: null, subject, data: {} })
  return ids
}

/** Refuses the access tokens of sessions that have just ended, before the event of their end has come round. */
export function refuse(ctx: Ctx, sessionIds: readonly string[]): void {
  for (const id of sessionIds) ctx.services.revocations.add(id)
}

/** The tenant that someone logs in to; null for staff. @throws DomainError `FORBIDDEN` when it is suspended, cancelled or gone */
export async function activeTenant(txn: Transaction, tenantId: string | null) {
  if (!tenantId) return null
  const tenant = await txn.em.findOne(Tenant, { id: tenantId })
  if (!tenant || isSuspended(tenant.status)) {
    throw new DomainError('FORBIDDEN', `The tenant is ${tenant?.status ?? 'gone'}`)
  }
  return tenant
}

/** An access token of a session. */
export function accessToken(ctx: Ctx, user: Person, sid: string): Promise<string> {
  const { id, role, appAccess, tenantId, name, email } = user
  return ctx.services.tokens.sign('access', {
    sub: id,
    role,
    appAccess,
    ...(tenantId && { tenantId }),
    name,
    email,
    sid,
  })
}
