import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { ChannelAuth } from '../../../../accounts/channels/ports.ts'
import type { ChannelSecrets } from '../../../../accounts/channels/provider.ts'
import { readAs } from '../requests.ts'
import { blueskyRules, blueskyUrl } from './rules.ts'

const Session = z.object({
  did: z.string().regex(/^did:[a-z]+:[\w.:%-]+$/),
  handle: z.string(),
  accessJwt: z.string(),
  refreshJwt: z.string(),
})

/**
 * App passwords: consent by OAuth needs a public address, which not every installation has. Sessions are kept, because few may be
 * opened in a day; both tokens of one are replaced when it is renewed.
 */
export const blueskyAuth: ChannelAuth = {
  rules: blueskyRules,
  fields: { server: 'optional', username: 'required', secret: 'App password' },
  async verify(call) {
    const { did, handle, ...tokens } = await openSession(call)
    const { server } = call.account
    return {
      accountName: `@${handle}`,
      account: { did, ...(server !== undefined && { server }) },
      secrets: { ...call.secrets, ...toSecrets(tokens) },
    }
  },
  async renew(call) {
    try {
      const headers = { authorization: `Bearer ${call.secrets.refreshToken ?? ''}` }
      // It is good for one use: when the answer is lost, the password opens another session.
      const request = { method: 'POST', headers, effect: 'repeatable' } as const
      const url = blueskyUrl(call, 'com.atproto.server.refreshSession')
      return toSecrets(readAs(await call.request({ ...request, url }), Session))
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'auth') throw error
      return toSecrets(await openSession(call))
    }
  },
  async revoke(call) {
    await call.request({
      method: 'POST',
      url: blueskyUrl(call, 'com.atproto.server.deleteSession'),
      headers: { authorization: `Bearer ${call.secrets.refreshToken ?? ''}` },
      effect: 'repeatable',
    })
  },
}

const toSecrets = ({
  accessJwt: accessToken,
  refreshJwt: refreshToken,
}: Pick<z.output<typeof Session>, 'accessJwt' | 'refreshJwt'>): ChannelSecrets => ({
  accessToken,
  refreshToken,
})

async function openSession(call: PlatformCall): Promise<z.output<typeof Session>> {
  const { username: identifier = '', secret: password = '' } = call.secrets
  const answer = await call.request({
    method: 'POST',
    url: blueskyUrl(call, 'com.atproto.server.createSession'),
    json: { identifier, password },
    effect: 'repeatable',
  })
  return readAs(answer, Session)
}
