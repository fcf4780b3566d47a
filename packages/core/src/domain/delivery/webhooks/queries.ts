import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import type { Sql } from '../../../platform/database/database.ts'
import { count, like, pick, type RowOf, select, table, text } from '../../../platform/database/read.ts'
import { Webhook, WebhookDelivery } from './entities.ts'
import type { DeliveryItem, DeliveryQuery, WebhookItem, WebhookQuery } from './schemas.ts'

const w = table(Webhook, 'w')
const d = table(WebhookDelivery, 'd')
const from = `from ${w}`

const item = select(
  pick(
    w,
    'id',
    'url',
    'description',
    'eventTypes',
    'status',
    'disabledReason',
    'failures',
    'createdOn',
    'updatedOn',
  ),
)

/** The webhooks of a tenant, newest first. Serves `GET /tenant/v1/webhooks`. */
export async function listWebhooks(ctx: Ctx, given: Partial<WebhookQuery> = {}): Promise<Page<WebhookItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  return readPage(
    ctx,
    {
      select: item,
      from,
      id: w.id,
      rows: within(ctx.scope, 'w.tenant_id'),
      deletedBy: 'webhook.delete',
      request: query,
    },
    (row) => row,
  )
}

/** Serves `GET /tenant/v1/webhooks/:webhookId`. @throws DomainError `NOT_FOUND` */
export async function getWebhook(ctx: Ctx, id: string): Promise<WebhookItem> {
  const condition = where(within(ctx.scope, 'w.tenant_id'), equals(w.id, id))
  const row = await item.get(ctx.sql, `${from} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('webhook')
  return row
}

const delivery = select({
  id: d.id,
  messageId: text("'msg_' || d.message_id"),
  ...pick(d, 'type', 'status', 'attempts', 'responseStatus', 'error', 'lastAttemptAt', 'createdOn'),
})

/** What was sent to a webhook, newest first. Serves `GET /tenant/v1/webhooks/:webhookId/deliveries`. @throws DomainError `NOT_FOUND` */
export async function listDeliveries(
  ctx: Ctx,
  webhookId: string,
  given: Partial<DeliveryQuery> = {},
): Promise<Page<DeliveryItem>> {
  await getWebhook(ctx, webhookId)
  const query = { limit: 25, order: 'desc' as const, ...given }
  return readPage(
    ctx,
    {
      select: delivery,
      from: `from ${d}`,
      id: d.id,
      rows: where(within(ctx.scope, 'd.tenant_id'), equals(d.webhookId, webhookId)),
      filters: [equals(d.status, query['filter.status'])],
      request: query,
    },
    (row) => row,
  )
}

const receiver = select(pick(w, 'id', 'tenantId', 'eventTypes', 'sinceSeq'))
/** A receiver that is told of events, as the round of deliveries needs it. */
export type Receiver = RowOf<typeof receiver>

/** Every active receiver within the scope. */
export function activeReceivers(ctx: Ctx): Promise<Receiver[]> {
  const scope = within(ctx.scope, 'tenant_id')
  return receiver.all(ctx.sql, `${from} where status = 'active' and ${scope.sql} order by id`, scope.params)
}

const waiting = select({
  webhookId: d.webhookId,
  tenantId: d.tenantId,
  url: w.url,
  secret: w.secretSealed,
  /** Signs too, up to a certain time: the one placeholder here. */
  previousSecret: like(
    w.previousSecretSealed,
    'case when w.previous_until > ? then w.previous_secret_sealed end',
  ),
  restsUntil: w.restsUntil,
  ...pick(d, 'messageId', 'body', 'attempts'),
})

/** A message that waits to be sent, with where it goes. */
export interface Waiting extends Omit<RowOf<typeof waiting>, 'secret' | 'previousSecret'> {
  /** The present one, and the one before while it still counts. */
  secretsSealed: string[]
}

/** @returns undefined when it waits no more, or goes nowhere */
export async function waitingDelivery(ctx: Ctx, id: string): Promise<Waiting | undefined> {
  const scope = within(ctx.scope, 'd.tenant_id')
  const row = await waiting.get(
    ctx.sql,
    `from ${d} join ${w} on w.id = d.webhook_id
     where d.id = ? and ${scope.sql} and d.status = 'pending' and w.status = 'active'`,
    [ctx.clock.date(), id, ...scope.params],
  )
  if (!row) return undefined
  const { secret, previousSecret, ...rest } = row
  return { ...rest, secretsSealed: previousSecret ? [secret, previousSecret] : [secret] }
}

const last = select({ seq: count('coalesce(max(seq), 0)') })

/** The number of the last event that has happened. */
export async function lastEvent(tx: Sql): Promise<number> {
  return (await last.get(tx, 'from event'))?.seq ?? 0
}

/** Makes the mark of the round of deliveries where there is none. */
export async function ensureMark(tx: Sql): Promise<void> {
  await tx.run('insert into webhook_mark (id, seq) values (1, 0) on conflict (id) do nothing')
}
