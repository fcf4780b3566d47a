import { z } from 'zod'
import {
  ApiKeyPage,
  ApiKeyQuery,
  CreatedApiKey,
  NewApiKey,
} from '../../domain/accounts/identity/admin-schemas.ts'
import { createApiKey, revokeApiKey } from '../../domain/accounts/identity/api-keys.ts'
import { listApiKeys } from '../../domain/accounts/identity/list-queries.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const create = endpoint({
  id: 'admin.api_keys.create',
  route: 'POST /api-keys',
  summary: 'Create an API key for a user; the key is returned only once',
  access: operators,
  body: NewApiKey,
  reply: { 201: CreatedApiKey },
  errors: ['NOT_FOUND'],
  audit: 'api_key.create',
}).handle((ctx, { body }) => createApiKey(ctx, body))

export const list = endpoint({
  id: 'admin.api_keys.list',
  route: 'GET /api-keys',
  summary: 'API keys without the keys themselves, newest first',
  access: operators,
  query: ApiKeyQuery,
  reply: { 200: ApiKeyPage },
}).handle((ctx, { query }) => listApiKeys(ctx, query))

export const revoke = endpoint({
  id: 'admin.api_keys.revoke',
  route: 'DELETE /api-keys/:id',
  summary: 'End an API key at once',
  access: operators,
  reply: { 204: z.void() },
  audit: 'api_key.revoke',
}).handle((ctx, { params }) => revokeApiKey(ctx, params.id))
