import type { InferEntity } from '@mikro-orm/core'
import type { Command } from '../context.ts'
import { Tenant } from '../tenants/entities.ts'
import { appsByRole, type PersonRole } from './add-user.ts'
import { TenantAssignment, type User } from './entities.ts'
import { PendingGrant } from './pending-grant-entity.ts'
import { countsAtOnce, isPromotion } from './policy.ts'
import { askForProof } from './proof-mail.ts'
import { endSessions } from './sessions.ts'

export type UserRow = InferEntity<typeof User>

/**
 * Lets a person whose row is locked work for one more tenant, from the proof of the mailbox on where nobody has proved it.
 * @returns `none` when the person works for it already
 */
export async function grantTenant(
  cmd: Command,
  user: UserRow,
  tenantId: string,
): Promise<'granted' | 'pending' | 'none'> {
  const userId = user.id
  if (await cmd.em.findOne(TenantAssignment, { userId, tenantId })) return 'none'
  if (countsAtOnce(user)) {
    assign(cmd, userId, tenantId)
    return 'granted'
  }
  if (!(await cmd.em.findOne(PendingGrant, { userId, tenantId }))) keep(cmd, userId, { tenantId })
  askForProof(cmd, user)
  return 'pending'
}

/** Takes a tenant away again, or the grant that waits. @returns false when the person had neither */
export async function withdrawTenant(cmd: Command, userId: string, tenantId: string): Promise<boolean> {
  const pending = await cmd.em.nativeDelete(PendingGrant, { userId, tenantId })
  return (await cmd.em.nativeDelete(TenantAssignment, { userId, tenantId })) + pending > 0
}

/**
 * Gives a person whose row is locked another role, with its apps; sessions end, so that no token says what is no longer so. A role
 * that lets an account do more whose mailbox nobody has proved waits for the proof.
 * @returns the sessions that have ended, for `refuse` after the commit; undefined while the role waits
 */
export async function grantRole(
  cmd: Command,
  user: UserRow,
  role: PersonRole,
): Promise<string[] | undefined> {
  await cmd.em.nativeDelete(PendingGrant, { userId: user.id, tenantId: null })
  if (user.role === role) return []
  if (isPromotion(user.role, role) && !countsAtOnce(user)) {
    keep(cmd, user.id, { role })
    askForProof(cmd, user)
    return undefined
  }
  return setRole(cmd, user, role)
}

/**
 * Lets everything count that was kept for an account, once its mailbox is proved; its row is locked.
 * @returns the sessions that have ended by another role, for `refuse` after the commit
 */
export async function applyGrants(cmd: Command, user: UserRow): Promise<string[]> {
  const userId = user.id
  const grants = await cmd.em.find(PendingGrant, { userId }, { orderBy: { id: 'asc' } })
  const ended: string[] = []
  for (const { role, tenantId } of grants) {
    if (role !== null) {
      ended.push(...(await setRole(cmd, user, role)))
      record(cmd, user.tenantId, userId, { role })
    } else if (tenantId !== null && (await cmd.em.findOne(Tenant, { id: tenantId }))) {
      assign(cmd, userId, tenantId)
      record(cmd, tenantId, userId, { assignedTo: tenantId })
    }
  }
  await dropGrants(cmd, userId)
  return ended
}

/** Forgets what waits for the proof of an account. */
export async function dropGrants(cmd: Command, userId: string): Promise<void> {
  await cmd.em.nativeDelete(PendingGrant, { userId })
}

/** Streams that show other tenants than their reader's end on every server. */
export function tellChanged(cmd: Command, subject: string): void {
  cmd.emit({ tenantId: null, type: 'access_changed', subject, data: {} })
}

async function setRole(cmd: Command, user: UserRow, role: PersonRole): Promise<string[]> {
  user.role = role
  user.appAccess = appsByRole[role]
  user.updatedOn = cmd.clock.date()
  // What a program has open with an API key of the person was opened with the old role.
  tellChanged(cmd, user.id)
  return endSessions(cmd, user.id)
}

function assign(cmd: Command, userId: string, tenantId: string): void {
  cmd.em.create(TenantAssignment, { id: cmd.newId(), userId, tenantId, createdOn: cmd.clock.date() })
  tellChanged(cmd, userId)
}

function keep(cmd: Command, userId: string, grant: { tenantId: string } | { role: PersonRole }): void {
  const row = { tenantId: null, role: null, ...grant }
  cmd.em.create(PendingGrant, {
    ...row,
    id: cmd.newId(),
    userId,
    grantedBy: cmd.actor.id,
    createdOn: cmd.clock.date(),
  })
}

function record(cmd: Command, tenantId: string | null, resourceId: string, after: object): void {
  cmd.audit({ tenantId, resourceType: 'user', resourceId, after, action: 'user.grant' })
}
