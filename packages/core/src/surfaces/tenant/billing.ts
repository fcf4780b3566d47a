import { getTenantInvoice, listTenantInvoices } from '../../domain/accounts/billing/invoices/queries.ts'
import {
  InvoiceFormat,
  TenantInvoiceDetail,
  TenantInvoicePage,
  TenantInvoiceQuery,
} from '../../domain/accounts/billing/invoices/schemas.ts'
import { cancelOwn, changeOwnPlan, ownSubscription, ownUsage } from '../../domain/accounts/billing/own.ts'
import { OwnSubscription, PlanChange, UsageReport } from '../../domain/accounts/billing/own-schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins, team } from './access.ts'

export const subscription = endpoint({
  id: 'tenant.billing.subscription',
  route: 'GET /billing/subscription',
  summary: 'What the tenant has agreed to pay, and until when it has paid',
  access: team,
  reply: { 200: OwnSubscription },
  errors: ['NOT_FOUND'],
}).handle((ctx) => ownSubscription(ctx))

export const change = endpoint({
  id: 'tenant.billing.change',
  route: 'POST /billing/subscription/change',
  summary: 'Move to another plan at once; the difference is billed or becomes credit',
  access: admins,
  body: PlanChange,
  reply: { 200: OwnSubscription },
  errors: ['NOT_FOUND', 'CONFLICT', 'UNPROCESSABLE'],
  audit: 'subscription.change',
}).handle((ctx, { body }) => changeOwnPlan(ctx, body))

export const cancel = endpoint({
  id: 'tenant.billing.cancel',
  route: 'POST /billing/subscription/cancel',
  summary: 'End the subscription with the period that is paid for',
  access: admins,
  reply: { 200: OwnSubscription },
  errors: ['NOT_FOUND'],
  audit: 'subscription.cancel',
}).handle((ctx) => cancelOwn(ctx))

export const invoices = endpoint({
  id: 'tenant.billing.invoices',
  route: 'GET /billing/invoices',
  summary: 'The invoices of the tenant, newest first',
  access: team,
  query: TenantInvoiceQuery,
  reply: { 200: TenantInvoicePage },
}).handle((ctx, { query }) => listTenantInvoices(ctx, query))

export const invoice = endpoint({
  id: 'tenant.billing.invoice',
  route: 'GET /billing/invoices/:invoiceId',
  summary: 'One invoice of the tenant with its lines, or its PDF',
  access: team,
  query: InvoiceFormat,
  reply: { 200: TenantInvoiceDetail },
  file: 'application/pdf',
}).handle((ctx, { params, query }) => getTenantInvoice(ctx, params.invoiceId, query))

export const usage = endpoint({
  id: 'tenant.billing.usage',
  route: 'GET /billing/usage',
  summary: 'What agents have spent that is not billed yet',
  access: team,
  reply: { 200: UsageReport },
  errors: ['NOT_FOUND'],
}).handle((ctx) => ownUsage(ctx))
