import { finishConnect } from '../../domain/channels/callback.ts'
import { CallbackQuery, Platform } from '../../domain/channels/schemas.ts'
import { publicAccess } from '../../gateway/access.ts'
import { raw } from '../../gateway/raw.ts'

export const oauthCallback = raw({
  id: 'auth.oauth.callback',
  route: 'GET /oauth/callback/:platform',
  summary: 'Where providers send people back to who connect a channel',
  description:
    'Keeps the tokens and redirects to the `redirectUrl` of the attempt with `state` and `status`: `connected` or `error`. A state counts once.',
  access: publicAccess,
  params: { platform: Platform },
  query: CallbackQuery,
  reply: { 302: '' },
  errors: ['FORBIDDEN', 'VALIDATION_ERROR'],
  audit: 'channel.connected',
}).handle(async (ctx, { params, query }) => ({
  headers: { location: await finishConnect(ctx, params.platform, query) },
}))
