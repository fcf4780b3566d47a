import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import { isSuspended } from '../tenants/entities.ts'
import { restoreAccessHere } from './access.ts'
import { addUser, taken } from './add-user.ts'
import { Invitation, TenantAssignment } from './entities.ts'
import { grantTenant, type UserRow } from './grants.ts'
import { askForProof } from './mail.ts'
import { hashNewPassword } from './new-password.ts'
import { setPassword } from './password-change.ts'
import { type Admission, admissionOf } from './policy.ts'
import { proveMailbox, takeOver } from './proof.ts'
import {
  type Account,
  accountByEmail,
  companyNames,
  invitationByToken,
  type OpenInvitation,
} from './queries.ts'
import { bringBack } from './reactivate.ts'
import { freeAddress } from './replace.ts'
import type { InvitationView, LoginReply } from './schemas.ts'
import { actingAs, lockUser, openSession, refuse } from './sessions.ts'

/**
 * What someone who was invited is shown. Serves `GET /auth/v1/invitations/:token`.
 * @throws DomainError `NOT_FOUND` for a token that is unknown, used, revoked or expired; `FORBIDDEN` when the tenant is shut
 */
export async function viewInvitation(ctx: Ctx, token: string): Promise<InvitationView> {
  const invitation = await openInvitation(ctx, sha256Hex(token))
  const { email, name, tenantName, role, link } = invitation
  const isKnown = admissionOf(await accountByEmail(ctx.sql, email), invitation, link) === 'join'
  return { email, name, tenantName, role, account: isKnown ? 'existing' : 'new' }
}

/**
 * Accepts an invitation, once, and logs the person in. It makes an account, lets someone back who was taken off the same team, or,
 * with the mailed link, gives a tenant to a reviewer who has an account: see `policy.ts`. Serves
 * `POST /auth/v1/invitations/:token/accept`.
 * @throws DomainError as `viewInvitation`; `CONFLICT` when the account of the e-mail cannot be the one that is invited;
 *   `VALIDATION_ERROR` on `password` when it is not that of the account, or a new one that is easily guessed
 */
export async function acceptInvitation(ctx: Ctx, token: string, password: string): Promise<LoginReply> {
  const tokenHash = sha256Hex(token)
  const invitation = await openInvitation(ctx, tokenHash)
  const { tenantId, email, name, role, link } = invitation
  const known = await accountByEmail(ctx.sql, email)
  const admission = admissionOf(known, invitation, link)
  requireAdmission(admission, email)
  const passwordHash = await passwordFor(ctx, { admission, invitation, known, password })
  const id = known && admission !== 'replace' ? known.id : ctx.newId()
  const person = { id, tenantId, email, name, role, appAccess: [] }
  // An account of before, and what was kept for it, may be of other tenants.
  const acting: Ctx = { ...actingAs(ctx, person), ...(known && { scope: 'all' as const }) }
  const { reply, ended } = await transact(acting, async (txn) => {
    const now = txn.clock.date()
    const open = { id: invitation.id, acceptedOn: null, revokedOn: null, expiresAt: { $gt: now } }
    const byLink = link === 'mailed' ? { tokenHash } : { handedTokenHash: tokenHash }
    const accepted = await txn.em.nativeUpdate(Invitation, { ...open, ...byLink }, { acceptedOn: now })
    if (accepted === 0) throw notFound('invitation', { by: 'link' })
    const { user, ended } = await admit(txn, { admission, invitation, known, id, passwordHash })
    const { sessionId: _, ...opened } = await openSession(txn, user)
    user.lastLoginAt = now
    txn.audit({
      tenantId,
      resourceType: 'user',
      resourceId: id,
      ...(admission === 'return' && known && { before: { status: known.status, role: known.role } }),
      after: { email, role, invitationId: invitation.id, link },
      action: 'invitation.accept',
    })
    return { reply: opened, ended }
  })
  refuse(ctx, ended)
  if (admission === 'return') restoreAccessHere(ctx, id)
  return reply
}

interface Admitting {
  admission: Admission
  invitation: OpenInvitation
  /** As it was when the password was hashed. */
  known: Account | undefined
  /** Of the account that is accepted for. */
  id: string
  passwordHash: string
}

async function admit(
  txn: Transaction,
  { admission, invitation, known, id, passwordHash }: Admitting,
): Promise<{ user: UserRow; ended: string[] }> {
  const { tenantId, email, name, role, link } = invitation
  const before = known && (await lockUser(txn, known.id))
  const changed = known && (!before || admissionOf(before, invitation, link) !== admission)
  if (changed) throw taken(email)
  const mailboxProof = link === 'mailed' ? 'mail' : 'none'
  if (before && admission === 'return') {
    const user = await bringBack(txn, id, { tenantId, role, name, passwordHash, mailboxProof })
    if (!user) throw taken(email)
    if (link === 'handed') askForProof(txn, user)
    return { user, ended: [] }
  }
  if (before && admission === 'join') {
    if (before.passwordHash !== passwordHash) throw taken(email)
    const ended = await proveMailbox(txn, before)
    await grantTenant(txn, before, tenantId)
    return { user: before, ended }
  }
  if (before && admission === 'take_over') {
    const sessions = await setPassword(txn, before, { passwordHash, action: 'invitation.take_over' })
    const ended = [...sessions, ...(await takeOver(txn, before))]
    await grantTenant(txn, before, tenantId)
    return { user: before, ended }
  }
  const ended = before ? await freeAddress(txn, before) : []
  if (!ended) throw refusals.elsewhere(email)
  // A reviewer works for the tenant and belongs to none.
  const isStaff = role === 'reviewer'
  const person = { id, tenantId: isStaff ? null : tenantId, email, name, role, passwordHash, mailboxProof }
  const user = await addUser(txn, { ...person, mailboxProof })
  const createdOn = user.createdOn
  if (isStaff) txn.em.create(TenantAssignment, { id: txn.newId(), userId: id, tenantId, createdOn })
  if (link === 'handed') askForProof(txn, user)
  return { user, ended }
}

/** A new password, or that of the account which joins: it shows who accepts. */
async function passwordFor(
  ctx: Ctx,
  given: { admission: Admission; invitation: OpenInvitation; known: Account | undefined; password: string },
): Promise<string> {
  const { admission, invitation, known, password } = given
  if (!known || admission !== 'join') {
    const companies = await companyNames(ctx.sql, invitation.tenantId)
    return hashNewPassword(ctx, { password, email: invitation.email, companies })
  }
  const matches = await ctx.services.passwords.verifyPassword(known.passwordHash, password, 'account')
  if (matches) return known.passwordHash
  throw invalid(
    'password',
    `${known.email} has an account: give its password, or choose a new one first by “forgot password”`,
  )
}

const refusals: Partial<Record<Admission, (email: string) => DomainError>> & {
  elsewhere(email: string): DomainError
} = {
  member: taken,
  mail_only: () => new DomainError('CONFLICT', 'Accept this invitation with the link that was mailed'),
  elsewhere: (email) =>
    new DomainError(
      'CONFLICT',
      `The account of ${email} belongs to another team here, and an account belongs to one: be invited with another address, or ask the operator`,
      { field: 'email' },
    ),
  suspended: () => new DomainError('FORBIDDEN', 'The account of this e-mail is suspended; ask the operator'),
}

function requireAdmission(admission: Admission, email: string): void {
  const refusal = refusals[admission]
  if (refusal) throw refusal(email)
}

async function openInvitation(ctx: Ctx, tokenHash: string): Promise<OpenInvitation> {
  const found = await invitationByToken(ctx.sql, tokenHash)
  if (!found || found.expiresAt.getTime() <= ctx.clock.now()) throw notFound('invitation', { by: 'link' })
  if (isSuspended(found.tenantStatus))
    throw new DomainError('FORBIDDEN', `The tenant is ${found.tenantStatus}`)
  return found
}
