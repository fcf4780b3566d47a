import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { restoreAccess, restoreAccessHere, revokeUserAccess } from './access.ts'
import { User } from './entities.ts'
import { lockUser, refuse } from './sessions.ts'

/**
 * Shuts a person out of the whole platform: sessions end, tokens, API keys and open streams are refused on every server.
 * Serves `POST /admin/v1/users/:userId/suspend`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when the user is not active, or is the last super-admin
 */
export async function suspendUser(ctx: Ctx, userId: string, reason: string): Promise<{ suspended: true }> {
  const refused = await transact(ctx, async (txn) => {
    await requireAnotherSuperAdmin(txn, userId)
    const user = await lockUser(txn, userId)
    if (!user) throw notFound('user')
    if (user.status !== 'active')
      throw new DomainError('CONFLICT', `The user is already ${user.status}`, {
        details: { status: user.status },
      })
    user.status = 'suspended'
    user.updatedOn = txn.clock.date()
    txn.audit({
      tenantId: user.tenantId,
      resourceType: 'user',
      resourceId: userId,
      before: { status: 'active' },
      after: { status: 'suspended', reason },
      action: 'user.suspend',
    })
    return revokeUserAccess(txn, userId)
  })
  refuse(ctx, refused)
  return { suspended: true }
}

/**
 * Lets a suspended person log in again. Serves `POST /admin/v1/users/:userId/reinstate`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when the user is not suspended
 */
export async function reinstateUser(ctx: Ctx, userId: string): Promise<{ reinstated: true }> {
  await transact(ctx, async (txn) => {
    const user = await lockUser(txn, userId)
    if (!user) throw notFound('user')
    if (user.status !== 'suspended')
      throw new DomainError('CONFLICT', `The user is ${user.status}, not suspended`, {
        details: { status: user.status },
      })
    user.status = 'active'
    user.updatedOn = txn.clock.date()
    restoreAccess(txn, userId)
    txn.audit({
      tenantId: user.tenantId,
      resourceType: 'user',
      resourceId: userId,
      before: { status: 'suspended' },
      after: { status: 'active' },
      action: 'user.reinstate',
    })
  })
  restoreAccessHere(ctx, userId)
  return { reinstated: true }
}

/**
 * Locks all super-admins in one order, so that of two who suspend each other one stays.
 * @param deed what the last one is kept from
 * @throws DomainError `CONFLICT` for the last one
 */
export async function requireAnotherSuperAdmin(
  txn: Transaction,
  userId: string,
  deed: 'suspension' | 'another role' = 'suspension',
): Promise<void> {
  const user = await txn.em.findOne(User, { id: userId })
  if (user?.role !== 'super_admin') return
  const operators = await txn.em.find(
    User,
    { role: 'super_admin', status: 'active' },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true },
  )
  if (operators.some(({ id, appAccess }) => id !== userId && appAccess.includes('manage'))) return
  const cannot = deed === 'suspension' ? 'cannot be suspended' : 'keeps the role'
  throw new DomainError('CONFLICT', `The last super-admin ${cannot}: no one could undo it`)
}
