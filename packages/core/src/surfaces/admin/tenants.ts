import { tenantAudit } from '../../domain/accounts/audit/queries.ts'
import { AuditPage, AuditQuery } from '../../domain/accounts/audit/schemas.ts'
import { overrideBilling as overrideTenantBilling } from '../../domain/accounts/billing/override.ts'
import { BillingOverride, OverrideReceipt } from '../../domain/accounts/billing/schemas.ts'
import { ImpersonationGrant, Suspension } from '../../domain/accounts/identity/admin-schemas.ts'
import { impersonate as impersonateTenant } from '../../domain/accounts/identity/impersonation.ts'
import { changeTenant } from '../../domain/accounts/tenants/change.ts'
import { onboardTenant } from '../../domain/accounts/tenants/onboard.ts'
import { listTenants } from '../../domain/accounts/tenants/queries.ts'
import {
  Activation,
  CustomerReceipt,
  NewCustomer,
  Reinstatement,
  TenantActivated,
  TenantChange,
  TenantPage,
  TenantQuery,
  TenantReinstated,
  TenantSummary,
  TenantSuspended,
} from '../../domain/accounts/tenants/schemas.ts'
import { activateTenant, reinstateTenant, suspendTenant } from '../../domain/accounts/tenants/suspension.ts'
import { getTenant } from '../../domain/insight/tenants/detail-queries.ts'
import { TenantDetail } from '../../domain/insight/tenants/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.tenants.list',
  route: 'GET /tenants',
  summary: 'Tenants with what they use, newest first',
  access: operators,
  query: TenantQuery,
  reply: { 200: TenantPage },
}).handle((ctx, { query }) => listTenants(ctx, query))

export const create = endpoint({
  id: 'admin.tenants.create',
  route: 'POST /tenants',
  summary: 'Take a customer on: tenant, first admin, subscription and first invoice',
  access: operators,
  takesCredential: true,
  body: NewCustomer,
  reply: { 201: CustomerReceipt },
  errors: ['CONFLICT'],
  audit: 'tenant.created',
}).handle((ctx, { body }) => onboardTenant(ctx, body))

export const get = endpoint({
  id: 'admin.tenants.get',
  route: 'GET /tenants/:tenantId',
  summary: 'One tenant with its usage, billing, agents and people',
  access: operators,
  reply: { 200: TenantDetail },
}).handle((ctx, { params }) => getTenant(ctx, params.tenantId))

export const change = endpoint({
  id: 'admin.tenants.change',
  route: 'PATCH /tenants/:tenantId',
  summary: 'Change name, plan, status, spend cap or flags of a tenant',
  access: operators,
  body: TenantChange,
  reply: { 200: TenantSummary },
  audit: 'tenant.updated',
}).handle((ctx, { params, body }) => changeTenant(ctx, params.tenantId, body))

export const activate = endpoint({
  id: 'admin.tenants.activate',
  route: 'PATCH /tenants/:tenantId/activate',
  summary: 'End the onboarding of a tenant; its billing begins',
  access: operators,
  body: Activation,
  reply: { 200: TenantActivated },
  errors: ['CONFLICT', 'BAD_REQUEST'],
  audit: 'tenant.activated',
}).handle((ctx, { params }) => activateTenant(ctx, params.tenantId))

export const suspend = endpoint({
  id: 'admin.tenants.suspend',
  route: 'POST /tenants/:tenantId/suspend',
  summary: 'Shut a tenant out at once and pause its agents',
  access: operators,
  body: Suspension,
  reply: { 200: TenantSuspended },
  errors: ['CONFLICT'],
  audit: 'tenant.suspended',
}).handle((ctx, { params, body }) => suspendTenant(ctx, params.tenantId, body.reason))

export const reinstate = endpoint({
  id: 'admin.tenants.reinstate',
  route: 'POST /tenants/:tenantId/reinstate',
  summary: 'Let a suspended tenant in again; its agents are what they were',
  access: operators,
  body: Reinstatement,
  reply: { 200: TenantReinstated },
  errors: ['CONFLICT'],
  audit: 'tenant.reinstated',
}).handle((ctx, { params, body }) => reinstateTenant(ctx, params.tenantId, body.note))

export const impersonate = endpoint({
  id: 'admin.tenants.impersonate',
  route: 'POST /tenants/:tenantId/impersonate',
  summary: 'A token to see the dashboard as an admin of the tenant does, for 30 minutes and to read only',
  access: operators,
  reply: { 200: ImpersonationGrant },
  audit: 'tenant.impersonated',
}).handle((ctx, { params }) => impersonateTenant(ctx, params.tenantId))

export const auditLog = endpoint({
  id: 'admin.tenants.audit_log',
  route: 'GET /tenants/:tenantId/audit-log',
  summary: 'What has been done at a tenant, newest first',
  access: operators,
  query: AuditQuery,
  reply: { 200: AuditPage },
}).handle((ctx, { params, query }) => tenantAudit(ctx, params.tenantId, query))

export const overrideBilling = endpoint({
  id: 'admin.tenants.override_billing',
  route: 'POST /tenants/:tenantId/billing/override',
  summary: 'Extend a trial, apply a discount, mark invoices as paid or change the plan by hand',
  access: operators,
  body: BillingOverride,
  reply: { 200: OverrideReceipt },
  errors: ['BAD_REQUEST', 'UNPROCESSABLE'],
  audit: 'billing.override',
}).handle((ctx, { params, body }) => overrideTenantBilling(ctx, params.tenantId, body))
