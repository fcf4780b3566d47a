import type { Command } from '../context.ts'
import { Invitation, TenantAssignment, User } from './entities.ts'

/** True for a reviewer whom a tenant has invited itself and who works for it: such a one is of its team. */
export async function isInvitedReviewer(cmd: Command, userId: string, tenantId: string): Promise<boolean> {
  if (!(await cmd.em.findOne(TenantAssignment, { userId, tenantId }))) return false
  const user = await cmd.em.findOne(User, { id: userId, role: 'reviewer' })
  const came = { tenantId, email: user?.email ?? '', role: 'reviewer' as const, acceptedOn: { $ne: null } }
  return user !== null && (await cmd.em.count(Invitation, came)) > 0
}
