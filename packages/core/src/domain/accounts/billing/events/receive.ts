import type { Ctx } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { flushOnce, transact } from '../../../../kernel/transact.ts'
import { applyEventJob } from '../jobs.ts'
import type { ProviderCall } from '../payments.ts'
import { PaymentEvent } from './entities.ts'

/**
 * Keeps an event of the payment provider and asks for it to be applied; one that is known already changes nothing. Serves
 * `POST /admin/v1/billing/webhook` and `POST /pg/v1/webhook`.
 * @throws DomainError `UNAUTHORIZED` for a wrong or missing signature; `VALIDATION_ERROR` for a body that is no event; `NOT_FOUND` where no
 *   provider is configured that calls
 */
export async function receivePaymentEvent(ctx: Ctx, call: ProviderCall): Promise<{ received: true }> {
  const provider = ctx.services.payments
  if (!provider?.events) throw new DomainError('NOT_FOUND', 'No payment provider is configured')
  if (!provider.events.isGenuine(call)) {
    ctx.log.warn('a call of the payment webhook was refused: its signature is wrong', {
      provider: provider.name,
      bytes: call.body.length,
    })
    throw new DomainError('UNAUTHORIZED', 'The signature does not match the body')
  }
  const { id: eventId, type, occurredOn, subscriptionId, payment } = provider.events.read(call)
  const once = { provider: provider.name, eventId }
  const known = new Error('Another call brought this event in the same moment')
  const store = transact({ ...ctx, scope: 'all' }, async (txn) => {
    if (await txn.em.findOne(PaymentEvent, once, { fields: ['id'] })) return
    const id = txn.newId()
    txn.em.create(PaymentEvent, {
      id,
      ...once,
      type,
      subscriptionId: null,
      providerSubscriptionId: subscriptionId,
      occurredOn,
      status: 'received',
      reason: null,
      payment,
      body: new TextDecoder().decode(call.body),
      receivedOn: txn.clock.date(),
      appliedOn: null,
    })
    await flushOnce(txn, known)
    txn.enqueue(applyEventJob, { tenantId: null, payload: { eventId: id } })
  })
  await store.catch((error: unknown) => {
    if (error !== known) throw error
  })
  return { received: true }
}
