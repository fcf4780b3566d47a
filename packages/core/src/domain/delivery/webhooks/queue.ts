import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import type { JobOrder } from '../../../kernel/jobs.ts'
import { transact } from '../../../kernel/transact.ts'
import { WebhookDelivery, type WebhookDeliveryRow, type WebhookEvent, type WebhookRow } from './entities.ts'
import { deliverWebhookJob } from './jobs.ts'
import { webhookBody } from './message.ts'
import { lockWebhook } from './webhooks.ts'

/**
 * Sends a message of the type `test` to a receiver. Serves `POST /tenant/v1/webhooks/:webhookId/test`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when it is disabled
 */
export function testWebhook(ctx: Ctx, id: string): Promise<{ deliveryId: string }> {
  return transact(ctx, async (txn) => {
    const webhook = await lockWebhook(txn, id)
    wantNow(webhook)
    const { tenantId } = webhook
    const message = { messageId: txn.newId(), type: 'test' as const, at: txn.clock.date(), data: {} }
    const deliveryId = queueMessage(txn, { id, tenantId }, message)
    record(txn, tenantId, id, deliveryId)
    return { deliveryId }
  })
}

/**
 * Sends a message again that was delivered or has failed, under the same id. Serves
 * `POST /tenant/v1/webhooks/:webhookId/deliveries/:deliveryId/replay`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` while it is on its way; `UNPROCESSABLE` when the receiver is disabled
 */
export function replayDelivery(
  ctx: Ctx,
  webhookId: string,
  deliveryId: string,
): Promise<{ deliveryId: string }> {
  return transact(ctx, async (txn) => {
    const webhook = await lockWebhook(txn, webhookId)
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const delivery = await txn.em.findOne(WebhookDelivery, { id: deliveryId, webhookId }, { lockMode })
    if (!delivery) throw notFound('delivery')
    wantNow(webhook)
    if (delivery.status === 'pending') throw new DomainError('CONFLICT', 'This message is on its way')
    delivery.status = 'pending'
    delivery.attempts = 0
    txn.enqueue(deliverWebhookJob, deliveryOrder(delivery, `again:${txn.newId()}`))
    record(txn, webhook.tenantId, webhookId, deliveryId)
    return { deliveryId }
  })
}

/** Puts a message on its way, in the transaction that asks for it. @returns the id of the delivery */
export function queueMessage(
  txn: Transaction,
  webhook: { id: string; tenantId: string },
  message: { messageId: string; type: WebhookEvent | 'test'; at: Date; data: unknown },
): string {
  const { messageId, type, at, data } = message
  const delivery = txn.em.create(WebhookDelivery, {
    id: txn.newId(),
    tenantId: webhook.tenantId,
    webhookId: webhook.id,
    messageId,
    type,
    body: webhookBody(type, at, data),
    status: 'pending',
    attempts: 0,
    responseStatus: null,
    error: null,
    lastAttemptAt: null,
    createdOn: txn.clock.date(),
  })
  txn.enqueue(deliverWebhookJob, deliveryOrder(delivery, 'first'))
  return delivery.id
}

/**
 * What the job that sends a message is asked for with.
 * @param turn tells it from the job that asks for it, into which it would fold
 */
export function deliveryOrder(
  { id, tenantId }: Pick<WebhookDeliveryRow, 'id' | 'tenantId'>,
  turn: string,
  runAt?: Date,
): JobOrder<typeof deliverWebhookJob.payload> {
  const uniqueKey = `${deliverWebhookJob.kind}:${id}:${turn}`
  return { tenantId, payload: { deliveryId: id }, uniqueKey, runAt }
}

/** A person wants to see now whether it works: it rests no more. */
function wantNow(webhook: WebhookRow): void {
  if (webhook.status !== 'active')
    throw new DomainError('UNPROCESSABLE', 'The webhook is disabled; enable it first')
  webhook.restsUntil = null
}

function record(txn: Transaction, tenantId: string, resourceId: string, deliveryId: string): void {
  txn.audit({ tenantId, resourceType: 'webhook', resourceId, after: { deliveryId } })
}
