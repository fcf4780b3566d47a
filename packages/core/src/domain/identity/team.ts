import { LockMode } from '@mikro-orm/core'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { oneTenant } from '../scope.ts'
import { shutOutUser } from './access.ts'
import { User } from './entities.ts'
import { dropGrants, grantRole } from './grants.ts'
import { isInvitedReviewer } from './guests.ts'
import { inviteWithLink } from './invitations.ts'
import { refuse } from './sessions.ts'
import type { TeamInvitation, TeamMember, TeamRole } from './team-schemas.ts'
import { unassignTenant } from './users.ts'

/**
 * Invites somebody to the team of the tenant, by mail and by a link that can be handed over otherwise. A reviewer works for
 * this tenant alone and belongs to none. Serves `POST /dashboard/v1/team/invite`.
 * @throws DomainError as `invite`
 */
export async function inviteToTeam(ctx: Ctx, invitation: TeamInvitation) {
  const { id, expiresAt, url } = await inviteWithLink(ctx, { ...invitation, tenantId: oneTenant(ctx) })
  return { inviteId: id, inviteUrl: url, expiresAt }
}

/**
 * Makes an admin of a member or the other way round. The apps follow the role, and sessions end, so that no token says what
 * is no longer so. Who came by a link that was handed over becomes an admin once the mailbox is proved, and is asked for that by
 * mail. Serves `PATCH /dashboard/v1/team/users/:userId`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` for the last admin
 */
export async function changeRole(ctx: Ctx, userId: string, { role }: TeamRole): Promise<TeamMember> {
  const { member, ended } = await command(ctx, async (cmd) => {
    const user = await lockMember(cmd, userId)
    const before = { role: user.role, appAccess: user.appAccess }
    if (user.role !== role && role !== 'admin') await keepOneAdmin(cmd, userId)
    const sessions = await grantRole(cmd, user, role)
    const pending = sessions === undefined && { pendingRole: role }
    if (pending) audit(cmd, userId, 'team.change_role', before, pending)
    else if (before.role !== role)
      audit(cmd, userId, 'team.change_role', before, { role, appAccess: user.appAccess })
    const { id, email, name, status, createdOn } = user
    const present = user.role === 'admin' ? ('admin' as const) : ('member' as const)
    return {
      member: { id, email, name, role: present, status, createdOn, ...pending },
      ended: sessions ?? [],
    }
  })
  refuse(ctx, ended)
  return member
}

/**
 * Takes somebody off the team: no login, token, key or stream of that person works any more; what was done stays, and so does
 * work that is assigned. A reviewer who was invited here stays with other tenants. Serves
 * `DELETE /dashboard/v1/team/users/:userId`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` for the last admin
 */
export async function removeFromTeam(ctx: Ctx, userId: string): Promise<void> {
  const refused = await command(ctx, async (cmd) => {
    if (await isInvitedReviewer(cmd, userId, oneTenant(cmd))) {
      await unassignTenant(cmd, userId, oneTenant(cmd))
      return []
    }
    const user = await lockMember(cmd, userId)
    await keepOneAdmin(cmd, userId)
    const before = { role: user.role, status: user.status }
    user.status = 'deactivated'
    user.updatedOn = cmd.clock.date()
    await dropGrants(cmd, userId)
    audit(cmd, userId, 'team.remove', before, { status: user.status })
    return shutOutUser(cmd, userId)
  })
  refuse(ctx, refused)
}

/** Somebody of the tenant who has not left, locked together with all its admins, in one order for everybody. */
async function lockMember(cmd: Command, userId: string) {
  const tenantId = oneTenant(cmd)
  const people = await cmd.em.find(
    User,
    { tenantId, $or: [{ role: 'admin' }, { id: userId }] },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true },
  )
  const user = people.find(({ id }) => id === userId)
  if (!user || user.status === 'deactivated') throw notFound('user')
  return user
}

/** Of two admins who remove each other at the same moment one stays. */
async function keepOneAdmin(cmd: Command, userId: string): Promise<void> {
  const admins = await cmd.em.find(User, { tenantId: oneTenant(cmd), role: 'admin', status: 'active' })
  if (!admins.some(({ id }) => id === userId) || admins.length > 1) return
  throw new DomainError('CONFLICT', 'The last admin stays: nobody could let anybody in again', {
    details: { reason: 'last_admin' },
  })
}

function audit(cmd: Command, resourceId: string, action: string, before: object, after: object): void {
  cmd.audit({ tenantId: oneTenant(cmd), resourceType: 'user', resourceId, before, after, action })
}
