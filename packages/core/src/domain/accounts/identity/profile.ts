import { assistantRight, type Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { type MailboxProof, User } from './entities.ts'
import { countsAtOnce } from './policy.ts'
import type { ProfileChanges, StaffProfile, UserProfile } from './schemas.ts'

/** The caller's profile. Serves `GET /auth/v1/me`. @throws DomainError `NOT_FOUND` */
export function me(ctx: Ctx): Promise<UserProfile> {
  return transact(ctx, async (txn) => {
    const user = await txn.em.findOne(User, { id: txn.actor.id })
    if (!user) throw notFound('user')
    return toProfile(user)
  })
}

/**
 * Changes what people say about themselves; an empty text takes a detail away. Serves `PATCH /auth/v1/me`.
 * @throws DomainError `NOT_FOUND`
 */
export function changeProfile(ctx: Ctx, changes: ProfileChanges): Promise<UserProfile> {
  const { tenantId } = ctx.actor
  return transact({ ...ctx, scope: tenantId ? [tenantId] : [] }, async (txn) => {
    const user = await txn.em.findOne(User, { id: txn.actor.id })
    if (!user) throw notFound('user')
    const before: Record<string, unknown> = {}
    const after: Record<string, unknown> = {}
    for (const [field, given] of Object.entries(changes)) {
      const key = field as keyof ProfileChanges
      const value = given || null
      if (given === undefined || user[key] === value) continue
      before[key] = user[key]
      after[key] = value
      Object.assign(user, { [key]: value, updatedOn: txn.clock.date() })
    }
    txn.audit({ tenantId: user.tenantId, resourceType: 'user', resourceId: user.id, before, after })
    return toProfile(user)
  })
}

type Row = Omit<UserProfile, 'image' | 'mailboxProved'> & { image: string | null; mailboxProof: MailboxProof }

function toProfile(user: Row): UserProfile {
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

/**
 * Whom a credential of staff stands for, and what an assistant may do with it. Serves `GET /cli/v1/me`.
 * @throws DomainError `NOT_FOUND`
 */
export async function staffProfile(ctx: Ctx): Promise<StaffProfile> {
  const { actor } = ctx
  return {
    ...(await me(ctx)),
    credential: actor.type === 'api_key' ? 'api_key' : 'token',
    assistantAccess: assistantRight(actor),
  }
}
