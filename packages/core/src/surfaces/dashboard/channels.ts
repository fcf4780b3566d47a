import { z } from 'zod'
import { startConnect } from '../../domain/accounts/channels/connect.ts'
import { disconnectChannel } from '../../domain/accounts/channels/disconnect.ts'
import {
  ChannelList,
  ChannelTypeParam,
  ConnectReply,
  ConnectRequest,
} from '../../domain/accounts/channels/schemas.ts'
import { chooseAccount as choose, listAccounts } from '../../domain/delivery/publishing/accounts.ts'
import { channelHealth, listChannelsWithHealth } from '../../domain/delivery/publishing/health/health.ts'
import { ChannelHealth } from '../../domain/delivery/publishing/health/schemas.ts'
import { AccountChoice, ChannelAccountList } from '../../domain/delivery/publishing/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins, team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.channels.list',
  route: 'GET /channels',
  summary: 'The accounts at channels that are, or were, connected',
  access: team,
  reply: { 200: ChannelList },
}).handle((ctx) => listChannelsWithHealth(ctx))

export const health = endpoint({
  id: 'dashboard.channels.health',
  route: 'GET /channels/:channelId/health',
  summary: 'How well a channel is, why, and what to do',
  access: team,
  reply: { 200: ChannelHealth },
}).handle((ctx, { params }) => channelHealth(ctx, params.channelId))

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
}).handle((ctx, { params, body }) => startConnect(ctx, params.platform, body))

export const disconnect = endpoint({
  id: 'dashboard.channels.disconnect',
  route: 'DELETE /channels/:channelId',
  summary: 'Give the tokens of a channel back and forget them',
  access: admins,
  reply: { 204: z.void() },
  audit: 'channel.disconnect',
}).handle((ctx, { params }) => disconnectChannel(ctx, params.channelId))

export const accounts = endpoint({
  id: 'dashboard.channels.accounts',
  route: 'GET /channels/:channelId/accounts',
  summary: 'The pages or sites that the consent of a channel opens',
  access: team,
  reply: { 200: ChannelAccountList },
  errors: ['UNPROCESSABLE'],
}).handle((ctx, { params }) => listAccounts(ctx, params.channelId))

export const chooseAccount = endpoint({
  id: 'dashboard.channels.choose_account',
  route: 'PUT /channels/:channelId/account',
  summary: 'Choose the page or site to which pieces go; what was held for it goes on',
  access: admins,
  body: AccountChoice,
  reply: { 200: ChannelAccountList },
  errors: ['UNPROCESSABLE', 'CONFLICT'],
  audit: 'channel.account_chosen',
}).handle((ctx, { params, body }) => choose(ctx, params.channelId, body))
