import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { releaseProved } from '../tenants/status.ts'
import { ApiKey } from './entities.ts'
import { accessRevoked } from './events.ts'
import { applyGrants, type UserRow } from './grants.ts'
import { accountById } from './queries.ts'
import { actingAs, lockUser, refuse } from './sessions.ts'

/**
 * Notes that the holder of an account whose row is locked has used a mailed link: what was kept for the account counts from now
 * on, and a tenant that waited for it begins to work.
 * @returns what was ended, for `refuse` after the commit
 */
export async function proveMailbox(txn: Transaction, user: UserRow): Promise<string[]> {
  if (user.mailboxProof === 'mail') return []
  const before = user.mailboxProof
  user.mailboxProof = 'mail'
  user.updatedOn = txn.clock.date()
  const ended = await applyGrants(txn, user)
  if (user.role === 'admin' && user.tenantId !== null) await releaseProved(txn, user.tenantId)
  txn.audit({
    tenantId: user.tenantId,
    resourceType: 'user',
    resourceId: user.id,
    before: { mailboxProof: before },
    after: { mailboxProof: 'mail' },
    action: 'user.prove_mailbox',
  })
  return ended
}

/**
 * The same for an account that is taken over: who has proved the mailbox did not show the password, so nothing opens the account
 * any more that was issued before. The sessions are for the caller to end.
 */
export async function takeOver(txn: Transaction, user: UserRow): Promise<string[]> {
  const revoked = user.mailboxProof === 'none' ? await revokeKeys(txn, user.id) : []
  return [...revoked, ...(await proveMailbox(txn, user))]
}

/** Ends the API keys of a person. @returns their ids, for `refuse` after the commit */
export async function revokeKeys(txn: Transaction, userId: string): Promise<string[]> {
  const keys = await txn.em.find(ApiKey, { userId, revokedAt: null })
  for (const key of keys) {
    key.revokedAt = txn.clock.date()
    txn.emit(accessRevoked, { tenantId: null, subject: key.id, data: {} })
  }
  return keys.map(({ id }) => id)
}

/**
 * Takes the token of a mailed link from someone who is logged in to the account that it was mailed to: both together prove the
 * mailbox. Doing it again changes nothing. Serves `POST /auth/v1/me/mailbox`.
 * @throws DomainError `VALIDATION_ERROR` on `token`, in the same words whatever is wrong with it
 */
export async function confirmMailbox(ctx: Ctx, token: string): Promise<{ mailboxProved: true }> {
  const worthless = invalid(
    'token',
    'The link is not valid, or was mailed to another account; log in to that one, or ask for a new password',
  )
  const account = await accountById(ctx.sql, ctx.actor.id)
  if (!account || (await readToken(ctx, token)) !== account.id) throw worthless
  // What was kept for the account may be of tenants that it does not reach yet.
  const acting: Ctx = { ...actingAs(ctx, account), actor: ctx.actor, scope: 'all' }
  const ended = await transact(acting, async (txn) => {
    const user = await lockUser(txn, account.id)
    if (user?.status !== 'active') throw worthless
    txn.audit({ tenantId: user.tenantId, resourceType: 'user', resourceId: user.id })
    return proveMailbox(txn, user)
  })
  refuse(ctx, ended)
  return { mailboxProved: true }
}

async function readToken(ctx: Ctx, token: string): Promise<string | undefined> {
  try {
    return (await ctx.services.tokens.verify(token, 'mailbox')).sub
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}
