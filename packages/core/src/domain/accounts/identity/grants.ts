import type { InferEntity } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import { Tenant } from '../tenants/entities.ts'
import { appsByRole, type PersonRole } from './add-user.ts'
import { PendingGrant, TenantAssignment, type User } from './entities.ts'
import { accessChanged } from './events.ts'
import { askForProof } from './mail.ts'
import { countsAtOnce, isPromotion } from './policy.ts'
import { endSessions } from './sessions.ts'

export type UserRow = InferEntity<typeof User>

/**
 * Lets a person whose row is locked work for one more tenant, from the proof of the mailbox on where no one has proved it.
 * @returns `none` when the person works for it already
 */
export async function grantTenant(
  txn: Transaction,
  user: UserRow,
  tenantId: string,
): Promise<'granted' | 'pending' | 'none'> {
  const userId = user.id
  if (await txn.em.findOne(TenantAssignment, { userId, tenantId })) return 'none'
  if (countsAtOnce(user)) {
    assign(txn, userId, tenantId)
    return 'granted'
  }
  if (!(await txn.em.findOne(PendingGrant, { userId, tenantId }))) keep(txn, userId, { tenantId })
  askForProof(txn, user)
  return 'pending'
}

/** Takes a tenant away again, or the grant that waits. @returns false when the person had neither */
export async function withdrawTenant(txn: Transaction, userId: string, tenantId: string): Promise<boolean> {
  const pending = await txn.em.nativeDelete(PendingGrant, { userId, tenantId })
  return (await txn.em.nativeDelete(TenantAssignment, { userId, tenantId })) + pending > 0
}

/**
 * Gives a person whose row is locked another role, with its apps; sessions end, so that no token says what is no longer so. A role
 * that lets an account do more whose mailbox no one has proved waits for the proof.
 * @returns the sessions that have ended, for `refuse` after the commit; undefined while the role waits
 */
export async function grantRole(
  txn: Transaction,
  user: UserRow,
  role: PersonRole,
): Promise<string[] | undefined> {
  await txn.em.nativeDelete(PendingGrant, { userId: user.id, tenantId: null })
  if (user.role === role) return []
  if (isPromotion(user.role, role) && !countsAtOnce(user)) {
    keep(txn, user.id, { role })
    askForProof(txn, user)
    return undefined
  }
  return setRole(txn, user, role)
}

/**
 * Lets everything count that was kept for an account, once its mailbox is proved; its row is locked.
 * @returns the sessions that have ended by another role, for `refuse` after the commit
 */
export async function applyGrants(txn: Transaction, user: UserRow): Promise<string[]> {
  const userId = user.id
  const grants = await txn.em.find(PendingGrant, { userId }, { orderBy: { id: 'asc' } })
  const ended: string[] = []
  for (const { role, tenantId } of grants) {
    if (role !== null) {
      ended.push(...(await setRole(txn, user, role)))
      record(txn, user.tenantId, userId, { role })
    } else if (tenantId !== null && (await txn.em.findOne(Tenant, { id: tenantId }))) {
      assign(txn, userId, tenantId)
      record(txn, tenantId, userId, { assignedTo: tenantId })
    }
  }
  await dropGrants(txn, userId)
  return ended
}

/** Forgets what waits for the proof of an account. */
export async function dropGrants(txn: Transaction, userId: string): Promise<void> {
  await txn.em.nativeDelete(PendingGrant, { userId })
}

/** Streams that show other tenants than their reader's end on every server. */
export function publishAccessChanged(txn: Transaction, subject: string): void {
  txn.emit(accessChanged, { tenantId: null, subject, data: {} })
}

async function setRole(txn: Transaction, user: UserRow, role: PersonRole): Promise<string[]> {
  user.role = role
  user.appAccess = appsByRole[role]
  user.updatedOn = txn.clock.date()
  // What a program has open with an API key of the person was opened with the old role.
  publishAccessChanged(txn, user.id)
  return endSessions(txn, user.id)
}

function assign(txn: Transaction, userId: string, tenantId: string): void {
  txn.em.create(TenantAssignment, { id: txn.newId(), userId, tenantId, createdOn: txn.clock.date() })
  publishAccessChanged(txn, userId)
}

function keep(txn: Transaction, userId: string, grant: { tenantId: string } | { role: PersonRole }): void {
  const row = { tenantId: null, role: null, ...grant }
  txn.em.create(PendingGrant, {
    ...row,
    id: txn.newId(),
    userId,
    grantedBy: txn.actor.id,
    createdOn: txn.clock.date(),
  })
}

function record(txn: Transaction, tenantId: string | null, resourceId: string, after: object): void {
  txn.audit({ tenantId, resourceType: 'user', resourceId, after, action: 'user.grant' })
}
