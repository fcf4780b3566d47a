import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import { randomToken, sha256Hex } from '../../platform/crypto/hash.ts'
import { check } from '../check.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, invalid, notFound } from '../errors.ts'
import { countMailOutside } from '../mail/outside.ts'
import { queueMail } from '../mail/post.ts'
import { nameOfAddress, plainName } from '../names.ts'
import { oneTenant } from '../scope.ts'
import { isShut, Tenant } from '../tenants/entities.ts'
import { taken } from './add-user.ts'
import { Invitation, type InvitedRole, invitedRoles, User } from './entities.ts'
import { isInvitedReviewer } from './guests.ts'
import { invitationUrl, sealedFor } from './invitation-mail.ts'
import { comesBack } from './policy.ts'
import { Email } from './schemas.ts'

const validMs = 7 * 24 * 3_600_000

export interface NewInvitation {
  email: string
  /** What the person is called at first; default: the words before the `@`. */
  name?: string
  role: InvitedRole
  /** May be left out by whoever acts for one tenant only. */
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
 * Invites somebody to a tenant by mail, also who was taken off its team before, or has an account elsewhere: that is not told. An
 * earlier invitation that has expired gives way to the new one.
 * @throws DomainError `VALIDATION_ERROR`; `NOT_FOUND` for the tenant; `CONFLICT` when the e-mail is of somebody of the team or has
 *   an open invitation to the tenant; `UNPROCESSABLE` when the tenant is suspended or cancelled; `RATE_LIMITED` when too many mails
 *   went out today
 */
export async function invite(ctx: Ctx, input: NewInvitation): Promise<InvitationSummary> {
  return create(ctx, input, {})
}

/**
 * As `invite`, with a link for the inviter, who can hand it over otherwise. It is another one than the mailed link and proves
 * nobody's mailbox. @throws DomainError as `invite`
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
  return command(ctx, async (cmd) => {
    await openTenant(cmd, tenantId)
    if (await isOfTeam(cmd, email.data, { tenantId, role: input.role })) throw taken(email.data)
    const now = cmd.clock.date()
    const open = { tenantId, email: email.data, acceptedOn: null, revokedOn: null }
    await cmd.em.nativeUpdate(Invitation, { ...open, expiresAt: { $lte: now } }, { revokedOn: now })
    const { token, ...link } = newLink(cmd)
    const row = cmd.em.create(Invitation, {
      ...open,
      ...link,
      handedTokenHash: handed === undefined ? null : sha256Hex(handed),
      id: cmd.newId(),
      name,
      role: input.role,
      invitedBy: cmd.actor.id,
      createdOn: now,
    })
    try {
      await cmd.em.flush()
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) throw error
      throw conflict(`${email.data} has an invitation already; send that one again, or revoke it first`)
    }
    await countMailOutside(cmd, tenantId)
    return sent(cmd, row, token, 'invitation.create')
  })
}

/**
 * Sends an invitation anew, for another seven days; the earlier links are worthless from then on.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it was accepted or revoked; `UNPROCESSABLE` when the tenant is shut; `RATE_LIMITED` when too
 *   many mails went out today
 */
export function resendInvitation(ctx: Ctx, id: string): Promise<InvitationSummary> {
  return command(ctx, async (cmd) => {
    const row = await lock(cmd, id)
    if (row.acceptedOn || row.revokedOn)
      throw conflict(`This invitation is ${row.acceptedOn ? 'accepted' : 'revoked'}`)
    await openTenant(cmd, row.tenantId)
    const { token, ...link } = newLink(cmd)
    Object.assign(row, link, { handedTokenHash: null })
    await countMailOutside(cmd, row.tenantId)
    return sent(cmd, row, token, 'invitation.resend')
  })
}

/**
 * Takes an invitation back; doing it again changes nothing.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it was accepted
 */
export function revokeInvitation(ctx: Ctx, id: string): Promise<void> {
  return command(ctx, async (cmd) => {
    const row = await lock(cmd, id)
    if (row.acceptedOn) throw conflict('This invitation is accepted; there is a user now')
    if (row.revokedOn) return
    row.revokedOn = cmd.clock.date()
    audit(cmd, row, 'invitation.revoke')
  })
}

/** The invitations of the tenants in scope, or of one of them, newest first. */
export function listInvitations(ctx: Ctx, filter: { tenantId?: string } = {}): Promise<InvitationSummary[]> {
  return command(ctx, async (cmd) => {
    const where = filter.tenantId ? { tenantId: filter.tenantId } : {}
    const rows = await cmd.em.find(Invitation, where, { orderBy: { id: 'desc' } })
    return rows.map((row) => toSummary(row, cmd.clock.now()))
  })
}

async function openTenant(cmd: Command, id: string): Promise<void> {
  const inScope = cmd.scope === 'all' || cmd.scope.includes(id)
  const tenant = inScope ? await cmd.em.findOne(Tenant, { id }) : null
  if (!tenant) throw notFound('tenant')
  if (isShut(tenant.status)) throw new DomainError('UNPROCESSABLE', `The tenant is ${tenant.status}`)
}

/** True for an e-mail of the tenant's own team; the tenant knows of no other account. */
async function isOfTeam(
  cmd: Command,
  email: string,
  invited: { tenantId: string; role: InvitedRole },
): Promise<boolean> {
  const user = await cmd.em.findOne(User, { email }, { fields: ['tenantId', 'status'] })
  if (!user) return false
  if (user.tenantId === invited.tenantId) return !comesBack(user, invited)
  return isInvitedReviewer(cmd, user.id, invited.tenantId)
}

async function lock(cmd: Command, id: string) {
  const row = await cmd.em.findOne(Invitation, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!row) throw notFound('invitation')
  return row
}

const newToken = () => `cdk_invite_${randomToken(32)}`

function newLink(cmd: Command) {
  const token = newToken()
  const sentOn = cmd.clock.date()
  return { token, tokenHash: sha256Hex(token), sentOn, expiresAt: new Date(sentOn.getTime() + validMs) }
}

type Row = Omit<InvitationSummary, 'status'> & { revokedOn: Date | null }

/** Queues the mail with the link; nothing that is kept lets anybody read the token. */
function sent(cmd: Command, row: Row, token: string, action: string): InvitationSummary {
  queueMail(cmd, 'mail.invitation', {
    tenantId: row.tenantId,
    invitationId: row.id,
    token: cmd.services.box.seal(token, sealedFor(row.id)),
  })
  audit(cmd, row, action)
  return toSummary(row, cmd.clock.now())
}

function audit(cmd: Command, { id, tenantId, email, role }: Row, action: string): void {
  cmd.audit({ tenantId, resourceType: 'invitation', resourceId: id, after: { email, role }, action })
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
