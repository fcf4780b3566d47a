import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { ChannelAuth } from '../../../../accounts/channels/ports.ts'
import type { PlatformAccount } from '../../connector.ts'
import { readAs } from '../requests.ts'
import { rules } from './rules.ts'
import { asText, describeSite, hostedUrl, loginOf, requestSite, routeOf } from './site.ts'

/** By it sites know that passwords are for the same application. */
const appId = '6f0a3c1e-5b7d-4f52-9a55-2d1c0e7b4a90'

const Me = z.object({ name: z.string(), capabilities: z.record(z.string(), z.boolean()).catch({}) })

/** Self-hosted sites: application passwords, pasted or agreed to on the site. */
export const auth: ChannelAuth = {
  rules,
  fields: { server: 'required', username: 'required', secret: 'Application password' },
  async verify(call) {
    const server = call.account['server'] ?? ''
    const { api, name } = await describeSite(call, server)
    const account = { server, api }
    const url = routeOf({ ...call, account }, 'users/me', { context: 'edit' })
    const me = await requestSite(call, { url, effect: 'read' }, Me)
    if (me.capabilities['publish_posts'] !== true)
      throw new PlatformError('policy', `${asText(me.name)} may not publish posts on this site`)
    return { accountName: asText(name) || new URL(server).host, account }
  },
  async revoke(call) {
    const url = routeOf(call, 'users/me/application-passwords/introspect')
    const { uuid } = await requestSite(call, { url, effect: 'read' }, z.object({ uuid: z.uuid() }))
    await call.request({
      method: 'DELETE',
      url: routeOf(call, `users/me/application-passwords/${uuid}`),
      headers: loginOf(call),
      effect: 'repeatable',
    })
  },
  consent: {
    async begin(call, { server, callback, refused, state }) {
      const { authorizeUrl } = await describeSite(call, server.replace(/\/+$/, ''))
      const url = new URL(authorizeUrl)
      // A site refuses a name that the person has given to another password, which an earlier consent may have left there.
      const name = `Copydesk ${call.now().toISOString().slice(0, 10)} ${state.slice(0, 6)}`
      const asked = { app_name: name, app_id: appId, success_url: callback, reject_url: refused }
      for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
      return { url: url.href, memory: {} }
    },
    async finish({ account }, { answer: { siteUrl, userLogin, password } }) {
      if (userLogin === undefined || password === undefined) return undefined
      // The password of another site is none for this one: it is not even tried.
      if (hostOf(siteUrl) !== hostOf(account['server'])) return undefined
      return { username: userLogin, secret: password }
    },
  },
}

const hostOf = (url = '') => (URL.canParse(url) ? new URL(url).hostname : undefined)

const TokenInfo = z.object({ blog_id: z.union([z.string(), z.number()]).transform(String).catch('0') })
const Site = z.object({ ID: z.coerce.string(), name: z.string().default(''), URL: z.string().default('') })

/** The sites that a consent at WordPress.com is for: without a scope it is for one, which the token knows. */
export async function accounts(call: PlatformCall): Promise<PlatformAccount[]> {
  const { accessToken = '' } = call.secrets
  const info = hostedUrl(call.urls.authBaseUrl ?? call.urls.baseUrl, '/oauth2/token-info')
  info.searchParams.set('client_id', call.clientId ?? '')
  info.searchParams.set('token', accessToken)
  const { blog_id: id } = readAs(await call.request({ url: info, effect: 'read' }), TokenInfo)
  const ids = id === '0' ? await allSites(call) : [await siteOf(call, id)]
  return ids.map(({ ID, name, URL: address }) => ({ name: name || address || ID, account: { site: ID } }))
}

async function siteOf(call: PlatformCall, id: string) {
  const url = hostedUrl(call.urls.baseUrl, `/rest/v1.1/sites/${encodeURIComponent(id)}?fields=ID,name,URL`)
  return requestSite(call, { url, effect: 'read' }, Site)
}

async function allSites(call: PlatformCall) {
  const url = hostedUrl(call.urls.baseUrl, '/rest/v1.1/me/sites?fields=ID,name,URL')
  const { sites } = await requestSite(
    call,
    { url, effect: 'read' },
    z.object({ sites: z.array(Site).max(1_000) }),
  )
  return sites
}
