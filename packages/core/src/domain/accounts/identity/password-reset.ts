import type { Ctx } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { shownName } from '../../../kernel/names.ts'
import { transact } from '../../../kernel/transact.ts'
import { type MailPayload, queueMail } from '../../people/mail/jobs.ts'
import { sendEmail } from '../../people/mail/send-email.ts'
import { mailOf } from '../../people/mail/templates/kinds.ts'
import { isSuspended } from '../tenants/entities.ts'
import { passwordResetMail } from './emails.ts'
import { PasswordReset } from './entities.ts'
import { mailResetJob, openResetJob } from './jobs.ts'
import { recordKnownLogin } from './login-limit.ts'
import { hashNewPassword } from './new-password.ts'
import { setPassword } from './password-change.ts'
import { takeOver } from './proof.ts'
import {
  type Account,
  accountByEmail,
  accountById,
  companyNames,
  currentReset,
  tenantStatus,
} from './queries.ts'
import type { ResetPassword } from './schemas.ts'
import { actingAs, lockUser, refuse } from './sessions.ts'
import { tokenLifetimes } from './tokens.ts'

/** Further requests for one e-mail within this time bring no further mail. */
const suppressedMs = 20 * 60_000

/** What the e-mail of a request is sealed for while its job waits. */
export const resetEmailContext = 'job:password.forgot'

/**
 * Takes a request for a new password. It only leaves a job, the same for every e-mail, and never looks whether there is an
 * account: neither the answer nor the time that it takes can tell. Serves `POST /auth/v1/forgot-password`.
 */
export function forgotPassword(ctx: Ctx, email: string): Promise<void> {
  return transact(ctx, async (txn) => {
    txn.enqueue(openResetJob, {
      tenantId: null,
      payload: { email: txn.services.encryptor.encrypt(email, resetEmailContext) },
      uniqueKey: `password.forgot:${txn.services.encryptor.macs(email, resetEmailContext)[0]}`,
    })
    txn.audit({ tenantId: null, resourceType: 'user' })
  })
}

/** Opens the request for anyone who has the e-mail, if anybody can log in with it. The job `password.forgot`. */
export async function openReset(ctx: Ctx, payload: { email: string }): Promise<void> {
  const email = ctx.services.encryptor.decrypt(payload.email, resetEmailContext)
  const account = await accountByEmail(ctx.sql, email)
  if (!account || !(await canLogIn(ctx, account))) return
  await transact({ ...ctx, scope: account.tenantId ? [account.tenantId] : [] }, async (txn) => {
    // Two jobs for one person wait for each other here, and the second one finds the request of the first.
    await lockUser(txn, account.id)
    const now = txn.clock.date()
    const last = await txn.em.findOne(PasswordReset, { userId: account.id })
    if (last && now.getTime() - last.requestedOn.getTime() < suppressedMs) return
    const request = {
      requestId: txn.newId(),
      requestedOn: now,
      expiresAt: new Date(now.getTime() + tokenLifetimes.reset * 1_000),
      usedAt: null,
    }
    if (last) Object.assign(last, request)
    else txn.em.create(PasswordReset, { userId: account.id, ...request })
    txn.audit({
      tenantId: account.tenantId,
      resourceType: 'user',
      resourceId: account.id,
      action: 'auth.password.reset_request',
    })
    queueMail(txn, mailResetJob, {
      tenantId: account.tenantId,
      payload: { userId: account.id, requestId: request.requestId },
    })
  })
}

/**
 * Mails the link, unless it is worthless by now. The token is made here, so that none is ever stored. The job
 * `mail.password_reset`.
 */
export async function mailReset(
  ctx: Ctx,
  payload: MailPayload & { userId: string; requestId: string },
  signal: AbortSignal,
): Promise<void> {
  const account = await openRequest(ctx, payload)
  if (!account) return
  const token = await ctx.services.tokens.sign('reset', { sub: account.id, jti: payload.requestId })
  const url = `${ctx.services.settings.links}/reset-password?token=${token}`
  const { name, email: to, tenantId } = account
  await sendEmail(
    ctx,
    payload,
    { to, tenantId, mail: mailOf(passwordResetMail, { name: shownName(name), url }) },
    signal,
  )
}

/**
 * Sets a new password with the token of a link, once; every session of the person ends, and the mailbox is proved. Serves
 * `POST /auth/v1/reset-password`.
 * @param network the caller's address as limits count it: the person is known there from now on, and nowhere else
 * @throws DomainError `VALIDATION_ERROR` on `token`, in the same words whatever is wrong with it, and on `newPassword` when it is easily guessed
 */
export async function resetPassword(ctx: Ctx, input: ResetPassword, network: string): Promise<void> {
  const worthless = invalid('token', 'The link is not valid any more; ask for a new one')
  const claims = await readToken(ctx, input.token)
  const request = claims && { userId: claims.sub, requestId: claims.jti }
  const account = request && (await openRequest(ctx, request))
  if (!request || !account) throw worthless
  const passwordHash = await hashNewPassword(ctx, {
    password: input.newPassword,
    field: 'newPassword',
    email: account.email,
    companies: await companyNames(ctx.sql, account.tenantId),
  })
  // The link has proved the mailbox, and what was kept for that may be of tenants that the account does not reach yet.
  const ended = await transact({ ...actingAs(ctx, account), scope: 'all' }, async (txn) => {
    const user = await lockUser(txn, account.id)
    const unused = { ...request, usedAt: null }
    const used = await txn.em.nativeUpdate(PasswordReset, unused, { usedAt: txn.clock.date() })
    if (used === 0 || user?.status !== 'active') throw worthless
    await recordKnownLogin(txn, user.id, network, { isNewProof: true })
    const sessions = await setPassword(txn, user, { passwordHash, action: 'auth.password.reset' })
    return [...sessions, ...(await takeOver(txn, user))]
  })
  refuse(ctx, ended)
}

async function readToken(ctx: Ctx, token: string) {
  try {
    return await ctx.services.tokens.verify(token, 'reset')
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}

/** The account of a request that a link still counts for. */
async function openRequest(
  ctx: Ctx,
  { userId, requestId }: { userId: string; requestId: string },
): Promise<Account | undefined> {
  const expiresAt = await currentReset(ctx.sql, userId, requestId)
  if (!expiresAt || expiresAt.getTime() <= ctx.clock.now()) return undefined
  const account = await accountById(ctx.sql, userId)
  return account && (await canLogIn(ctx, account)) ? account : undefined
}

async function canLogIn(ctx: Ctx, { status, tenantId }: Account): Promise<boolean> {
  return status === 'active' && (tenantId === null || !isSuspended(await tenantStatus(ctx.sql, tenantId)))
}
