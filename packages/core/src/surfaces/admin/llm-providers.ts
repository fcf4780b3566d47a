import { z } from 'zod'
import { listProviders } from '../../domain/agents/models/provider-queries.ts'
import { changeProvider, createProvider, removeProvider } from '../../domain/agents/models/providers.ts'
import {
  NewProvider,
  ProviderChanges,
  ProviderItem,
  ProviderList,
} from '../../domain/agents/models/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.llm_providers.list',
  route: 'GET /llm-providers',
  summary: 'Sources of models with how they do, those of the configuration first',
  access: operators,
  reply: { 200: ProviderList },
}).handle((ctx) => listProviders(ctx))

export const create = endpoint({
  id: 'admin.llm_providers.create',
  route: 'POST /llm-providers',
  summary: 'Add a source of models; every server serves them at once',
  access: operators,
  takesCredential: true,
  body: NewProvider,
  reply: { 201: ProviderItem },
  errors: ['CONFLICT'],
  audit: 'llm_provider.create',
}).handle((ctx, { body }) => createProvider(ctx, body))

export const change = endpoint({
  id: 'admin.llm_providers.change',
  route: 'PATCH /llm-providers/:providerId',
  summary: 'Change key, address or models of a source, or switch it off',
  access: operators,
  takesCredential: true,
  body: ProviderChanges,
  reply: { 200: ProviderItem },
  audit: 'llm_provider.change',
}).handle((ctx, { params, body }) => changeProvider(ctx, params.providerId, body))

export const remove = endpoint({
  id: 'admin.llm_providers.remove',
  route: 'DELETE /llm-providers/:providerId',
  summary: 'Remove a source of models; agents that use them say so on their next run',
  access: operators,
  reply: { 204: z.void() },
  audit: 'llm_provider.remove',
}).handle((ctx, { params }) => removeProvider(ctx, params.providerId))
