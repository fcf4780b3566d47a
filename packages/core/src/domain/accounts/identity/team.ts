import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { revokeUserAccess } from './access.ts'
import { User } from './entities.ts'
import { dropGrants, grantRole } from './grants.ts'
import { inviteWithLink } from './invitations.ts'
import { refuse } from './sessions.ts'
import { listTeam } from './team-queries.ts'
import type { OrgChart, TeamInvitation, TeamMember, TeamPrincipal, TeamRole } from './team-schemas.ts'
import { isInvitedReviewer, unassignTenant } from './users.ts'

/**
 * Invites someone to the team of the tenant, by mail and by a link that can be handed over otherwise. A reviewer works for
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
  const { member, ended } = await transact(ctx, async (txn) => {
    const user = await lockMember(txn, userId)
    const before = { role: user.role, appAccess: user.appAccess }
    if (user.role !== role && role !== 'admin') await keepOneAdmin(txn, userId)
    const sessions = await grantRole(txn, user, role)
    const pending = sessions === undefined && { pendingRole: role }
    if (pending) audit(txn, userId, 'team.change_role', before, pending)
    else if (before.role !== role)
      audit(txn, userId, 'team.change_role', before, { role, appAccess: user.appAccess })
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
 * Takes someone off the team: no login, token, key or stream of that person works any more; what was done stays, and so does
 * work that is assigned. A reviewer who was invited here stays with other tenants. Serves
 * `DELETE /dashboard/v1/team/users/:userId`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` for the last admin
 */
export async function removeFromTeam(ctx: Ctx, userId: string): Promise<void> {
  const refused = await transact(ctx, async (txn) => {
    if (await isInvitedReviewer(txn, userId, oneTenant(txn))) {
      await unassignTenant(txn, userId, oneTenant(txn))
      return []
    }
    const user = await lockMember(txn, userId)
    await keepOneAdmin(txn, userId)
    const before = { role: user.role, status: user.status }
    user.status = 'deactivated'
    user.updatedOn = txn.clock.date()
    await dropGrants(txn, userId)
    audit(txn, userId, 'team.remove', before, { status: user.status })
    return revokeUserAccess(txn, userId)
  })
  refuse(ctx, refused)
}

/** Someone of the tenant who has not left, locked together with all its admins, in one order for everybody. */
async function lockMember(txn: Transaction, userId: string) {
  const tenantId = oneTenant(txn)
  const people = await txn.em.find(
    User,
    { tenantId, $or: [{ role: 'admin' }, { id: userId }] },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true },
  )
  const user = people.find(({ id }) => id === userId)
  if (!user || user.status === 'deactivated') throw notFound('user')
  return user
}

/** Of two admins who remove each other at the same moment one stays. */
async function keepOneAdmin(txn: Transaction, userId: string): Promise<void> {
  const admins = await txn.em.find(User, { tenantId: oneTenant(txn), role: 'admin', status: 'active' })
  if (!admins.some(({ id }) => id === userId) || admins.length > 1) return
  throw new DomainError('CONFLICT', 'The last admin stays: no one could let anybody in again', {
    details: { reason: 'last_admin' },
  })
}

function audit(txn: Transaction, resourceId: string, action: string, before: object, after: object): void {
  txn.audit({ tenantId: oneTenant(txn), resourceType: 'user', resourceId, before, after, action })
}

/**
 * Who works for the tenant and who reports to whom: admins lead, the others report to the first of them, and agents to whom
 * their work goes for approval. Anyone who works here no more is left out. Serves `GET /dashboard/v1/org-chart`.
 */
export async function orgChart(ctx: Ctx): Promise<OrgChart> {
  const team = (await listTeam(ctx)).data.filter(({ status }) => status !== 'terminated')
  const lead = team.find(isLead) ?? team.find(({ role, type }) => type === 'human' && role === 'admin')
  const superior = (one: TeamPrincipal) =>
    one.type === 'human' && one.role === 'admin' ? undefined : lead?.id
  return {
    nodes: team.map((one) => {
      const { id, type, name, role, status } = one
      const reportsTo = superior(one)
      return { id, type, name, role, status, ...(reportsTo !== undefined && { reportsTo }) }
    }),
    edges: team.flatMap((one) => {
      const to = superior(one)
      return to === undefined
        ? []
        : [{ from: one.id, to, label: one.type === 'agent' ? 'asks for approval' : 'reports to' }]
    }),
  }
}

const isLead = ({ type, role, status }: TeamPrincipal) =>
  type === 'human' && role === 'admin' && status === 'active'
