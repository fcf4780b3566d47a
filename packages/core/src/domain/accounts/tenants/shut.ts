import type { Transaction } from '../../../kernel/context.ts'
import { isSuspended, Tenant } from './entities.ts'

/** Whether nothing goes out for a tenant at present, because it is suspended or has not paid. */
export async function isShut(txn: Transaction, tenantId: string): Promise<boolean> {
  const tenant = await txn.em.findOne(Tenant, { id: tenantId })
  return !tenant || tenant.awaitsPayment || isSuspended(tenant.status)
}
