import { Impersonation, ImpersonationGrant } from '../../domain/accounts/identity/admin-schemas.ts'
import { impersonateNamed } from '../../domain/accounts/identity/impersonation.ts'
import { staffProfile } from '../../domain/accounts/identity/profile.ts'
import { StaffProfile } from '../../domain/accounts/identity/schemas.ts'
import { getStatus } from '../../domain/insight/system/status.ts'
import { Status, StatusQuery } from '../../domain/insight/system/status-schemas.ts'
import { delegate } from '../../gateway/delegate.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { cost as costReport } from '../admin/cost.ts'
import * as tenants from '../admin/tenants.ts'
import { staff, superAdmins } from './access.ts'

export const status = endpoint({
  id: 'cli.status',
  route: 'GET /status',
  summary: 'Pending approvals, runs and cost of every tenant, and the health of the installation',
  access: staff,
  query: StatusQuery,
  reply: { 200: Status },
}).handle((ctx, { query }) => getStatus(ctx, query))

export const list = delegate(tenants.list, {
  id: 'cli.tenants.list',
  route: 'GET /tenants',
  access: staff,
})

export const cost = delegate(costReport, {
  id: 'cli.cost',
  route: 'GET /cost',
  access: staff,
})

export const impersonate = endpoint({
  id: 'cli.impersonate',
  route: 'POST /impersonate',
  summary: 'A token to see the dashboard as an admin of the tenant does, for 30 minutes and to read only',
  access: superAdmins,
  body: Impersonation,
  reply: { 200: ImpersonationGrant },
  errors: ['NOT_FOUND'],
  audit: 'tenant.impersonated',
}).handle((ctx, { body }) => impersonateNamed(ctx, body))

export const me = endpoint({
  id: 'cli.me',
  route: 'GET /me',
  summary: 'Your profile, and what an assistant may do with your credential',
  access: staff,
  reply: { 200: StaffProfile },
  errors: ['NOT_FOUND'],
}).handle((ctx) => staffProfile(ctx))
