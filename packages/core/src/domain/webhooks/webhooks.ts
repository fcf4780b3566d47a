import { LockMode } from '@mikro-orm/core'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { oneTenant } from '../scope.ts'
import { lockTenant } from '../tenants/status.ts'
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
export function createWebhook(ctx: Ctx, input: NewWebhook): Promise<CreatedWebhook> {
  const id = ctx.newId()
  const secret = newSecret()
  return command(ctx, async (cmd) => {
    const tenantId = oneTenant(cmd)
    await lockTenant(cmd, tenantId)
    if ((await cmd.em.count(Webhook, { tenantId })) >= mostWebhooks)
      throw new DomainError('UNPROCESSABLE', `There are ${mostWebhooks} webhooks already; delete one`)
    const now = cmd.clock.date()
    const webhook = cmd.em.create(Webhook, {
      id,
      tenantId,
      url: input.url,
      description: input.description || null,
      eventTypes: [...new Set(input.eventTypes)],
      status: 'active',
      disabledReason: null,
      secretSealed: cmd.services.box.seal(secret, tenantId),
      previousSecretSealed: null,
      previousUntil: null,
      sinceSeq: await lastEvent(cmd.tx),
      failures: 0,
      restsUntil: null,
      createdOn: now,
      updatedOn: now,
    })
    record(cmd, webhook, { after: view(webhook) })
    return { ...(await read(cmd, id)), secret }
  })
}

/**
 * Changes a receiver; what is not named stays as it is. What happens while it is disabled it is never told, what waited for it
 * has failed. Serves `PATCH /tenant/v1/webhooks/:webhookId`.
 * @throws DomainError `NOT_FOUND`
 */
export function changeWebhook(ctx: Ctx, id: string, changes: WebhookChange): Promise<WebhookItem> {
  return command(ctx, async (cmd) => {
    const webhook = await lockWebhook(cmd, id)
    const before = view(webhook)
    const { url = webhook.url, description = webhook.description, status = webhook.status } = changes
    if (url !== webhook.url || status !== webhook.status)
      Object.assign(webhook, { failures: 0, restsUntil: null })
    Object.assign(webhook, { url, description: description || null, updatedOn: cmd.clock.date() })
    if (changes.eventTypes) webhook.eventTypes = [...new Set(changes.eventTypes)]
    if (status === 'disabled' && webhook.status === 'active') await disable(cmd, webhook, 'by_person')
    if (status === 'active' && webhook.status === 'disabled')
      Object.assign(webhook, { status, disabledReason: null, sinceSeq: await lastEvent(cmd.tx) })
    record(cmd, webhook, { before, after: view(webhook) })
    return read(cmd, id)
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
  return command(ctx, async (cmd) => {
    const webhook = await lockWebhook(cmd, id)
    const now = cmd.clock.date()
    const previousSecretUntil = new Date(now.getTime() + overlapMs)
    Object.assign(webhook, {
      secretSealed: cmd.services.box.seal(secret, webhook.tenantId),
      previousSecretSealed: webhook.secretSealed,
      previousUntil: previousSecretUntil,
      updatedOn: now,
    })
    record(cmd, webhook, { after: { previousSecretUntil } })
    return { ...(await read(cmd, id)), secret, previousSecretUntil }
  })
}

/** Deletes a receiver with all that was sent to it. Serves `DELETE /tenant/v1/webhooks/:webhookId`. @throws DomainError `NOT_FOUND` */
export function deleteWebhook(ctx: Ctx, id: string): Promise<void> {
  return command(ctx, async (cmd) => {
    const webhook = await lockWebhook(cmd, id)
    record(cmd, webhook, { before: view(webhook) })
    await cmd.em.nativeDelete(WebhookDelivery, { webhookId: id })
    cmd.em.remove(webhook)
  })
}

/** @throws DomainError `NOT_FOUND` */
export async function lockWebhook(cmd: Command, id: string): Promise<WebhookRow> {
  const webhook = await cmd.em.findOne(Webhook, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!webhook) throw notFound('webhook')
  return webhook
}

/** Ends what is sent to a receiver that is locked. */
export async function disable(
  cmd: Command,
  webhook: WebhookRow,
  reason: NonNullable<WebhookRow['disabledReason']>,
): Promise<void> {
  Object.assign(webhook, { status: 'disabled', disabledReason: reason, updatedOn: cmd.clock.date() })
  await cmd.em.flush()
  await cmd.em.nativeUpdate(
    WebhookDelivery,
    { webhookId: webhook.id, status: 'pending' },
    { status: 'failed', error: 'The webhook was disabled' },
  )
}

async function read(cmd: Command, id: string): Promise<WebhookItem> {
  await cmd.em.flush()
  return getWebhook({ ...cmd, sql: cmd.tx }, id)
}

function view({ url, description, eventTypes, status }: WebhookRow) {
  return { url, description, eventTypes, status }
}

function record(
  cmd: Command,
  { id, tenantId }: WebhookRow,
  what: { before?: unknown; after?: unknown },
): void {
  cmd.audit({ tenantId, resourceType: 'webhook', resourceId: id, ...what })
}
