import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { toNewJob } from '../../../kernel/jobs.ts'
import { transact } from '../../../kernel/transact.ts'
import type { OutboundError } from '../../../platform/http/outbound-error.ts'
import { notify } from '../../people/notifications/notify.ts'
import { Webhook, WebhookDelivery, type WebhookRow } from './entities.ts'
import { deliverWebhookJob } from './jobs.ts'
import { signedHeaders } from './message.ts'
import { mostAttempts, mostFailures, restMs } from './policy.ts'
import { type Waiting, waitingDelivery } from './queries.ts'
import { deliveryOrder } from './queue.ts'
import { disable, lockWebhook } from './webhooks.ts'

/** How long a receiver may take to answer, milliseconds. */
const patienceMs = 10_000

/** What became of one attempt: an answer, or why there was none. */
type Outcome = { status: number } | { error: string }

/**
 * Sends a message once: the job `webhook.deliver`. A process that dies between the answer and its record sends it again, under
 * the same id.
 */
export async function deliverWebhook(
  ctx: Ctx,
  { deliveryId }: { deliveryId: string },
  signal: AbortSignal,
): Promise<void> {
  const waiting = await waitingDelivery(ctx, deliveryId)
  if (!waiting) return transact(ctx, (txn) => closeStranded(txn, deliveryId))
  const { tenantId, restsUntil, attempts } = waiting
  if (restsUntil && restsUntil.getTime() > ctx.clock.now()) {
    // Others have found out already that it does not answer: no attempt is spent on it, and no one is kept waiting.
    const turn = `${attempts}.${restsUntil.getTime()}`
    return ctx.services.jobs.add([
      toNewJob(deliverWebhookJob, deliveryOrder({ id: deliveryId, tenantId }, turn, restsUntil)),
    ])
  }
  const outcome = await send(ctx, waiting, signal)
  await transact(ctx, (txn) => settle(txn, deliveryId, waiting, outcome))
}

async function send(ctx: Ctx, { url, secretsSealed, tenantId, ...message }: Waiting, signal: AbortSignal) {
  const secrets = secretsSealed.map((sealed) => ctx.services.encryptor.decrypt(sealed, tenantId))
  try {
    const response = await ctx.services.http.request(url, {
      method: 'POST',
      headers: signedHeaders(secrets, message, ctx.clock.date()),
      body: message.body,
      // The message is meant for the address that was given, and for no other that this one names.
      redirect: 'manual',
      timeoutMs: patienceMs,
      signal,
    })
    // No one reads what it says; unread it would hold the connection.
    await response.body.cancel()
    return { status: response.status }
  } catch (error) {
    // The process is to stop, or has lost the job: that is no fault of the receiver.
    if (signal.aborted) throw error
    return { error: (error as OutboundError).message }
  }
}

/** Its receiver was disabled or deleted just as the message was made. */
async function closeStranded(txn: Transaction, id: string): Promise<void> {
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const delivery = await txn.em.findOne(WebhookDelivery, { id, status: 'pending' }, { lockMode })
  if (!delivery) return
  const webhook = await txn.em.findOne(Webhook, { id: delivery.webhookId })
  if (!webhook) txn.em.remove(delivery)
  else if (webhook.status === 'disabled')
    Object.assign(delivery, { status: 'failed', error: 'The webhook was disabled' })
}

async function settle(txn: Transaction, id: string, sent: Waiting, outcome: Outcome): Promise<void> {
  const webhook = await lockWebhook(txn, sent.webhookId).catch(() => undefined)
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const delivery = webhook && (await txn.em.findOne(WebhookDelivery, { id }, { lockMode }))
  // It was deleted or disabled meanwhile, or another process that took the job for lost has settled this attempt.
  if (!webhook || delivery?.status !== 'pending' || delivery.attempts !== sent.attempts) return
  const now = txn.clock.now()
  const status = 'status' in outcome ? outcome.status : null
  delivery.attempts += 1
  delivery.lastAttemptAt = new Date(now)
  delivery.responseStatus = status
  delivery.error = faultOf(outcome)
  if (delivery.error === null) {
    delivery.status = 'delivered'
    Object.assign(webhook, { failures: 0, restsUntil: null })
    return
  }
  webhook.failures += 1
  webhook.restsUntil = new Date(now + restMs(webhook.failures))
  if (status === 410) return giveUp(txn, webhook, 'gone')
  if (webhook.failures >= mostFailures) return giveUp(txn, webhook, 'failing')
  if (delivery.attempts >= mostAttempts) delivery.status = 'failed'
  else {
    const again = new Date(now + restMs(delivery.attempts))
    txn.enqueue(deliverWebhookJob, deliveryOrder(delivery, String(delivery.attempts), again))
  }
}

/** @returns null when it was taken */
function faultOf(outcome: Outcome): string | null {
  if ('error' in outcome) return outcome.error
  const { status } = outcome
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? `Answered ${status}, a redirect, and those are not followed`
    : `Answered ${status}`
}

async function giveUp(txn: Transaction, webhook: WebhookRow, reason: 'gone' | 'failing'): Promise<void> {
  await disable(txn, webhook, reason)
  txn.audit({
    tenantId: webhook.tenantId,
    resourceType: 'webhook',
    resourceId: webhook.id,
    before: { status: 'active' },
    after: { status: 'disabled', reason },
    action: 'webhook.disabled',
  })
  const why =
    reason === 'gone' ? 'it answered that it is gone (410)' : `${mostFailures} attempts in a row have failed`
  await notify(txn, {
    tenantId: webhook.tenantId,
    to: 'admins',
    type: 'campaign_update',
    title: `A webhook was disabled: ${new URL(webhook.url).host}`,
    body: `Nothing is sent there any more: ${why}. Enable it again when it works; what has failed can be sent again.`,
    subjectKind: 'webhooks',
    subjectId: webhook.id,
  })
}
