import type { Transaction } from '../../../kernel/context.ts'
import { restoreAccess } from './access.ts'
import { appsByRole } from './add-user.ts'
import { ApiKey, type MailboxProof, PasswordReset, TenantAssignment } from './entities.ts'
import { dropGrants } from './grants.ts'
import { comesBack, type Invited } from './policy.ts'
import { lockUser } from './sessions.ts'

/**
 * Gives someone who was taken off the team the old account again, with another password. What was done under it is the
 * person's again; what opened doors before is not: keys, links for a new password, other tenants. Who comes back by the link that
 * the inviter was handed has not proved the mailbox, anyone who had before. Call `lift` after the command.
 * @returns undefined when the account is no longer one to come back to
 */
export async function bringBack(
  txn: Transaction,
  userId: string,
  {
    name,
    passwordHash,
    mailboxProof,
    ...invited
  }: Invited & { name: string; passwordHash: string; mailboxProof: MailboxProof },
) {
  const user = await lockUser(txn, userId)
  if (!user || !comesBack(user, invited)) return undefined
  const now = txn.clock.date()
  const { role } = invited
  Object.assign(user, {
    name,
    role,
    passwordHash,
    appAccess: appsByRole[role],
    status: 'active',
    mailboxProof,
    updatedOn: now,
  })
  await txn.em.nativeUpdate(ApiKey, { userId, revokedAt: null }, { revokedAt: now })
  await txn.em.nativeUpdate(PasswordReset, { userId, usedAt: null }, { usedAt: now })
  await txn.em.nativeDelete(TenantAssignment, { userId })
  await dropGrants(txn, userId)
  restoreAccess(txn, userId)
  return user
}
