import type { Ctx } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { randomToken } from '../../../platform/crypto/hash.ts'
import type { PersonRole } from './add-user.ts'
import { grantRole } from './grants.ts'
import { hashNewPassword } from './new-password.ts'
import { setPassword } from './password-change.ts'
import { accountById, companyNames } from './queries.ts'
import { Password } from './schemas.ts'
import { lockUser, refuse } from './sessions.ts'
import { requireAnotherSuperAdmin } from './suspension.ts'
import { changeRole } from './team.ts'

/**
 * Gives a person another password, as an operator who is told that it is forgotten; every session ends, and the person is told by
 * mail. It proves no mailbox.
 * @param password default: one is made
 * @returns the password only where it was made here
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` on `password`; `CONFLICT` for someone who is not active
 */
export async function resetUserPassword(
  ctx: Ctx,
  userId: string,
  password?: string,
): Promise<{ id: string; email: string; password?: string }> {
  const given = Password.safeParse(password ?? randomToken(18))
  if (!given.success) throw invalid('password', given.error.issues[0]?.message ?? 'The password does not fit')
  const account = await accountById(ctx.sql, userId)
  if (!account) throw notFound('user')
  const companies = await companyNames(ctx.sql, account.tenantId)
  const passwordHash = await hashNewPassword(ctx, { password: given.data, email: account.email, companies })
  const { email, ended } = await transact(ctx, async (txn) => {
    const user = await lockUser(txn, userId)
    if (!user) throw notFound('user')
    if (user.status !== 'active')
      throw new DomainError('CONFLICT', `The user is ${user.status}; reinstate or invite the person first`)
    const sessions = await setPassword(txn, user, { passwordHash, action: 'user.reset_password' })
    return { email: user.email, ended: sessions }
  })
  refuse(ctx, ended)
  return { id: userId, email, ...(password === undefined && { password: given.data }) }
}

/**
 * Gives a person another role: people of a tenant are admin or member, staff are reviewer or super_admin. Sessions end. A role that
 * lets someone do more whose mailbox no one has proved waits for the proof.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` for a role of the other kind; `CONFLICT` for the last admin of a tenant and the
 *   last super-admin, and for someone who has left
 */
export async function setUserRole(
  ctx: Ctx,
  userId: string,
  role: PersonRole,
): Promise<{ id: string; email: string; role: PersonRole; pendingRole?: PersonRole }> {
  const account = await accountById(ctx.sql, userId)
  if (!account) throw notFound('user')
  const { id, email, tenantId, status } = account
  if (status === 'deactivated') throw new DomainError('CONFLICT', 'The user was taken off the team')
  const isOfTenant = tenantId !== null
  if (isOfTenant !== (role === 'admin' || role === 'member')) {
    throw new DomainError(
      'UNPROCESSABLE',
      isOfTenant
        ? `${email} belongs to a tenant and can be admin or member; staff need an account with another address`
        : `${email} is staff and can be reviewer or super_admin; people of a tenant need an account with another address`,
      { field: 'role' },
    )
  }
  if (isOfTenant && (role === 'admin' || role === 'member')) {
    const member = await changeRole({ ...ctx, scope: [tenantId] }, userId, { role })
    return { id, email, role: member.role, ...(member.pendingRole && { pendingRole: member.pendingRole }) }
  }
  const { present, ended } = await transact(ctx, async (txn) => {
    if (role !== 'super_admin') await requireAnotherSuperAdmin(txn, userId, 'another role')
    const user = await lockUser(txn, userId)
    if (!user) throw notFound('user')
    const before = { role: user.role, appAccess: user.appAccess }
    const sessions = await grantRole(txn, user, role)
    const after = sessions ? { role, appAccess: user.appAccess } : { pendingRole: role }
    if (before.role !== role)
      txn.audit({
        tenantId: null,
        resourceType: 'user',
        resourceId: userId,
        before,
        after,
        action: 'user.set_role',
      })
    return { present: user.role, ended: sessions }
  })
  if (ended) refuse(ctx, ended)
  return { id, email, role: present, ...(!ended && { pendingRole: role }) }
}
