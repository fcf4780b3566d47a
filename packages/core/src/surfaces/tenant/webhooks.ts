import { z } from 'zod'
import { getWebhook, listDeliveries, listWebhooks } from '../../domain/delivery/webhooks/queries.ts'
import { replayDelivery, testWebhook } from '../../domain/delivery/webhooks/queue.ts'
import {
  CreatedWebhook,
  DeliveryPage,
  DeliveryQuery,
  DeliveryStarted,
  NewWebhook,
  RotatedWebhook,
  WebhookChange,
  WebhookItem,
  WebhookPage,
  WebhookQuery,
} from '../../domain/delivery/webhooks/schemas.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  rotateSecret as rotateWebhookSecret,
} from '../../domain/delivery/webhooks/webhooks.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins } from './access.ts'

export const list = endpoint({
  id: 'tenant.webhooks.list',
  route: 'GET /webhooks',
  summary: 'The webhooks of the tenant, newest first',
  access: admins,
  query: WebhookQuery,
  reply: { 200: WebhookPage },
}).handle((ctx, { query }) => listWebhooks(ctx, query))

export const create = endpoint({
  id: 'tenant.webhooks.create',
  route: 'POST /webhooks',
  summary: 'Add a webhook URL; the secret that signs its events is returned only once',
  access: admins,
  body: NewWebhook,
  reply: { 201: CreatedWebhook },
  errors: ['UNPROCESSABLE'],
  audit: 'webhook.create',
}).handle((ctx, { body }) => createWebhook(ctx, body))

export const get = endpoint({
  id: 'tenant.webhooks.get',
  route: 'GET /webhooks/:webhookId',
  summary: 'One webhook',
  access: admins,
  reply: { 200: WebhookItem },
}).handle((ctx, { params }) => getWebhook(ctx, params.webhookId))

export const change = endpoint({
  id: 'tenant.webhooks.change',
  route: 'PATCH /webhooks/:webhookId',
  summary: 'Change, disable or enable a webhook; what is not named stays as it is',
  access: admins,
  body: WebhookChange,
  reply: { 200: WebhookItem },
  audit: 'webhook.change',
}).handle((ctx, { params, body }) => changeWebhook(ctx, params.webhookId, body))

export const remove = endpoint({
  id: 'tenant.webhooks.delete',
  route: 'DELETE /webhooks/:webhookId',
  summary: 'Delete a webhook with all that was sent to it',
  access: admins,
  reply: { 204: z.void() },
  audit: 'webhook.delete',
}).handle((ctx, { params }) => deleteWebhook(ctx, params.webhookId))

export const rotateSecret = endpoint({
  id: 'tenant.webhooks.rotate_secret',
  route: 'POST /webhooks/:webhookId/rotate-secret',
  summary: 'Rotate the secret, which is returned only once; for a day events are signed with both',
  access: admins,
  reply: { 200: RotatedWebhook },
  audit: 'webhook.rotate_secret',
}).handle((ctx, { params }) => rotateWebhookSecret(ctx, params.webhookId))

export const test = endpoint({
  id: 'tenant.webhooks.test',
  route: 'POST /webhooks/:webhookId/test',
  summary: 'Send a message of the type test',
  access: admins,
  reply: { 202: DeliveryStarted },
  errors: ['UNPROCESSABLE'],
  audit: 'webhook.test',
}).handle((ctx, { params }) => testWebhook(ctx, params.webhookId))

export const deliveries = endpoint({
  id: 'tenant.webhooks.deliveries',
  route: 'GET /webhooks/:webhookId/deliveries',
  summary: 'What was sent to a webhook in the last 30 days and what became of it, newest first',
  access: admins,
  query: DeliveryQuery,
  reply: { 200: DeliveryPage },
}).handle((ctx, { params, query }) => listDeliveries(ctx, params.webhookId, query))

export const replay = endpoint({
  id: 'tenant.webhooks.replay',
  route: 'POST /webhooks/:webhookId/deliveries/:deliveryId/replay',
  summary: 'Send a message again, under the same id',
  access: admins,
  reply: { 202: DeliveryStarted },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'webhook.replay',
}).handle((ctx, { params }) => replayDelivery(ctx, params.webhookId, params.deliveryId))
