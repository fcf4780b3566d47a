import { z } from 'zod'
import { randomToken, sha256Hex } from '../../../../../platform/crypto/hash.ts'
import type { ChannelAuth } from '../../../../accounts/channels/ports.ts'
import { readAs, requestAs } from '../requests.ts'
import { mastodonRules, mastodonUrl } from './rules.ts'

const scopes = 'read:accounts read:statuses write:statuses write:media'

const App = z.object({ client_id: z.string(), client_secret: z.string() })
const Me = z.object({ id: z.string(), acct: z.string() })
/** What servers do not say is as Mastodon has it. */
const Instance = z.object({
  configuration: z
    .object({
      statuses: z
        .object({
          max_characters: z.int().positive().catch(500),
          characters_reserved_per_url: z.int().nonnegative().catch(23),
        })
        .default({ max_characters: 500, characters_reserved_per_url: 23 }),
    })
    .prefault({}),
})

/** Every server is one of its own: it gives a client to anyone, or a person pastes a token. */
export const mastodonAuth: ChannelAuth = {
  rules: mastodonRules,
  fields: { server: 'required', secret: 'Access token' },
  async verify(call) {
    const server = call.account['server'] ?? ''
    const me = await requestAs(
      call,
      { url: mastodonUrl(call, '/api/v1/accounts/verify_credentials'), effect: 'read' },
      Me,
    )
    const { configuration } = await requestAs(
      call,
      { url: mastodonUrl(call, '/api/v2/instance'), effect: 'read' },
      Instance,
    )
    const { max_characters: characters, characters_reserved_per_url: perUrl } = configuration.statuses
    return {
      accountName: `@${me.acct}@${new URL(server).host}`,
      account: { server, id: me.id, characters: String(characters), perUrl: String(perUrl) },
    }
  },
  async revoke(call) {
    const { accessToken, username, secret } = call.secrets
    // A token that a person has made is theirs to take back.
    if (accessToken === undefined || username === undefined || secret === undefined) return
    await call.request({
      method: 'POST',
      url: mastodonUrl(call, '/oauth/revoke'),
      form: { client_id: username, client_secret: secret, token: accessToken },
      effect: 'repeatable',
    })
  },
  consent: {
    async begin(call, { callback, state }) {
      // The server adds the state by itself, and compares the address with the one that it was given.
      const back = new URL(callback)
      back.search = ''
      const app = { client_name: 'Copydesk', redirect_uris: back.href, scopes }
      const request = {
        method: 'POST',
        url: mastodonUrl(call, '/api/v1/apps'),
        form: app,
        effect: 'repeatable',
      } as const
      const { client_id: clientId, client_secret: clientSecret } = readAs(await call.request(request), App)
      const verifier = randomToken(48)
      const url = mastodonUrl(call, '/oauth/authorize', {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: back.href,
        scope: scopes,
        state,
        code_challenge: Buffer.from(sha256Hex(verifier), 'hex').toString('base64url'),
        code_challenge_method: 'S256',
      })
      return { url: url.href, memory: { clientId, clientSecret, verifier, back: back.href } }
    },
    async finish(call, { memory, answer: { code } }) {
      const { clientId = '', clientSecret = '', verifier = '', back = '' } = memory
      if (code === undefined) return undefined
      const form = {
        grant_type: 'authorization_code',
        code,
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uri: back,
        code_verifier: verifier,
      }
      const answer = await call.request({
        method: 'POST',
        url: mastodonUrl(call, '/oauth/token'),
        form,
        effect: 'repeatable',
      })
      const { access_token: accessToken } = readAs(answer, z.object({ access_token: z.string() }))
      return { accessToken, username: clientId, secret: clientSecret }
    },
  },
}
