import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { User } from '../../accounts/identity/entities.ts'
import { TenantAgent } from '../../agents/configuration/entities.ts'
import { Activity, closedStatuses } from './entities.ts'
import { type Assignee, reassignLocked } from './reassign.ts'
import { isClosed, lockActivities } from './state.ts'

/** So many activities go over with one call; what is more goes with the next. */
const mostAtOnce = 500

interface Worker {
  tenantId: string
  taker: Assignee
  /** An agent that is enabled, or a person who can log in. */
  works: boolean
}

/**
 * Gives everything open that one person or agent has to another of the same tenant, the oldest first and at most 500 at a
 * time. Serves `POST /dm/v1/team/:principalId/reassign-activities`.
 * @throws DomainError `NOT_FOUND` when one of the two is not there, or both are not of one tenant; `UNPROCESSABLE` when they
 *   are the same, or the other one works no more
 */
export function reassignAll(
  ctx: Ctx,
  principalId: string,
  { toId, reason }: { toId: string; reason: string },
): Promise<{ reassigned: number }> {
  return transact(ctx, async (txn) => {
    const from = await workerOf(txn, principalId)
    const to = await workerOf(txn, toId)
    if (!from || !to || from.tenantId !== to.tenantId) throw notFound('principal')
    if (principalId === toId) throw refusal('They have this work already')
    if (!to.works) throw refusal('Anyone who is to have the work does no work here any more')
    const { taker, tenantId } = from
    const whose = 'role' in taker ? { agentRole: taker.role } : { assigneeUserId: taker.userId }
    const open = await txn.em.find(
      Activity,
      { tenantId, ...whose, status: { $nin: [...closedStatuses] } },
      { fields: ['id'], orderBy: { id: 'asc' }, limit: mostAtOnce, disableIdentityMap: true },
    )
    const ids = open.map(({ id }) => id)
    let reassigned = 0
    for (const activity of await lockActivities(txn, ids)) {
      // One that ended, or was given away, while its lock was waited for.
      const has =
        'role' in taker ? activity.agentRole === taker.role : activity.assigneeUserId === taker.userId
      if (isClosed(activity) || !has) continue
      await reassignLocked(txn, activity, to.taker, reason, 'toId')
      reassigned += 1
    }
    txn.audit({
      tenantId,
      resourceType: 'principal',
      resourceId: principalId,
      after: { toId, reason, reassigned },
    })
    return { reassigned }
  })
}

/** People and agents under one kind of id; those of other tenants than the scope's are not there. */
async function workerOf(txn: Transaction, id: string): Promise<Worker | undefined> {
  const agent = await txn.em.findOne(TenantAgent, { id })
  if (agent) {
    const { tenantId, role, status } = agent
    return { tenantId, taker: { role }, works: status !== 'terminated' }
  }
  const user = await txn.em.findOne(User, { id })
  if (!user?.tenantId || !(txn.scope === 'all' || txn.scope.includes(user.tenantId))) return undefined
  return { tenantId: user.tenantId, taker: { userId: id }, works: user.status === 'active' }
}

const refusal = (message: string) => new DomainError('UNPROCESSABLE', message, { field: 'toId' })
