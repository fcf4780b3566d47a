import {
  Reinstated,
  Suspended,
  Suspension,
  UserPage,
  UserQuery,
} from '../../domain/accounts/identity/admin-schemas.ts'
import { listPeople } from '../../domain/accounts/identity/list-queries.ts'
import { reinstateUser, suspendUser } from '../../domain/accounts/identity/suspension.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.users.list',
  route: 'GET /users',
  summary: 'People of all tenants and reviewers, newest first; super-admins by filter.role only',
  access: operators,
  query: UserQuery,
  reply: { 200: UserPage },
}).handle((ctx, { query }) => listPeople(ctx, query))

export const suspend = endpoint({
  id: 'admin.users.suspend',
  route: 'POST /users/:userId/suspend',
  summary: 'Shut a person out of the whole platform at once',
  access: operators,
  body: Suspension,
  reply: { 200: Suspended },
  errors: ['CONFLICT'],
  audit: 'user.suspend',
}).handle((ctx, { params, body }) => suspendUser(ctx, params.userId, body.reason))

export const reinstate = endpoint({
  id: 'admin.users.reinstate',
  route: 'POST /users/:userId/reinstate',
  summary: 'Let a suspended person log in again',
  access: operators,
  reply: { 200: Reinstated },
  errors: ['CONFLICT'],
  audit: 'user.reinstate',
}).handle((ctx, { params }) => reinstateUser(ctx, params.userId))
