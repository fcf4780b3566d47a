import { putCredentials } from '../../domain/accounts/channels/credentials.ts'
import { listIntegrations } from '../../domain/accounts/channels/queries.ts'
import {
  ChannelTypeParam,
  CredentialsInput,
  Integration,
  IntegrationList,
} from '../../domain/accounts/channels/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins, team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.integrations.list',
  route: 'GET /integrations',
  summary: 'Every type of channel, how it can be connected, and whether it is',
  access: team,
  reply: { 200: IntegrationList },
}).handle((ctx) => listIntegrations(ctx))

export const credentials = endpoint({
  id: 'dashboard.integrations.credentials',
  route: 'PUT /integrations/:platform/credentials',
  summary: 'Connect an account by a password, key or token; the platform is asked whose it is',
  access: admins,
  params: { platform: ChannelTypeParam },
  body: CredentialsInput,
  reply: { 200: Integration },
  errors: ['UNPROCESSABLE'],
  audit: 'channel.credentials',
  takesCredential: true,
}).handle((ctx, { params, body }) => putCredentials(ctx, params.platform, body))
