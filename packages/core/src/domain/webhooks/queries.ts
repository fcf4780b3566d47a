import type { Row, Sql } from '../../platform/database/database.ts'
import { asDate, asInstant, asJson, asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { readPage } from '../page-queries.ts'
import { equals, type Page, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { DeliveryStatus, DisabledReason, WebhookEvent, WebhookStatus } from './entities.ts'
import type { DeliveryItem, DeliveryQuery, WebhookItem, WebhookQuery } from './schemas.ts'

const columns = `select w.id, w.url, w.description, w.event_types, w.status, w.disabled_reason, w.failures, w.created_on, w.updated_on
  from webhooks w`

/** The webhooks of a tenant, newest first. Serves `GET /tenant/v1/webhooks`. */
export async function listWebhooks(ctx: Ctx, given: Partial<WebhookQuery> = {}): Promise<Page<WebhookItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  return readPage<Row, WebhookItem>(
    ctx,
    {
      select: columns,
      id: 'w.id',
      rows: within(ctx.scope, 'w.tenant_id'),
      deletedBy: 'webhook.delete',
      request: query,
    },
    toItem,
  )
}

/** Serves `GET /tenant/v1/webhooks/:webhookId`. @throws DomainError `NOT_FOUND` */
export async function getWebhook(ctx: Ctx, id: string): Promise<WebhookItem> {
  const condition = where(within(ctx.scope, 'w.tenant_id'), equals('w.id', id))
  const row = await ctx.sql.get<Row>(`${columns} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('webhook')
  return toItem(row)
}

/** What was sent to a webhook, newest first. Serves `GET /tenant/v1/webhooks/:webhookId/deliveries`. @throws DomainError `NOT_FOUND` */
export async function listDeliveries(
  ctx: Ctx,
  webhookId: string,
  given: Partial<DeliveryQuery> = {},
): Promise<Page<DeliveryItem>> {
  await getWebhook(ctx, webhookId)
  const query = { limit: 25, order: 'desc' as const, ...given }
  return readPage<Row, DeliveryItem>(
    ctx,
    {
      select: `select d.id, d.message_id, d.type, d.status, d.attempts, d.response_status, d.error, d.last_attempt_at, d.created_on
        from webhook_deliveries d`,
      id: 'd.id',
      rows: where(within(ctx.scope, 'd.tenant_id'), equals('d.webhook_id', webhookId)),
      filters: [equals('d.status', query['filter.status'])],
      request: query,
    },
    (row) => ({
      id: row.id as string,
      messageId: `msg_${row.message_id as string}`,
      type: row.type as string,
      status: row.status as DeliveryStatus,
      attempts: row.attempts as number,
      responseStatus: row.response_status as number | null,
      error: row.error as string | null,
      lastAttemptAt: asDate(row.last_attempt_at),
      createdOn: asInstant(row.created_on),
    }),
  )
}

/** A receiver that is told of events, as the round of deliveries needs it. */
export interface Receiver {
  id: string
  tenantId: string
  eventTypes: WebhookEvent[]
  sinceSeq: number
}

/** Every active receiver within the scope. */
export async function activeReceivers(ctx: Ctx): Promise<Receiver[]> {
  const scope = within(ctx.scope, 'tenant_id')
  const rows = await ctx.sql.all<Row>(
    `select id, tenant_id, event_types, since_seq from webhooks where status = 'active' and ${scope.sql} order by id`,
    scope.params,
  )
  return rows.map((row) => ({
    id: row.id as string,
    tenantId: row.tenant_id as string,
    eventTypes: asJson<WebhookEvent[]>(row.event_types) ?? [],
    sinceSeq: asNumber(row.since_seq),
  }))
}

/** A message that waits to be sent, with where it goes. */
export interface Waiting {
  webhookId: string
  tenantId: string
  url: string
  /** The present one, and the one before while it still counts. */
  secretsSealed: string[]
  restsUntil: Date | null
  messageId: string
  body: string
  attempts: number
}

/** @returns undefined when it waits no more, or goes nowhere */
export async function waitingDelivery(ctx: Ctx, id: string): Promise<Waiting | undefined> {
  const scope = within(ctx.scope, 'd.tenant_id')
  const row = await ctx.sql.get<Row>(
    `select d.webhook_id, d.tenant_id, d.message_id, d.body, d.attempts, w.url, w.secret_sealed, w.rests_until,
       case when w.previous_until > ? then w.previous_secret_sealed end as previous_sealed
     from webhook_deliveries d join webhooks w on w.id = d.webhook_id
     where d.id = ? and ${scope.sql} and d.status = 'pending' and w.status = 'active'`,
    [ctx.clock.date(), id, ...scope.params],
  )
  return (
    row && {
      webhookId: row.webhook_id as string,
      tenantId: row.tenant_id as string,
      url: row.url as string,
      secretsSealed: [
        row.secret_sealed as string,
        ...(row.previous_sealed ? [row.previous_sealed as string] : []),
      ],
      restsUntil: asDate(row.rests_until),
      messageId: row.message_id as string,
      body: row.body as string,
      attempts: row.attempts as number,
    }
  )
}

/** The number of the last event that has happened. */
export async function lastEvent(tx: Sql): Promise<number> {
  const row = await tx.get<Row>('select coalesce(max(seq), 0) as seq from event')
  return asNumber(row?.seq)
}

/** Makes the mark of the round of deliveries where there is none. */
export async function ensureMark(tx: Sql): Promise<void> {
  await tx.run('insert into webhook_mark (id, seq) values (1, 0) on conflict (id) do nothing')
}

function toItem(row: Row): WebhookItem {
  return {
    id: row.id as string,
    url: row.url as string,
    description: row.description as string | null,
    eventTypes: asJson<WebhookEvent[]>(row.event_types) ?? [],
    status: row.status as WebhookStatus,
    disabledReason: row.disabled_reason as DisabledReason | null,
    failures: row.failures as number,
    createdOn: asInstant(row.created_on),
    updatedOn: asInstant(row.updated_on),
  }
}
