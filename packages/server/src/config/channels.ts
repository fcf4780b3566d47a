import type { ChannelOptions } from '@copydesk/core'
import { z } from 'zod'
import { text, webUrl } from './parts.ts'
import type { Setting } from './settings.ts'

type ChannelType = Exclude<keyof ChannelOptions, 'redirectUrls'>

// An object, so that the compiler reports a missing or unknown type.
const all: Record<ChannelType, true> = {
  professional_network: true,
  social_network_a: true,
  photo_network: true,
  short_video_network: true,
  cms_site: true,
  business_profile: true,
  search_ads: true,
  social_ads: true,
  email_platform_a: true,
  email_platform_b: true,
  web_analytics: true,
  search_console: true,
  microblog_a: true,
  microblog_b: true,
}
const types = Object.keys(all) as ChannelType[]

const Client = () =>
  z
    .strictObject({
      clientId: text().optional(),
      clientSecret: text().optional(),
      baseUrl: webUrl().optional(),
      authBaseUrl: webUrl().optional(),
      uploadBaseUrl: webUrl().optional(),
      apiVersion: text().optional(),
      developerToken: text().optional(),
      authorizeUrl: webUrl().optional(),
      tokenUrl: webUrl().optional(),
      revokeUrl: webUrl().optional(),
      accountUrl: webUrl().optional(),
      scopes: z.array(text()).optional(),
    })
    .check((context) => {
      const { clientId, clientSecret } = context.value
      if ((clientId === undefined) === (clientSecret === undefined)) return
      const path = [clientId === undefined ? 'clientId' : 'clientSecret']
      context.issues.push({ code: 'custom', message: 'is missing', path, input: context.value })
    })

/**
 * Pages, and applications with a custom URL scheme; no scheme that a browser would execute or open on the
 * machine.
 */
const RedirectUrl = () =>
  z
    .url('must be a complete URL, such as https://app.example.com/channels')
    .regex(/^(?!(?:javascript|data|vbscript|blob|file|about):)/i, 'cannot be used as a redirect target')
    .regex(/^[^#]*$/, 'must not have a fragment')

/** `channels` of the configuration. */
export function Channels() {
  const client = Client().optional()
  return z.strictObject({
    redirectUrls: z.array(RedirectUrl()).optional(),
    ...(Object.fromEntries(types.map((type) => [type, client])) as Record<ChannelType, typeof client>),
  })
}
export type Channels = z.output<ReturnType<typeof Channels>>

/** The settings of the OAuth clients, each with its environment variable. */
export const channelSettings: readonly Setting[] = [
  { path: 'channels.redirectUrls', env: ['COPYDESK_CHANNELS_REDIRECT_URLS'], kind: 'list' },
  ...types.flatMap((type): Setting[] => {
    const setting = (name: string, variable: string, rest: Pick<Setting, 'kind' | 'secret'>): Setting => ({
      path: `channels.${type}.${name}`,
      env: [`COPYDESK_CHANNELS_${type.toUpperCase()}_${variable}`],
      shownWhenSet: true,
      ...rest,
    })
    return [
      setting('clientId', 'CLIENT_ID', { kind: 'text' }),
      setting('clientSecret', 'CLIENT_SECRET', { kind: 'text', secret: true }),
      setting('baseUrl', 'BASE_URL', { kind: 'text' }),
      setting('authBaseUrl', 'AUTH_BASE_URL', { kind: 'text' }),
      setting('uploadBaseUrl', 'UPLOAD_BASE_URL', { kind: 'text' }),
      setting('apiVersion', 'API_VERSION', { kind: 'text' }),
      setting('developerToken', 'DEVELOPER_TOKEN', { kind: 'text', secret: true }),
      setting('authorizeUrl', 'AUTHORIZE_URL', { kind: 'text' }),
      setting('tokenUrl', 'TOKEN_URL', { kind: 'text' }),
      setting('revokeUrl', 'REVOKE_URL', { kind: 'text' }),
      setting('accountUrl', 'ACCOUNT_URL', { kind: 'text' }),
      setting('scopes', 'SCOPES', { kind: 'list' }),
    ]
  }),
]

/**
 * Self-hosted providers may be in a private network: the operator who configures one wants it to be called.
 */
export function hostsOfChannels(channels: Channels): string[] {
  return types.flatMap((type) => {
    const { baseUrl, authBaseUrl, uploadBaseUrl, tokenUrl, revokeUrl, accountUrl } = channels[type] ?? {}
    const called = [baseUrl, authBaseUrl, uploadBaseUrl, tokenUrl, revokeUrl, accountUrl]
    return called.flatMap((one) => (one === undefined ? [] : [new URL(one).host]))
  })
}
