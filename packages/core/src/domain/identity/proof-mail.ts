import type { Command, Ctx } from '../context.ts'
import { type MailPayload, post, queueMail } from '../mail/post.ts'
import { shownName } from '../names.ts'
import { accountById } from './account-queries.ts'
import type { MailboxProof } from './entities.ts'

/** The least time between two such mails to one person. */
const againMs = 24 * 3_600_000

/**
 * Mails the holder of an account a link that proves the mailbox, at most once a day: whoever changes a role to and fro sends no
 * floods. A mail for a new password serves as well, whenever the person asks for one. The account's row is locked.
 */
export function askForProof(
  cmd: Command,
  user: { id: string; tenantId: string | null; mailboxProof: MailboxProof; proofAskedOn: Date | null },
): void {
  const now = cmd.clock.date()
  const { id: userId, tenantId, mailboxProof, proofAskedOn } = user
  if (mailboxProof === 'mail') return
  if (proofAskedOn && now.getTime() - proofAskedOn.getTime() < againMs) return
  user.proofAskedOn = now
  queueMail(cmd, 'mail.mailbox_proof', { tenantId, userId })
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
  const token = ctx.services.tokens.sign('mailbox', { sub: id })
  const url = `${ctx.services.settings.links}/confirm-mailbox?token=${token}`
  const letter = {
    greeting: `Hello ${shownName(name)},`,
    paragraphs: [
      `There is a Copydesk account for ${email}. Log in and open this link to confirm that the address is yours; until then the account cannot do everything that it may.`,
    ],
    link: { label: 'Confirm your address', url },
    closing: [
      'The link is valid for seven days.',
      'If you have not made this account, or do not know its password, do not open the link. Ask for a new password on the login page instead: that makes the account yours and ends every login that others have to it.',
    ],
  }
  await post(ctx, payload, { to: email, subject: 'Confirm your address for Copydesk', letter }, signal)
}
