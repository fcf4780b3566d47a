import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import { check } from '../../../kernel/check.ts'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { nameOfAddress, plainName } from '../../../kernel/names.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { randomToken, sha256Hex } from '../../../platform/crypto/hash.ts'
import { queueMail } from '../../people/mail/jobs.ts'
import { countMailOutside } from '../../people/mail/send-email.ts'
import { isSuspended, Tenant } from '../tenants/entities.ts'
import { taken } from './add-user.ts'
import { Invitation, type InvitedRole, invitedRoles, User } from './entities.ts'
import { mailInvitationJob } from './jobs.ts'
import { invitationTokenContext, invitationUrl } from './mail.ts'
import { comesBack } from './policy.ts'
import { Email } from './schemas.ts'
import { isInvitedReviewer } from './users.ts'

const validMs = 7 * 24 * 3_600_000

export interface NewInvitation {
  email: string
  /** What the person is called at first; default: the words before the `@`. */
  name?: string
  role: InvitedRole
  /** May be left out by anyone who acts for one tenant only. */
  tenantId?: string
}

export interface InvitationSummary {
  id: string
  tenantId: string
  email: string
  name: string
  role: InvitedRole
  status: 'pending' | 'accepted' | 'revoked' | 'expired'
  /** User ULID, or `system`. */
  invitedBy: string
  sentOn: Date
  expiresAt: Date
  acceptedOn: Date | null
  createdOn: Date
}

/**
 * Invites someone to a tenant by mail, also who was taken off its team before, or has an account elsewhere: that is not told. An
 * earlier invitation that has expired gives way to the new one.
 * @throws DomainError `VALIDATION_ERROR`; `NOT_FOUND` for the tenant; `CONFLICT` when the e-mail is of someone of the team or has
 *   an open invitation to the tenant; `UNPROCESSABLE` when the tenant is suspended or cancelled; `RATE_LIMITED` when too many mails
 *   went out today
 */
export async function invite(ctx: Ctx, input: NewInvitation): Promise<InvitationSummary> {
  return create(ctx, input, {})
}

/**
 * As `invite`, with a link for the inviter, who can hand it over otherwise. It is another one than the mailed link and proves
 * no one's mailbox. @throws DomainError as `invite`
 */
export async function inviteWithLink(
  ctx: Ctx,
  input: NewInvitation,
): Promise<InvitationSummary & { url: string }> {
  const token = newToken()
  const summary = await create(ctx, input, { handed: token })
  return { ...summary, url: invitationUrl(ctx, token) }
}

async function create(
  ctx: Ctx,
  input: NewInvitation,
  { handed }: { handed?: string },
): Promise<InvitationSummary> {
  const email = Email.safeParse(input.email.trim())
  if (!email.success) throw invalid('email', `${input.email} is no e-mail address`)
  const name = check(plainName(200), input.name ?? nameOfAddress(email.data), 'name')
  if (!invitedRoles.includes(input.role))
    throw invalid('role', 'Admins, members and reviewers are invited; operators belong to no tenant')
  const tenantId = input.tenantId ?? oneTenant(ctx)
  return transact(ctx, async (txn) => {
    await openTenant(txn, tenantId)
    if (await isOfTeam(txn, email.data, { tenantId, role: input.role })) throw taken(email.data)
    const now = txn.clock.date()
    const open = { tenantId, email: email.data, acceptedOn: null, revokedOn: null }
    await txn.em.nativeUpdate(Invitation, { ...open, expiresAt: { $lte: now } }, { revokedOn: now })
    const { token, ...link } = newLink(txn)
    const row = txn.em.create(Invitation, {
      ...open,
      ...link,
      handedTokenHash: handed === undefined ? null : sha256Hex(handed),
      id: txn.newId(),
      name,
      role: input.role,
      invitedBy: txn.actor.id,
      createdOn: now,
    })
    try {
      await txn.em.flush()
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) throw error
      throw conflict(`${email.data} has an invitation already; send that one again, or revoke it first`)
    }
    await countMailOutside(txn, tenantId)
    return sent(txn, row, token, 'invitation.create')
  })
}

/**
 * Sends an invitation again, for another seven days; the earlier links are worthless from then on.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it was accepted or revoked; `UNPROCESSABLE` when the tenant is shut; `RATE_LIMITED` when too
 *   many mails went out today
 */
export function resendInvitation(ctx: Ctx, id: string): Promise<InvitationSummary> {
  return transact(ctx, async (txn) => {
    const row = await lock(txn, id)
    if (row.acceptedOn || row.revokedOn)
      throw conflict(`This invitation is ${row.acceptedOn ? 'accepted' : 'revoked'}`)
    await openTenant(txn, row.tenantId)
    const { token, ...link } = newLink(txn)
    Object.assign(row, link, { handedTokenHash: null })
    await countMailOutside(txn, row.tenantId)
    return sent(txn, row, token, 'invitation.resend')
  })
}

/**
 * Takes an invitation back; doing it again changes nothing.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it was accepted
 */
export function revokeInvitation(ctx: Ctx, id: string): Promise<void> {
  return transact(ctx, async (txn) => {
    const row = await lock(txn, id)
    if (row.acceptedOn) throw conflict('This invitation is accepted; there is a user now')
    if (row.revokedOn) return
    row.revokedOn = txn.clock.date()
    audit(txn, row, 'invitation.revoke')
  })
}

/** The invitations of the tenants in scope, or of one of them, newest first. */
export function listInvitations(ctx: Ctx, filter: { tenantId?: string } = {}): Promise<InvitationSummary[]> {
  return transact(ctx, async (txn) => {
    const where = filter.tenantId ? { tenantId: filter.tenantId } : {}
    const rows = await txn.em.find(Invitation, where, { orderBy: { id: 'desc' } })
    return rows.map((row) => toSummary(row, txn.clock.now()))
  })
}

async function openTenant(txn: Transaction, id: string): Promise<void> {
  const inScope = txn.scope === 'all' || txn.scope.includes(id)
  const tenant = inScope ? await txn.em.findOne(Tenant, { id }) : null
  if (!tenant) throw notFound('tenant')
  if (isSuspended(tenant.status)) throw new DomainError('UNPROCESSABLE', `The tenant is ${tenant.status}`)
}

/** True for an e-mail of the tenant's own team; the tenant knows of no other account. */
async function isOfTeam(
  txn: Transaction,
  email: string,
  invited: { tenantId: string; role: InvitedRole },
): Promise<boolean> {
  const user = await txn.em.findOne(User, { email }, { fields: ['tenantId', 'status'] })
  if (!user) return false
  if (user.tenantId === invited.tenantId) return !comesBack(user, invited)
  return isInvitedReviewer(txn, user.id, invited.tenantId)
}

async function lock(txn: Transaction, id: string) {
  const row = await txn.em.findOne(Invitation, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!row) throw notFound('invitation')
  return row
}

const newToken = () => `cdk_invite_${randomToken(32)}`

function newLink(txn: Transaction) {
  const token = newToken()
  const sentOn = txn.clock.date()
  return { token, tokenHash: sha256Hex(token), sentOn, expiresAt: new Date(sentOn.getTime() + validMs) }
}

type Row = Omit<InvitationSummary, 'status'> & { revokedOn: Date | null }

/** Queues the mail with the link; nothing that is kept lets anybody read the token. */
function sent(txn: Transaction, row: Row, token: string, action: string): InvitationSummary {
  queueMail(txn, mailInvitationJob, {
    tenantId: row.tenantId,
    payload: {
      invitationId: row.id,
      token: txn.services.encryptor.encrypt(token, invitationTokenContext(row.id)),
    },
  })
  audit(txn, row, action)
  return toSummary(row, txn.clock.now())
}

function audit(txn: Transaction, { id, tenantId, email, role }: Row, action: string): void {
  txn.audit({ tenantId, resourceType: 'invitation', resourceId: id, after: { email, role }, action })
}

function conflict(message: string): DomainError {
  return new DomainError('CONFLICT', message)
}

function toSummary(row: Row, now: number): InvitationSummary {
  const { id, tenantId, email, name, role, invitedBy, sentOn, expiresAt, acceptedOn, createdOn } = row
  const ended = expiresAt.getTime() <= now ? 'expired' : 'pending'
  const status = acceptedOn ? 'accepted' : row.revokedOn ? 'revoked' : ended
  return { id, tenantId, email, name, role, status, invitedBy, sentOn, expiresAt, acceptedOn, createdOn }
}
