import { listBillingEvents } from '../../domain/accounts/billing/events/queries.ts'
import { receivePaymentEvent } from '../../domain/accounts/billing/events/receive.ts'
import { BillingEventPage, BillingEventQuery } from '../../domain/accounts/billing/events/schemas.ts'
import { publicAccess } from '../../gateway/access.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { raw } from '../../gateway/raw.ts'
import { operators } from './access.ts'

export const events = endpoint({
  id: 'admin.billing.events',
  route: 'GET /billing/events',
  summary: 'What the payment provider has told, and what became of it, newest first',
  access: operators,
  query: BillingEventQuery,
  reply: { 200: BillingEventPage },
}).handle((ctx, { query }) => listBillingEvents(ctx, query))

export const webhook = raw({
  id: 'admin.billing.webhook',
  route: 'POST /billing/webhook',
  summary: 'Events of the payment provider, signed over the raw body',
  description:
    'An event is kept before it is answered and applied in the background, each id once. The signature is the hex HMAC-SHA256 of the body in `X-PaymentProvider-Signature`; the id is in `X-PaymentProvider-Event-Id` or the body.',
  access: publicAccess,
  reply: { 200: 'application/json' },
  maxBodyBytes: 256 * 1024,
  errors: ['UNAUTHORIZED', 'VALIDATION_ERROR', 'NOT_FOUND'],
}).handle(async (ctx, { body, header }) => ({
  body: JSON.stringify(await receivePaymentEvent(ctx, { body, header })),
}))
