import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { lockTenant } from '../../accounts/tenants/status.ts'
import { Webhook, WebhookDelivery, type WebhookRow } from './entities.ts'
import { newSecret } from './message.ts'
import { overlapMs } from './policy.ts'
import { getWebhook, lastEvent } from './queries.ts'
import type { CreatedWebhook, NewWebhook, RotatedWebhook, WebhookChange, WebhookItem } from './schemas.ts'

/** More than this many a tenant cannot have. */
const mostWebhooks = 20

/**
 * Adds a receiver, which is told of what happens from now on. Its secret is shown this once. Serves `POST /tenant/v1/webhooks`.
 * @throws DomainError `UNPROCESSABLE` when there are too many
 */
export async function createWebhook(ctx: Ctx, input: NewWebhook): Promise<CreatedWebhook> {
  const id = ctx.newId()
  const secret = newSecret()
  await ctx.services.events.settle()
  return transact(ctx, async (txn) => {
    const tenantId = oneTenant(txn)
    await lockTenant(txn, tenantId)
    if ((await txn.em.count(Webhook, { tenantId })) >= mostWebhooks)
      throw new DomainError('UNPROCESSABLE', `There are ${mostWebhooks} webhooks already; delete one`)
    const now = txn.clock.date()
    const webhook = txn.em.create(Webhook, {
      id,
      tenantId,
      url: input.url,
      description: input.description || null,
      eventTypes: [...new Set(input.eventTypes)],
      status: 'active',
      disabledReason: null,
      secretSealed: txn.services.encryptor.encrypt(secret, tenantId),
      previousSecretSealed: null,
      previousUntil: null,
      sinceSeq: await lastEvent(txn.tx),
      failures: 0,
      restsUntil: null,
      createdOn: now,
      updatedOn: now,
    })
    record(txn, webhook, { after: view(webhook) })
    return { ...(await read(txn, id)), secret }
  })
}

/**
 * Changes a receiver; what is not named stays as it is. What happens while it is disabled it is never told, what waited for it
 * has failed. Serves `PATCH /tenant/v1/webhooks/:webhookId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function changeWebhook(ctx: Ctx, id: string, changes: WebhookChange): Promise<WebhookItem> {
  await ctx.services.events.settle()
  return transact(ctx, async (txn) => {
    const webhook = await lockWebhook(txn, id)
    const before = view(webhook)
    const { url = webhook.url, description = webhook.description, status = webhook.status } = changes
    if (url !== webhook.url || status !== webhook.status)
      Object.assign(webhook, { failures: 0, restsUntil: null })
    Object.assign(webhook, { url, description: description || null, updatedOn: txn.clock.date() })
    if (changes.eventTypes) webhook.eventTypes = [...new Set(changes.eventTypes)]
    if (status === 'disabled' && webhook.status === 'active') await disable(txn, webhook, 'by_person')
    if (status === 'active' && webhook.status === 'disabled')
      Object.assign(webhook, { status, disabledReason: null, sinceSeq: await lastEvent(txn.tx) })
    record(txn, webhook, { before, after: view(webhook) })
    return read(txn, id)
  })
}

/**
 * Gives a receiver another secret, which is shown this once. For a day messages are signed with the one of before as well, so
 * that nothing is lost while the receiver is changed; one that is older still counts no more. Serves
 * `POST /tenant/v1/webhooks/:webhookId/rotate-secret`.
 * @throws DomainError `NOT_FOUND`
 */
export function rotateSecret(ctx: Ctx, id: string): Promise<RotatedWebhook> {
  const secret = newSecret()
  return transact(ctx, async (txn) => {
    const webhook = await lockWebhook(txn, id)
    const now = txn.clock.date()
    const previousSecretUntil = new Date(now.getTime() + overlapMs)
    Object.assign(webhook, {
      secretSealed: txn.services.encryptor.encrypt(secret, webhook.tenantId),
      previousSecretSealed: webhook.secretSealed,
      previousUntil: previousSecretUntil,
      updatedOn: now,
    })
    record(txn, webhook, { after: { previousSecretUntil } })
    return { ...(await read(txn, id)), secret, previousSecretUntil }
  })
}

/** Deletes a receiver with all that was sent to it. Serves `DELETE /tenant/v1/webhooks/:webhookId`. @throws DomainError `NOT_FOUND` */
export function deleteWebhook(ctx: Ctx, id: string): Promise<void> {
  return transact(ctx, async (txn) => {
    const webhook = await lockWebhook(txn, id)
    record(txn, webhook, { before: view(webhook) })
    await txn.em.nativeDelete(WebhookDelivery, { webhookId: id })
    txn.em.remove(webhook)
  })
}

/** @throws DomainError `NOT_FOUND` */
export async function lockWebhook(txn: Transaction, id: string): Promise<WebhookRow> {
  const webhook = await txn.em.findOne(Webhook, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!webhook) throw notFound('webhook')
  return webhook
}

/** Ends what is sent to a receiver that is locked. */
export async function disable(
  txn: Transaction,
  webhook: WebhookRow,
  reason: NonNullable<WebhookRow['disabledReason']>,
): Promise<void> {
  Object.assign(webhook, { status: 'disabled', disabledReason: reason, updatedOn: txn.clock.date() })
  await txn.em.flush()
  await txn.em.nativeUpdate(
    WebhookDelivery,
    { webhookId: webhook.id, status: 'pending' },
    { status: 'failed', error: 'The webhook was disabled' },
  )
}

async function read(txn: Transaction, id: string): Promise<WebhookItem> {
  await txn.em.flush()
  return getWebhook(txn, id)
}

function view({ url, description, eventTypes, status }: WebhookRow) {
  return { url, description, eventTypes, status }
}

function record(
  txn: Transaction,
  { id, tenantId }: WebhookRow,
  what: { before?: unknown; after?: unknown },
): void {
  txn.audit({ tenantId, resourceType: 'webhook', resourceId: id, ...what })
}
