import type { Command } from '../context.ts'
import { letIn } from './access.ts'
import { appsByRole } from './add-user.ts'
import { ApiKey, type InvitedRole, PasswordReset, TenantAssignment, type UserStatus } from './entities.ts'
import { lockUser } from './sessions.ts'

interface Invited {
  tenantId: string
  role: InvitedRole
}

/**
 * True when an invitation brings somebody back who was taken off the same team. The account is the tenant's own; that of
 * somebody who was taken off another team stays with that tenant. Reviewers belong to no tenant.
 */
export function comesBack(
  account: { tenantId: string | null; status: UserStatus },
  { tenantId, role }: Invited,
): boolean {
  return account.status === 'deactivated' && account.tenantId === tenantId && role !== 'reviewer'
}

/**
 * Gives somebody who was taken off the team the old account again, with another password. What was done under it is the
 * person's again; what opened doors before is not: keys, links for a new password, other tenants. Call `lift` after the command.
 * @returns undefined when the account is no longer one to come back to
 */
export async function bringBack(
  cmd: Command,
  userId: string,
  { name, passwordHash, ...invited }: Invited & { name: string; passwordHash: string },
) {
  const user = await lockUser(cmd, userId)
  if (!user || !comesBack(user, invited)) return undefined
  const now = cmd.clock.date()
  const { role } = invited
  Object.assign(user, {
    name,
    role,
    passwordHash,
    appAccess: appsByRole[role],
    status: 'active',
    updatedOn: now,
  })
  await cmd.em.nativeUpdate(ApiKey, { userId, revokedAt: null }, { revokedAt: now })
  await cmd.em.nativeUpdate(PasswordReset, { userId, usedAt: null }, { usedAt: now })
  await cmd.em.nativeDelete(TenantAssignment, { userId })
  letIn(cmd, userId)
  return user
}
