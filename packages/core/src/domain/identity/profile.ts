import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { type MailboxProof, User } from './entities.ts'
import { countsAtOnce } from './policy.ts'
import type { Profile, ProfileChanges } from './schemas.ts'

/** The caller's profile. Serves `GET /auth/v1/me`. @throws DomainError `NOT_FOUND` */
export function me(ctx: Ctx): Promise<Profile> {
  return command(ctx, async (cmd) => {
    const user = await cmd.em.findOne(User, { id: cmd.actor.id })
    if (!user) throw notFound('user')
    return toProfile(user)
  })
}

/**
 * Changes what people say about themselves; an empty text takes a detail away. Serves `PATCH /auth/v1/me`.
 * @throws DomainError `NOT_FOUND`
 */
export function changeProfile(ctx: Ctx, changes: ProfileChanges): Promise<Profile> {
  const { tenantId } = ctx.actor
  return command({ ...ctx, scope: tenantId ? [tenantId] : [] }, async (cmd) => {
    const user = await cmd.em.findOne(User, { id: cmd.actor.id })
    if (!user) throw notFound('user')
    const before: Record<string, unknown> = {}
    const after: Record<string, unknown> = {}
    for (const [field, given] of Object.entries(changes)) {
      const key = field as keyof ProfileChanges
      const value = given || null
      if (given === undefined || user[key] === value) continue
      before[key] = user[key]
      after[key] = value
      Object.assign(user, { [key]: value, updatedOn: cmd.clock.date() })
    }
    cmd.audit({ tenantId: user.tenantId, resourceType: 'user', resourceId: user.id, before, after })
    return toProfile(user)
  })
}

type Row = Omit<Profile, 'image' | 'mailboxProved'> & { image: string | null; mailboxProof: MailboxProof }

function toProfile(user: Row): Profile {
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
    mailboxProved: countsAtOnce(user),
  }
}
