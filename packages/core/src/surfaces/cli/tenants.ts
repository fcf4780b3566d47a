import { getStatus } from '../../domain/system/status.ts'
import { Status, StatusQuery } from '../../domain/system/status-schemas.ts'
import { impersonateNamed } from '../../domain/identity/impersonation.ts'
import { Impersonation, ImpersonationGrant } from '../../domain/identity/admin-schemas.ts'
import { StaffProfile } from '../../domain/identity/schemas.ts'
import { staffProfile } from '../../domain/identity/staff-profile.ts'
import { delegate } from '../../gateway/delegate.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import * as cost from '../admin/cost.ts'
import * as tenants from '../admin/tenants.ts'
import { staff, superAdmins } from './access.ts'

export const status = endpoint({
  id: 'cli.status',
  route: 'GET /status',
  summary: 'What waits, runs and costs at every tenant, and whether the installation is well',
  access: staff,
  query: StatusQuery,
  reply: { 200: Status },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => getStatus(ctx, query))

export const list = delegate(tenants.list, {
  id: 'cli.tenants.list',
  route: 'GET /tenants',
  access: staff,
})

export const costs = delegate(cost.report, {
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
  errors: ['NOT_FOUND', 'FORBIDDEN', 'VALIDATION_ERROR'],
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
