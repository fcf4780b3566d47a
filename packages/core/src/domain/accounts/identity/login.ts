import type { App, Ctx, Role } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import { forgetDevicesOf } from '../../people/push/device-queries.ts'
import { Session, User } from './entities.ts'
import { accessRevoked } from './events.ts'
import { admitLogin, recordKnownLogin } from './login-limit.ts'
import { accountByEmail } from './queries.ts'
import type { Login, LoginReply } from './schemas.ts'
import { accessToken, actingAs, activeTenant, lockUser, openSession, refuse } from './sessions.ts'

const rolesByApp: Record<App, readonly Role[]> = {
  dashboard: ['admin', 'member'],
  'dm-portal': ['reviewer', 'super_admin', 'admin'],
  manage: ['super_admin'],
}

/**
 * Checks a password and opens a session. An unknown e-mail costs the same time as a wrong password. Serves `POST /auth/v1/login`.
 * @param network the caller's address as limits count it
 * @throws DomainError `UNAUTHORIZED`; `FORBIDDEN` without access to the app, for a suspended user or tenant; `RATE_LIMITED` after too many
 *   tries by strangers; `THROTTLED` when too many passwords are being checked
 */
export async function login(ctx: Ctx, input: Login, network: string): Promise<LoginReply> {
  const email = input.email.trim().toLowerCase()
  await admitLogin(ctx, email, network)
  const found = await accountByEmail(ctx.sql, email)
  // Hashing takes milliseconds on purpose, so it stays outside of any transaction.
  const matches = await ctx.services.passwords.verifyPassword(found?.passwordHash, input.password)
  const wrong = new DomainError('UNAUTHORIZED', 'E-mail or password is wrong')
  if (!found || !matches) throw wrong
  return transact(actingAs(ctx, found), async (txn) => {
    const user = await lockUser(txn, found.id)
    // Anyone who changed the password meanwhile has ended all sessions: none is opened with the old one after that.
    if (!user || user.passwordHash !== found.passwordHash) throw wrong
    if (user.status !== 'active') throw new DomainError('FORBIDDEN', `This user is ${user.status}`)
    if (!user.appAccess.includes(input.app) || !rolesByApp[input.app].includes(user.role)) {
      throw new DomainError('FORBIDDEN', `This user has no access to ${input.app}`)
    }
    const { sessionId, ...reply } = await openSession(txn, user)
    user.lastLoginAt = txn.clock.date()
    await recordKnownLogin(txn, user.id, network)
    txn.audit({
      tenantId: user.tenantId,
      resourceType: 'session',
      resourceId: sessionId,
      action: 'auth.login',
    })
    return reply
  })
}

/**
 * Makes a new access token; the refresh token stays as it is. Serves `POST /auth/v1/refresh`.
 * @throws DomainError `UNAUTHORIZED` when it is unknown, expired or revoked, or its user or tenant is suspended
 */
export function refresh(ctx: Ctx, refreshToken: string): Promise<{ accessToken: string }> {
  // A session is found by its token alone, before anybody knows whose it is.
  return transact({ ...ctx, scope: 'all' }, async (txn) => {
    const session = await txn.em.findOne(Session, { tokenHash: sha256Hex(refreshToken) })
    const refused = new DomainError('UNAUTHORIZED', 'The refresh token is invalid, expired or revoked')
    if (!session || session.expiresAt.getTime() <= txn.clock.now()) throw refused
    const user = await txn.em.findOne(User, { id: session.userId, status: 'active' })
    if (!user) throw refused
    await activeTenant(txn, user.tenantId).catch(() => {
      throw refused
    })
    return { accessToken: await accessToken(ctx, user, session.id) }
  })
}

/** Ends the caller's session; its access tokens die with it, and its devices hear nothing more. Serves `POST /auth/v1/logout`. */
export async function logout(ctx: Ctx): Promise<void> {
  const { sessionId, tenantId } = ctx.actor
  if (!sessionId) return
  // The surface is of no tenant, but the audit record is of the caller's.
  await transact({ ...ctx, scope: tenantId ? [tenantId] : [] }, async (txn) => {
    await txn.em.nativeDelete(Session, { id: sessionId, userId: txn.actor.id })
    await forgetDevicesOf(txn, txn.actor.id, sessionId)
    txn.emit(accessRevoked, { tenantId: null, subject: sessionId, data: {} })
    txn.audit({
      tenantId: tenantId ?? null,
      resourceType: 'session',
      resourceId: sessionId,
      action: 'auth.logout',
    })
  })
  refuse(ctx, [sessionId])
}
