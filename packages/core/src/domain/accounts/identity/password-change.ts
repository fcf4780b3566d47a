import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { shownName } from '../../../kernel/names.ts'
import { transact } from '../../../kernel/transact.ts'
import { type MailPayload, queueMail } from '../../people/mail/jobs.ts'
import { sendEmail } from '../../people/mail/send-email.ts'
import { mailOf } from '../../people/mail/templates/kinds.ts'
import { instantInWords, passwordChangedMail } from './emails.ts'
import { PasswordReset } from './entities.ts'
import { mailPasswordChangedJob } from './jobs.ts'
import { hashNewPassword } from './new-password.ts'
import { accountById, companyNames } from './queries.ts'
import type { PasswordChange } from './schemas.ts'
import { actingAs, endSessions, lockUser, refuse } from './sessions.ts'

/**
 * Exchanges the caller's password. The other sessions end, and links to reset the old password with them. Serves
 * `PATCH /auth/v1/me/password`.
 * @throws DomainError `UNAUTHORIZED` when the current password is wrong; `VALIDATION_ERROR` for a new one that is easily guessed
 */
export async function changePassword(ctx: Ctx, input: PasswordChange): Promise<{ success: true }> {
  const { passwords } = ctx.services
  const found = await accountById(ctx.sql, ctx.actor.id)
  const wrong = new DomainError('UNAUTHORIZED', 'The current password is wrong')
  // Hashing takes milliseconds on purpose, so it stays outside of any transaction.
  const matches = await passwords.verifyPassword(found?.passwordHash, input.currentPassword, 'account')
  if (!found || !matches) throw wrong
  const passwordHash = await hashNewPassword(ctx, {
    password: input.newPassword,
    field: 'newPassword',
    email: found.email,
    companies: await companyNames(ctx.sql, found.tenantId),
  })
  const { sessionId } = ctx.actor
  const ended = await transact({ ...actingAs(ctx, found), actor: ctx.actor }, async (txn) => {
    const user = await lockUser(txn, found.id)
    // Of two changes at the same moment the second one was made with a password that is no longer the current one.
    if (user?.passwordHash !== found.passwordHash) throw wrong
    return setPassword(txn, user, { passwordHash, keep: sessionId, action: 'auth.password.change' })
  })
  refuse(ctx, ended)
  return { success: true }
}

/**
 * Gives a person whose row is locked another password, ends the sessions but for the one to keep, makes earlier links of
 * resets worthless, and tells the person by mail.
 * @returns the sessions that have ended, to be given to `refuse` after the commit
 */
export async function setPassword(
  txn: Transaction,
  user: { id: string; tenantId: string | null; passwordHash: string; updatedOn: Date },
  { passwordHash, keep, action }: { passwordHash: string; keep?: string | undefined; action: string },
): Promise<string[]> {
  const now = txn.clock.date()
  Object.assign(user, { passwordHash, updatedOn: now })
  await txn.em.nativeUpdate(PasswordReset, { userId: user.id, usedAt: null }, { usedAt: now })
  txn.audit({
    tenantId: user.tenantId,
    resourceType: 'user',
    resourceId: user.id,
    action,
  })
  queueMail(txn, mailPasswordChangedJob, {
    tenantId: user.tenantId,
    payload: { userId: user.id, at: now.toISOString() },
  })
  return endSessions(txn, user.id, keep)
}

/** Tells a person that the password was changed. The job `mail.password_changed`. */
export async function mailPasswordChanged(
  ctx: Ctx,
  payload: MailPayload & { userId: string; at: string },
  signal: AbortSignal,
): Promise<void> {
  const account = await accountById(ctx.sql, payload.userId)
  if (!account) return
  const { name, email: to, tenantId } = account
  const time = instantInWords(new Date(payload.at))
  const mail = mailOf(passwordChangedMail, { name: shownName(name), time })
  await sendEmail(ctx, payload, { to, tenantId, mail }, signal)
}
