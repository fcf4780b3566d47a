import { sha256Hex } from '../../platform/crypto/hash.ts'
import { command } from '../command.ts'
import type { App, Ctx, Role } from '../context.ts'
import { DomainError } from '../errors.ts'
import { accountByEmail } from './account-queries.ts'
import { forgetDevicesOf } from '../push/device-queries.ts'
import { Session, User } from './entities.ts'
import { admitLogin, rememberLogin } from './login-limit.ts'
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
  return command(actingAs(ctx, found), async (cmd) => {
    const user = await lockUser(cmd, found.id)
    // Whoever changed the password meanwhile has ended all sessions: none is opened with the old one after that.
    if (!user || user.passwordHash !== found.passwordHash) throw wrong
    if (user.status !== 'active') throw new DomainError('FORBIDDEN', `This user is ${user.status}`)
    if (!user.appAccess.includes(input.app) || !rolesByApp[input.app].includes(user.role)) {
      throw new DomainError('FORBIDDEN', `This user has no access to ${input.app}`)
    }
    const { sessionId, ...reply } = await openSession(cmd, user)
    user.lastLoginAt = cmd.clock.date()
    await rememberLogin(cmd, user.id, network)
    cmd.audit({
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
  return command({ ...ctx, scope: 'all' }, async (cmd) => {
    const session = await cmd.em.findOne(Session, { tokenHash: sha256Hex(refreshToken) })
    const refused = new DomainError('UNAUTHORIZED', 'The refresh token is invalid, expired or revoked')
    if (!session || session.expiresAt.getTime() <= cmd.clock.now()) throw refused
    const user = await cmd.em.findOne(User, { id: session.userId, status: 'active' })
    if (!user) throw refused
    await activeTenant(cmd, user.tenantId).catch(() => {
      throw refused
    })
    return { accessToken: accessToken(ctx, user, session.id) }
  })
}

/** Ends the caller's session; its access tokens die with it, and its devices hear nothing more. Serves `POST /auth/v1/logout`. */
export async function logout(ctx: Ctx): Promise<void> {
  const { sessionId, tenantId } = ctx.actor
  if (!sessionId) return
  // The surface is of no tenant, but the audit record is of the caller's.
  await command({ ...ctx, scope: tenantId ? [tenantId] : [] }, async (cmd) => {
    await cmd.em.nativeDelete(Session, { id: sessionId, userId: cmd.actor.id })
    await forgetDevicesOf(cmd, cmd.actor.id, sessionId)
    cmd.emit({ tenantId: null, type: 'access_revoked', subject: sessionId, data: {} })
    cmd.audit({
      tenantId: tenantId ?? null,
      resourceType: 'session',
      resourceId: sessionId,
      action: 'auth.logout',
    })
  })
  refuse(ctx, [sessionId])
}
