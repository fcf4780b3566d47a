import { LockMode } from '@mikro-orm/core'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { letIn, lift, shutOutUser } from './access.ts'
import { User } from './entities.ts'
import { lockUser, refuse } from './sessions.ts'

/**
 * Shuts a person out of the whole platform: sessions end, tokens, API keys and open streams are refused on every server.
 * Serves `POST /admin/v1/users/:userId/suspend`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when the user is not active, or is the last super-admin
 */
export async function suspendUser(ctx: Ctx, userId: string, reason: string): Promise<{ suspended: true }> {
  const refused = await command(ctx, async (cmd) => {
    await keepOneSuperAdmin(cmd, userId)
    const user = await lockUser(cmd, userId)
    if (!user) throw notFound('user')
    if (user.status !== 'active')
      throw new DomainError('CONFLICT', `The user is already ${user.status}`, {
        details: { status: user.status },
      })
    user.status = 'suspended'
    user.updatedOn = cmd.clock.date()
    cmd.audit({
      tenantId: user.tenantId,
      resourceType: 'user',
      resourceId: userId,
      before: { status: 'active' },
      after: { status: 'suspended', reason },
      action: 'user.suspend',
    })
    return shutOutUser(cmd, userId)
  })
  refuse(ctx, refused)
  return { suspended: true }
}

/**
 * Lets a suspended person log in again. Serves `POST /admin/v1/users/:userId/reinstate`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when the user is not suspended
 */
export async function reinstateUser(ctx: Ctx, userId: string): Promise<{ reinstated: true }> {
  await command(ctx, async (cmd) => {
    const user = await lockUser(cmd, userId)
    if (!user) throw notFound('user')
    if (user.status !== 'suspended')
      throw new DomainError('CONFLICT', `The user is ${user.status}, not suspended`, {
        details: { status: user.status },
      })
    user.status = 'active'
    user.updatedOn = cmd.clock.date()
    letIn(cmd, userId)
    cmd.audit({
      tenantId: user.tenantId,
      resourceType: 'user',
      resourceId: userId,
      before: { status: 'suspended' },
      after: { status: 'active' },
      action: 'user.reinstate',
    })
  })
  lift(ctx, userId)
  return { reinstated: true }
}

/**
 * Locks all super-admins in one order, so that of two who suspend each other one stays.
 * @param deed what the last one is kept from
 * @throws DomainError `CONFLICT` for the last one
 */
export async function keepOneSuperAdmin(
  cmd: Command,
  userId: string,
  deed: 'suspension' | 'another role' = 'suspension',
): Promise<void> {
  const user = await cmd.em.findOne(User, { id: userId })
  if (user?.role !== 'super_admin') return
  const operators = await cmd.em.find(
    User,
    { role: 'super_admin', status: 'active' },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true },
  )
  if (operators.some(({ id, appAccess }) => id !== userId && appAccess.includes('manage'))) return
  const cannot = deed === 'suspension' ? 'cannot be suspended' : 'keeps the role'
  throw new DomainError('CONFLICT', `The last super-admin ${cannot}: nobody could undo it`)
}
