import type { Ctx } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { SuppressedAddress } from './entities.ts'
import { forgetSentTo } from './queries.ts'

/**
 * Turns an address on again: mails go to it, and nothing that came back before counts.
 * @throws DomainError `NOT_FOUND` when it is not off
 */
export function liftSuppression(ctx: Ctx, given: string): Promise<{ address: string }> {
  const address = given.trim().toLowerCase()
  return transact(ctx, async (txn) => {
    const found = await txn.em.findOne(SuppressedAddress, { address })
    if (!found) throw notFound('suppressed address', { by: 'name' })
    const { id, tenantId, reason } = found
    txn.em.remove(found)
    await forgetSentTo(txn.tx, address)
    txn.audit({
      tenantId,
      resourceType: 'mail_address',
      resourceId: id,
      before: { isOff: true, address, reason },
      after: { isOff: false, address },
      action: 'mail.unsuppressed',
    })
    return { address }
  })
}
