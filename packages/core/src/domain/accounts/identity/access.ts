import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { User } from './entities.ts'
import { accessRestored, accessRevoked } from './events.ts'
import { endSessions } from './sessions.ts'

/**
 * Ends the sessions of a person whose row is locked and refuses whatever was issued to that person, on every server once
 * the command has committed; give the ids to `refuse` then, so that this one does at once.
 */
export async function revokeUserAccess(txn: Transaction, userId: string): Promise<string[]> {
  revoke(txn, userId)
  return [userId, ...(await endSessions(txn, userId))]
}

/** The same for everybody of a tenant. */
export async function revokeTenantAccess(txn: Transaction, tenantId: string): Promise<string[]> {
  // A login that is under way holds the row of its user: its session is seen here, or it sees the tenant as it is then.
  const users = await txn.em.find(
    User,
    { tenantId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, fields: ['id'] },
  )
  const ids = [tenantId]
  revoke(txn, tenantId)
  for (const { id } of users) ids.push(...(await endSessions(txn, id)))
  return ids
}

/** Lets a reinstated user or tenant in again. Sessions that were ended stay so. Call `lift` after the command. */
export function restoreAccess(txn: Transaction, id: string): void {
  txn.emit(accessRestored, { tenantId: null, subject: id, data: {} })
}

/** Does in this process what `letIn` tells every process. */
export function restoreAccessHere(ctx: Ctx, id: string): void {
  ctx.services.revocations.lift(id)
}

function revoke(txn: Transaction, subject: string): void {
  txn.emit(accessRevoked, { tenantId: null, subject, data: {} })
}
