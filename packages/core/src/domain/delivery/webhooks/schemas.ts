import { z } from 'zod'
import { isoDate, page, pageQuery, ulid } from '../../../platform/wire.ts'
import { deliveryStatuses, webhookEvents, webhookStatuses } from './entities.ts'

/** Only its form: where it may lead is checked with each delivery, because names can be made to lead elsewhere. */
const receiver = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .refine((text) => {
    const url = URL.parse(text)
    return url !== null && url.username === '' && url.password === ''
  }, 'Must not hold a user name or a password')

const fields = {
  url: receiver,
  description: z.string().trim().max(200).nullable(),
  eventTypes: z.array(z.enum(webhookEvents)).min(1).max(webhookEvents.length),
}

export const NewWebhook = z.object({ ...fields, description: fields.description.default(null) })
export type NewWebhook = z.output<typeof NewWebhook>

export const WebhookChange = z.object({ ...fields, status: z.enum(webhookStatuses) }).partial()
export type WebhookChange = z.output<typeof WebhookChange>

export const WebhookItem = z.object({
  id: ulid,
  url: z.string(),
  description: z.string().nullable(),
  eventTypes: z.array(z.enum(webhookEvents)),
  status: z.enum(webhookStatuses),
  /** Why it is disabled: by a person, because the receiver answered that it is gone, or because it kept failing. */
  disabledReason: z.enum(['by_person', 'gone', 'failing']).nullable(),
  /** Attempts that have failed since the last one that did not. */
  failures: z.int(),
  createdOn: isoDate,
  updatedOn: isoDate,
})
export type WebhookItem = z.output<typeof WebhookItem>

export const CreatedWebhook = WebhookItem.extend({
  /** What messages are signed with; shown here and never again. */
  secret: z.string(),
})
export type CreatedWebhook = z.output<typeof CreatedWebhook>

export const RotatedWebhook = CreatedWebhook.extend({
  /** Until then messages are signed with the secret of before as well. */
  previousSecretUntil: isoDate,
})
export type RotatedWebhook = z.output<typeof RotatedWebhook>

export const WebhookPage = page(WebhookItem)
export const WebhookQuery = pageQuery
export type WebhookQuery = z.output<typeof WebhookQuery>

export const DeliveryItem = z.object({
  id: ulid,
  /** As it is sent in `webhook-id`. */
  messageId: z.string(),
  type: z.string(),
  status: z.enum(deliveryStatuses),
  attempts: z.int(),
  /** Of the last attempt; null where there was no answer. */
  responseStatus: z.int().nullable(),
  error: z.string().nullable(),
  lastAttemptAt: isoDate.nullable(),
  createdOn: isoDate,
})
export type DeliveryItem = z.output<typeof DeliveryItem>
export const DeliveryPage = page(DeliveryItem)
export const DeliveryQuery = pageQuery.extend({ 'filter.status': z.enum(deliveryStatuses).optional() })
export type DeliveryQuery = z.output<typeof DeliveryQuery>

export const DeliveryStarted = z.object({ deliveryId: ulid })
