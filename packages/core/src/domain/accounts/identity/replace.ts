import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import { isSuspended, Tenant } from '../tenants/entities.ts'
import { revokeUserAccess } from './access.ts'
import { PasswordReset, TenantAssignment, User } from './entities.ts'
import { dropGrants, type UserRow } from './grants.ts'
import { revokeKeys } from './proof.ts'

/**
 * Takes the address from an account that no one has proved, for the owner of the mailbox, who is someone else to all that is
 * known: the account is deactivated and keeps what was done under it. Its row is locked.
 * @returns what was ended, for `refuse` after the commit; undefined when the account is the only admin of a tenant that works
 */
export async function freeAddress(txn: Transaction, user: UserRow): Promise<string[] | undefined> {
  if (await isOnlyAdmin(txn, user)) return undefined
  const { id: userId, email, status } = user
  const now = txn.clock.date()
  user.email = `${userId.toLowerCase()}@replaced.invalid`
  user.status = 'deactivated'
  user.updatedOn = now
  await txn.em.nativeUpdate(PasswordReset, { userId, usedAt: null }, { usedAt: now })
  await txn.em.nativeDelete(TenantAssignment, { userId })
  await dropGrants(txn, userId)
  txn.audit({
    tenantId: user.tenantId,
    resourceType: 'user',
    resourceId: userId,
    before: { email, status },
    after: { email: user.email, status: user.status },
    action: 'user.replaced',
  })
  const ended = [...(await revokeKeys(txn, userId)), ...(await revokeUserAccess(txn, userId))]
  // The address is free for the next row from here on.
  await txn.em.flush()
  return ended
}

async function isOnlyAdmin(txn: Transaction, { id, role, tenantId, status }: UserRow): Promise<boolean> {
  if (role !== 'admin' || tenantId === null || status !== 'active') return false
  const tenant = await txn.em.findOne(Tenant, { id: tenantId })
  if (!tenant || isSuspended(tenant.status)) return false
  const admins = await txn.em.find(
    User,
    { tenantId, role: 'admin', status: 'active' },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
  )
  return admins.every((admin) => admin.id === id)
}
