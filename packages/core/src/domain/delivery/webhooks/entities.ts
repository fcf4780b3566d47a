import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { webhookEventsOf } from '../../../kernel/events.ts'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import { workEvents } from '../../work/events.ts'

/** What receivers can subscribe to. */
export const webhookDefinitions = webhookEventsOf(workEvents)
/** Under the names that live streams use. */
export const webhookEvents = webhookDefinitions.map(({ type }) => type)
export type WebhookEvent = (typeof webhookEvents)[number]

export const webhookStatuses = ['active', 'disabled'] as const
export type WebhookStatus = (typeof webhookStatuses)[number]

/** Why no event goes there: a person wants it so, the receiver said that it is gone, or it failed again and again. */
export type DisabledReason = 'by_person' | 'gone' | 'failing'

/** Where a tenant wants to be told of what happens. */
export const Webhook = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    url: p.text(),
    description: p.string().strictNullable(),
    eventTypes: p.json().$type<WebhookEvent[]>(),
    status: p.string().$type<WebhookStatus>(),
    disabledReason: p.string().$type<DisabledReason>().strictNullable(),
    /** Sealed for the tenant. */
    secretSealed: p.text(),
    /** The secret of before, sealed too, with which messages are signed as well until then. */
    previousSecretSealed: p.text().strictNullable(),
    previousUntil: instantColumn().strictNullable(),
    /** Events up to and with this number happened before it was there, or while it was disabled. */
    sinceSeq: p.bigint('number'),
    /** Attempts that have failed since the last one that did not. */
    failures: p.integer(),
    /** Until then nothing is sent: the last attempt failed. */
    restsUntil: instantColumn().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  indexes: [
    { name: 'webhooks_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'webhooks_active', properties: ['id'], where: "status = 'active'" },
  ],
  filters: ownedByTenant,
})

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const
export type WebhookDeliveryStatus = (typeof deliveryStatuses)[number]

/** One message to one receiver. */
export const WebhookDelivery = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    webhookId: refColumn(),
    /** The same at every receiver and with every attempt: by it receivers know what they have had. */
    messageId: refColumn(),
    type: p.string().$type<WebhookEvent | 'test'>(),
    /** As it is sent, to the byte. */
    body: p.text(),
    status: p.string().$type<WebhookDeliveryStatus>(),
    attempts: p.integer(),
    /** Of the last attempt; null where there was no answer. */
    responseStatus: p.integer().strictNullable(),
    error: p.text().strictNullable(),
    lastAttemptAt: instantColumn().strictNullable(),
    createdOn: instantColumn(),
  },
  uniques: [{ name: 'webhook_deliveries_once', properties: ['webhookId', 'messageId'] }],
  indexes: [
    { name: 'webhook_deliveries_by_webhook', properties: ['webhookId', 'id'] },
    { name: 'webhook_deliveries_by_status', properties: ['webhookId', 'status', 'id'] },
  ],
  filters: ownedByTenant,
})

/** One row: events up to and with this number have been made into deliveries. */
export const WebhookMark = defineEntity({
  name: 'WebhookMark',
  tableName: 'webhook_mark',
  properties: {
    id: p.integer().primary().autoincrement(false),
    seq: p.bigint('number'),
  },
})

export type WebhookRow = InferEntity<typeof Webhook>
export type WebhookDeliveryRow = InferEntity<typeof WebhookDelivery>

export const webhookEntities = [Webhook, WebhookDelivery, WebhookMark]
