import { startConnect } from '../../domain/accounts/channels/connect.ts'
import { ChannelTypeParam, ConnectReply, ConnectRequest } from '../../domain/accounts/channels/schemas.ts'
import { listChannelsWithHealth } from '../../domain/delivery/publishing/health/health.ts'
import { MobileChannelList } from '../../domain/delivery/publishing/health/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'mobile.channels.list',
  route: 'GET /channels',
  summary: 'The accounts at channels, and how well they are',
  access: team,
  reply: { 200: MobileChannelList },
}).handle((ctx) => listChannelsWithHealth(ctx))

export const connect = endpoint({
  id: 'mobile.channels.connect',
  route: 'POST /channels/:platform/connect',
  summary: 'Begin to connect an account: where to send the person',
  description: 'As on the dashboard; open `authUrl` in the browser of the device.',
  access: team,
  params: { platform: ChannelTypeParam },
  body: ConnectRequest,
  reply: { 200: ConnectReply },
  errors: ['UNPROCESSABLE'],
  audit: 'channel.connect',
}).handle((ctx, { params, body }) => startConnect(ctx, params.platform, body))
