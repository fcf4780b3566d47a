import { LockMode } from '@mikro-orm/core'
import type { Command } from '../context.ts'
import { Tenant } from './entities.ts'

export const releaseJob = 'tenant.release'

/** Lets a registered tenant work, now that the mailbox of one of its admins is proved: what was held back starts by itself. */
export async function releaseProved(cmd: Command, tenantId: string): Promise<void> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const
  const tenant = await cmd.em.findOne(Tenant, { id: tenantId }, lock)
  if (!tenant?.awaitsProof) return
  tenant.awaitsProof = false
  tenant.updatedOn = cmd.clock.date()
  cmd.enqueue({ kind: releaseJob, tenantId, payload: { tenantId } })
  cmd.audit({
    tenantId,
    resourceType: 'tenant',
    resourceId: tenantId,
    before: { awaitsProof: true },
    after: { awaitsProof: false },
    action: 'tenant.proved',
  })
}
