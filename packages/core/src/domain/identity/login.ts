import { randomToken, sha256Hex } from '../../platform/crypto/hash.ts'
import { command } from '../command.ts'
import type { App, Command, Ctx, Role } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { Tenant } from '../tenants/entities.ts'
import { Session, User } from './entities.ts'
import type { Login, LoginReply, Profile } from './schemas.ts'

const sessionMs = 7 * 24 * 3_600_000

const rolesByApp: Record<App, readonly Role[]> = {
  dashboard: ['admin', 'member'],
  'dm-portal': ['reviewer', 'super_admin', 'admin'],
  manage: ['super_admin'],
}

/**
 * Checks a password and opens a session. An unknown e-mail costs the same time as a wrong password. Serves `POST /auth/v1/login`.
 * @throws DomainError `UNAUTHORIZED`; `FORBIDDEN` without access to the app, for a suspended user or tenant
 */
export async function login(ctx: Ctx, input: Login): Promise<LoginReply> {
  const email = input.email.trim().toLowerCase()
  const found = await findByEmail(ctx, email)
  // Hashing takes milliseconds on purpose, so it stays outside of any transaction.
  const matches = await ctx.services.passwords.verifyPassword(found?.passwordHash, input.password)
  if (!found || !matches) throw new DomainError('UNAUTHORIZED', 'E-mail or password is wrong')
  if (found.status !== 'active') throw new DomainError('FORBIDDEN', `This user is ${found.status}`)
  if (!found.appAccess.includes(input.app) || !rolesByApp[input.app].includes(found.role)) {
    throw new DomainError('FORBIDDEN', `This user has no access to ${input.app}`)
  }
  const refreshToken = randomToken(32)
  return command(everywhere(ctx), async (cmd) => {
    const user = await cmd.em.findOneOrFail(User, { id: found.id })
    const tenant = await activeTenant(cmd, user.tenantId)
    const now = cmd.clock.date()
    const session = cmd.em.create(Session, {
      id: cmd.newId(),
      userId: user.id,
      tokenHash: sha256Hex(refreshToken),
      expiresAt: new Date(now.getTime() + sessionMs),
      createdOn: now,
    })
    user.lastLoginAt = now
    cmd.audit({
      tenantId: user.tenantId,
      resourceType: 'session',
      resourceId: session.id,
      action: 'auth.login',
    })
    const { id, name, role, appAccess } = user
    return {
      accessToken: accessToken(ctx, user, session.id),
      refreshToken,
      user: {
        id,
        email: user.email,
        name,
        role,
        appAccess,
        ...(tenant && { tenantId: tenant.id, tenantName: tenant.name }),
      },
    }
  })
}

/**
 * Makes a new access token; the refresh token stays as it is. Serves `POST /auth/v1/refresh`.
 * @throws DomainError `UNAUTHORIZED` when it is unknown, expired or revoked, or its user or tenant is suspended
 */
export function refresh(ctx: Ctx, refreshToken: string): Promise<{ accessToken: string }> {
  return command(everywhere(ctx), async (cmd) => {
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

/** Ends the caller's session; its access tokens die with it. Serves `POST /auth/v1/logout`. */
export async function logout(ctx: Ctx): Promise<void> {
  const { sessionId, tenantId } = ctx.actor
  if (!sessionId) return
  // The surface is of no tenant, but the audit record is of the caller's.
  await command({ ...ctx, scope: tenantId ? [tenantId] : [] }, async (cmd) => {
    await cmd.em.nativeDelete(Session, { id: sessionId, userId: cmd.actor.id })
    cmd.emit({ tenantId: null, type: 'access_revoked', subject: sessionId, data: {} })
    cmd.audit({
      tenantId: tenantId ?? null,
      resourceType: 'session',
      resourceId: sessionId,
      action: 'auth.logout',
    })
  })
  ctx.services.revocations.add(sessionId)
}

/** The caller's profile. Serves `GET /auth/v1/me`. @throws DomainError `NOT_FOUND` */
export function me(ctx: Ctx): Promise<Profile> {
  return command(ctx, async (cmd) => {
    const user = await cmd.em.findOne(User, { id: cmd.actor.id })
    if (!user) throw notFound('User')
    const { id, email, name, role, appAccess, createdOn, phone, country, about, whatsapp, image } = user
    return {
      id,
      email,
      name,
      role,
      appAccess,
      createdOn,
      phone,
      country,
      about,
      whatsapp,
      ...(image && { image }),
    }
  })
}

/** A session is found by its token alone, before anybody knows whose it is. */
function everywhere(ctx: Ctx): Ctx {
  return { ...ctx, scope: 'all' }
}

function findByEmail(ctx: Ctx, email: string) {
  return command(everywhere(ctx), (cmd) => cmd.em.findOne(User, { email }))
}

async function activeTenant(cmd: Command, tenantId: string | null) {
  if (!tenantId) return null
  const tenant = await cmd.em.findOne(Tenant, { id: tenantId })
  if (!tenant || tenant.status === 'suspended' || tenant.status === 'cancelled') {
    throw new DomainError('FORBIDDEN', `The tenant is ${tenant?.status ?? 'gone'}`)
  }
  return tenant
}

type UserRow = {
  id: string
  role: Exclude<Role, 'agent'>
  appAccess: App[]
  tenantId: string | null
  name: string
  email: string
}

function accessToken(ctx: Ctx, user: UserRow, sid: string): string {
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
