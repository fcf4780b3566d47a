import { finishConnect } from '../../domain/accounts/channels/callback.ts'
import { CallbackQuery, ChannelTypeParam } from '../../domain/accounts/channels/schemas.ts'
import { publicAccess } from '../../gateway/access.ts'
import { raw } from '../../gateway/raw.ts'

export const callback = raw({
  id: 'auth.oauth.callback',
  route: 'GET /oauth/callback/:platform',
  summary: 'Where providers send people back to who connect a channel',
  description:
    'Keeps the tokens and redirects to the `redirectUrl` of the attempt with `state` and `status`: `connected` or `error`. A state counts once.',
  access: publicAccess,
  params: { platform: ChannelTypeParam },
  query: CallbackQuery,
  reply: { 302: '' },
  errors: ['FORBIDDEN'],
  audit: 'channel.connected',
}).handle(async (ctx, { params, query }) => ({
  headers: { location: await finishConnect(ctx, params.platform, query) },
}))
