import { LockMode } from '@mikro-orm/core'
import type { Ctx } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { locateEventJob } from '../jobs.ts'
import { applyEvent, needsLocating } from './apply.ts'
import { PaymentEvent, type PaymentEventStatus } from './entities.ts'

export interface Replayed {
  id: string
  eventType: string
  status: PaymentEventStatus
  /** Why it changed nothing. */
  reason: string | null
}

/**
 * Applies a stored event of the payment provider once more: since it does not matter how often and in which order they are applied, one that
 * was applied changes nothing. What the provider has to be asked about is applied by a job.
 * @throws DomainError `NOT_FOUND`
 */
export function replayPaymentEvent(ctx: Ctx, id: string): Promise<Replayed> {
  return transact({ ...ctx, scope: 'all' }, async (txn) => {
    const event = await txn.em.findOne(PaymentEvent, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!event) throw notFound('billing event')
    const { status: before, reason } = event
    if (needsLocating(txn, event)) {
      event.status = 'received'
      txn.enqueue(locateEventJob, { tenantId: null, payload: { eventId: id } })
    } else await applyEvent(txn, event)
    // What it did once it has done: a newer one may have been applied since.
    if (before === 'applied' && event.status === 'ignored') Object.assign(event, { status: before, reason })
    const { status, type: eventType } = event
    txn.audit({
      tenantId: null,
      resourceType: 'billing_event',
      resourceId: id,
      before: { status: before },
      after: { status, eventType },
      action: 'billing.event_replayed',
    })
    return { id, eventType, status, reason: event.reason }
  })
}
