import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { shownName } from '../../../kernel/names.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import { type MailPayload, queueMail } from '../../people/mail/jobs.ts'
import { sendEmail } from '../../people/mail/send-email.ts'
import { mailOf } from '../../people/mail/templates/kinds.ts'
import { isSuspended } from '../tenants/entities.ts'
import { instantInWords, invitationMail, mailboxProofMail } from './emails.ts'
import type { MailboxProof } from './entities.ts'
import { mailProofJob } from './jobs.ts'
import { accountById, invitationByToken } from './queries.ts'

/** The least time between two such mails to one person. */
const againMs = 24 * 3_600_000

/**
 * Mails the holder of an account a link that proves the mailbox, at most once a day: anyone who changes a role to and fro sends no
 * floods. A mail for a new password serves as well, whenever the person asks for one. The account's row is locked.
 */
export function askForProof(
  txn: Transaction,
  user: { id: string; tenantId: string | null; mailboxProof: MailboxProof; proofAskedOn: Date | null },
): void {
  const now = txn.clock.date()
  const { id: userId, tenantId, mailboxProof, proofAskedOn } = user
  if (mailboxProof === 'mail') return
  if (proofAskedOn && now.getTime() - proofAskedOn.getTime() < againMs) return
  user.proofAskedOn = now
  queueMail(txn, mailProofJob, { tenantId, payload: { userId } })
}

/** Mails the link, unless it is needed no more. The token is made here, so that none is ever stored. The job `mail.mailbox_proof`. */
export async function mailProof(
  ctx: Ctx,
  payload: MailPayload & { userId: string },
  signal: AbortSignal,
): Promise<void> {
  const account = await accountById(ctx.sql, payload.userId)
  if (!account || account.status !== 'active' || account.mailboxProof === 'mail') return
  const { id, name, email } = account
  const token = await ctx.services.tokens.sign('mailbox', { sub: id })
  const url = `${ctx.services.settings.links}/confirm-mailbox?token=${token}`
  const mail = mailOf(mailboxProofMail, { name: shownName(name), email, url })
  await sendEmail(ctx, payload, { to: email, tenantId: account.tenantId, mail }, signal)
}

/** What the token of an invitation is sealed for while its mail waits to be sent. */
export const invitationTokenContext = (invitationId: string) => `invitation:${invitationId}`

/** Where someone who is invited chooses a password. */
export const invitationUrl = ({ services }: Ctx, token: string) =>
  `${services.settings.links}/accept-invitation?token=${token}`

/** Mails the link, unless it is worthless by now. The job `mail.invitation`. */
export async function mailInvitation(
  ctx: Ctx,
  payload: MailPayload & { invitationId: string; token: string },
  signal: AbortSignal,
): Promise<void> {
  const { encryptor } = ctx.services
  const token = encryptor.decrypt(payload.token, invitationTokenContext(payload.invitationId))
  const found = await invitationByToken(ctx.sql, sha256Hex(token))
  if (!found || isSuspended(found.tenantStatus) || found.expiresAt.getTime() <= ctx.clock.now()) return
  const { email, tenantId, tenantName, expiresAt, invitedBy } = found
  const inviter = (await accountById(ctx.sql, invitedBy))?.name
  const mail = mailOf(invitationMail, {
    inviter: inviter === undefined ? undefined : shownName(inviter),
    tenant: shownName(tenantName),
    expires: instantInWords(expiresAt),
    url: invitationUrl(ctx, token),
  })
  await sendEmail(ctx, payload, { to: email, tenantId, mail }, signal)
}
