import { sha256Hex } from '../../platform/crypto/hash.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { isShut } from '../tenants/entities.ts'
import { accountByEmail } from './account-queries.ts'
import { lift } from './access.ts'
import { addUser, taken } from './add-user.ts'
import { bringBack, comesBack } from './come-back.ts'
import { companyNames } from './company-queries.ts'
import { Invitation, TenantAssignment } from './entities.ts'
import { invitationByToken, type OpenInvitation } from './invitation-queries.ts'
import { hashNewPassword } from './new-password.ts'
import type { InvitationView, LoginReply } from './schemas.ts'
import { actingAs, openSession } from './sessions.ts'

/**
 * What somebody who was invited is shown. Serves `GET /auth/v1/invitations/:token`.
 * @throws DomainError `NOT_FOUND` for a token that is unknown, used, revoked or expired; `FORBIDDEN` when the tenant is shut
 */
export async function viewInvitation(ctx: Ctx, token: string): Promise<InvitationView> {
  const { email, name, tenantName, role } = await openInvitation(ctx, sha256Hex(token))
  return { email, name, tenantName, role }
}

/**
 * Makes a person of an invitation, once, or lets one back who was taken off the same team, and logs that person in. Serves `POST /auth/v1/invitations/:token/accept`.
 * @throws DomainError as `viewInvitation`; `CONFLICT` when the e-mail has been taken meanwhile; `VALIDATION_ERROR` for a password that is easily guessed
 */
export async function acceptInvitation(ctx: Ctx, token: string, password: string): Promise<LoginReply> {
  const tokenHash = sha256Hex(token)
  const { id: invitationId, tenantId, email, name, role } = await openInvitation(ctx, tokenHash)
  const known = await accountByEmail(ctx.sql, email)
  if (known && !comesBack(known, { tenantId, role })) throw taken(email)
  const companies = await companyNames(ctx.sql, tenantId)
  const passwordHash = await hashNewPassword(ctx, { password, email, companies })
  const id = known?.id ?? ctx.newId()
  // A reviewer works for the tenant and belongs to none.
  const isStaff = role === 'reviewer'
  const person = { id, tenantId: isStaff ? null : tenantId, email, name, role }
  const reply = await command(actingAs(ctx, { ...person, tenantId, appAccess: [] }), async (cmd) => {
    const now = cmd.clock.date()
    const open = { id: invitationId, tokenHash, acceptedOn: null, revokedOn: null, expiresAt: { $gt: now } }
    const accepted = await cmd.em.nativeUpdate(Invitation, open, { acceptedOn: now })
    if (accepted === 0) throw notFound('Invitation')
    const user = known
      ? await bringBack(cmd, id, { tenantId, role, name, passwordHash })
      : await addUser(cmd, { ...person, passwordHash, mailboxProof: 'none' })
    if (!user) throw taken(email)
    if (isStaff) cmd.em.create(TenantAssignment, { id: cmd.newId(), userId: id, tenantId, createdOn: now })
    const { sessionId: _, ...opened } = await openSession(cmd, user)
    user.lastLoginAt = now
    cmd.audit({
      tenantId,
      resourceType: 'user',
      resourceId: id,
      ...(known && { before: { status: known.status, role: known.role } }),
      after: { email, role, invitationId },
      action: 'invitation.accept',
    })
    return opened
  })
  if (known) lift(ctx, id)
  return reply
}

async function openInvitation(ctx: Ctx, tokenHash: string): Promise<OpenInvitation> {
  const found = await invitationByToken(ctx.sql, tokenHash)
  if (!found || found.expiresAt.getTime() <= ctx.clock.now()) throw notFound('Invitation')
  if (isShut(found.tenantStatus)) throw new DomainError('FORBIDDEN', `The tenant is ${found.tenantStatus}`)
  return found
}
