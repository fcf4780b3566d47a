import { LockMode } from '@mikro-orm/core'
import type { Command } from '../context.ts'
import { isShut, Tenant } from '../tenants/entities.ts'
import { shutOutUser } from './access.ts'
import { PasswordReset, TenantAssignment, User } from './entities.ts'
import { dropGrants, type UserRow } from './grants.ts'
import { revokeKeys } from './proof.ts'

/**
 * Takes the address from an account that nobody has proved, for the owner of the mailbox, who is somebody else to all that is
 * known: the account is deactivated and keeps what was done under it. Its row is locked.
 * @returns what was ended, for `refuse` after the commit; undefined when the account is the only admin of a tenant that works
 */
export async function freeAddress(cmd: Command, user: UserRow): Promise<string[] | undefined> {
  if (await isOnlyAdmin(cmd, user)) return undefined
  const { id: userId, email, status } = user
  const now = cmd.clock.date()
  user.email = `${userId.toLowerCase()}@replaced.invalid`
  user.status = 'deactivated'
  user.updatedOn = now
  await cmd.em.nativeUpdate(PasswordReset, { userId, usedAt: null }, { usedAt: now })
  await cmd.em.nativeDelete(TenantAssignment, { userId })
  await dropGrants(cmd, userId)
  cmd.audit({
    tenantId: user.tenantId,
    resourceType: 'user',
    resourceId: userId,
    before: { email, status },
    after: { email: user.email, status: user.status },
    action: 'user.replaced',
  })
  const ended = [...(await revokeKeys(cmd, userId)), ...(await shutOutUser(cmd, userId))]
  // The address is free for the next row from here on.
  await cmd.em.flush()
  return ended
}

async function isOnlyAdmin(cmd: Command, { id, role, tenantId, status }: UserRow): Promise<boolean> {
  if (role !== 'admin' || tenantId === null || status !== 'active') return false
  const tenant = await cmd.em.findOne(Tenant, { id: tenantId })
  if (!tenant || isShut(tenant.status)) return false
  const admins = await cmd.em.find(
    User,
    { tenantId, role: 'admin', status: 'active' },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
  )
  return admins.every((admin) => admin.id === id)
}
