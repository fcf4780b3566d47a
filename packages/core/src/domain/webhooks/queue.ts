import { LockMode } from '@mikro-orm/core'
import type { NewJob } from '../../platform/jobs/jobs.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { type WebhookEvent, WebhookDelivery, type WebhookDeliveryRow, type WebhookRow } from './entities.ts'
import { bodyOf } from './message.ts'
import { lockWebhook } from './webhooks.ts'

export const deliverJob = 'webhook.deliver'

/**
 * Sends a message of the type `test` to a receiver. Serves `POST /tenant/v1/webhooks/:webhookId/test`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when it is disabled
 */
export function testWebhook(ctx: Ctx, id: string): Promise<{ deliveryId: string }> {
  return command(ctx, async (cmd) => {
    const webhook = await lockWebhook(cmd, id)
    wantNow(webhook)
    const { tenantId } = webhook
    const message = { messageId: cmd.newId(), type: 'test' as const, at: cmd.clock.date(), data: {} }
    const deliveryId = queueMessage(cmd, { id, tenantId }, message)
    record(cmd, tenantId, id, deliveryId)
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
  return command(ctx, async (cmd) => {
    const webhook = await lockWebhook(cmd, webhookId)
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const delivery = await cmd.em.findOne(WebhookDelivery, { id: deliveryId, webhookId }, { lockMode })
    if (!delivery) throw notFound('delivery')
    wantNow(webhook)
    if (delivery.status === 'pending') throw new DomainError('CONFLICT', 'This message is on its way')
    delivery.status = 'pending'
    delivery.attempts = 0
    cmd.enqueue(jobFor(delivery, `again:${cmd.newId()}`))
    record(cmd, webhook.tenantId, webhookId, deliveryId)
    return { deliveryId }
  })
}

/** Puts a message on its way, in the transaction that asks for it. @returns the id of the delivery */
export function queueMessage(
  cmd: Command,
  webhook: { id: string; tenantId: string },
  message: { messageId: string; type: WebhookEvent | 'test'; at: Date; data: unknown },
): string {
  const { messageId, type, at, data } = message
  const delivery = cmd.em.create(WebhookDelivery, {
    id: cmd.newId(),
    tenantId: webhook.tenantId,
    webhookId: webhook.id,
    messageId,
    type,
    body: bodyOf(type, at, data),
    status: 'pending',
    attempts: 0,
    responseStatus: null,
    error: null,
    lastAttemptAt: null,
    createdOn: cmd.clock.date(),
  })
  cmd.enqueue(jobFor(delivery, 'first'))
  return delivery.id
}

/**
 * The job that sends a message.
 * @param turn tells it from the job that asks for it, into which it would fold
 */
export function jobFor(
  { id, tenantId }: Pick<WebhookDeliveryRow, 'id' | 'tenantId'>,
  turn: string,
  runAt?: Date,
): NewJob {
  return {
    kind: deliverJob,
    tenantId,
    payload: { deliveryId: id },
    uniqueKey: `${deliverJob}:${id}:${turn}`,
    group: deliverJob,
    ...(runAt && { runAt }),
  }
}

/** A person wants to see now whether it works: it rests no more. */
function wantNow(webhook: WebhookRow): void {
  if (webhook.status !== 'active')
    throw new DomainError('UNPROCESSABLE', 'The webhook is disabled; enable it first')
  webhook.restsUntil = null
}

function record(cmd: Command, tenantId: string, resourceId: string, deliveryId: string): void {
  cmd.audit({ tenantId, resourceType: 'webhook', resourceId, after: { deliveryId } })
}
