import { LockMode } from '@mikro-orm/core'
import type { Command, Ctx } from '../context.ts'
import { User } from './entities.ts'
import { endSessions } from './sessions.ts'

/**
 * Ends the sessions of a person whose row is locked and refuses whatever was issued to that person, on every server once
 * the command has committed; give the ids to `refuse` then, so that this one does at once.
 */
export async function shutOutUser(cmd: Command, userId: string): Promise<string[]> {
  revoke(cmd, userId)
  return [userId, ...(await endSessions(cmd, userId))]
}

/** The same for everybody of a tenant. */
export async function shutOutTenant(cmd: Command, tenantId: string): Promise<string[]> {
  // A login that is under way holds the row of its user: its session is seen here, or it sees the tenant as it is then.
  const users = await cmd.em.find(
    User,
    { tenantId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, fields: ['id'] },
  )
  const ids = [tenantId]
  revoke(cmd, tenantId)
  for (const { id } of users) ids.push(...(await endSessions(cmd, id)))
  return ids
}

/** Lets a reinstated user or tenant in again. Sessions that were ended stay so. Call `lift` after the command. */
export function letIn(cmd: Command, id: string): void {
  cmd.emit({ tenantId: null, type: 'access_restored', subject: id, data: {} })
}

/** Does in this process what `letIn` tells every process. */
export function lift(ctx: Ctx, id: string): void {
  ctx.services.revocations.lift(id)
}

function revoke(cmd: Command, subject: string): void {
  cmd.emit({ tenantId: null, type: 'access_revoked', subject, data: {} })
}
