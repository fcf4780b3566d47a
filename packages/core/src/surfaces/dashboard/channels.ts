import { z } from 'zod'
import { startConnect } from '../../domain/accounts/channels/connect.ts'
import { disconnectChannel } from '../../domain/accounts/channels/disconnect.ts'
import { listChannels } from '../../domain/accounts/channels/queries.ts'
import {
  ChannelList,
  ChannelTypeParam,
  ConnectReply,
  ConnectRequest,
} from '../../domain/accounts/channels/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins, team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.channels.list',
  route: 'GET /channels',
  summary: 'The accounts at channels that are, or were, connected',
  access: team,
  reply: { 200: ChannelList },
}).handle((ctx) => listChannels(ctx))

export const connect = endpoint({
  id: 'dashboard.channels.connect',
  route: 'POST /channels/:platform/connect',
  summary: 'Begin to connect an account: where to send the person',
  description:
    'Send the person to `authUrl`. Within ten minutes they come back to `redirectUrl` with `state`, which the client compares, and `status`: `connected` or `error`.',
  access: team,
  params: { platform: ChannelTypeParam },
  body: ConnectRequest,
  reply: { 200: ConnectReply },
  errors: ['UNPROCESSABLE'],
  audit: 'channel.connect',
}).handle((ctx, { params, body }) => startConnect(ctx, params.platform, body.redirectUrl))

export const disconnect = endpoint({
  id: 'dashboard.channels.disconnect',
  route: 'DELETE /channels/:channelId',
  summary: 'Give the tokens of a channel back and forget them',
  access: admins,
  reply: { 204: z.void() },
  audit: 'channel.disconnect',
}).handle((ctx, { params }) => disconnectChannel(ctx, params.channelId))
