import type { OAuthServer } from '../../../platform/oauth/oauth.ts'
import { type ChannelType, channelTypes } from './entities.ts'
import { type AccountSource, vendors } from './vendors.ts'

/** The OAuth client of one type of channel; what is left out is as the vendor has it. */
export interface ChannelClientOptions {
  clientId: string
  clientSecret: string
  authorizeUrl?: string
  tokenUrl?: string
  /** Where tokens are given back (RFC 7009) when a channel is disconnected. */
  revokeUrl?: string
  /** Answers in JSON with the name of the account. */
  accountUrl?: string
  scopes?: readonly string[]
}

/** OAuth clients by type of channel, and where people may be sent after they have connected one. */
export type ChannelOptions = { [Type in ChannelType]?: ChannelClientOptions } & {
  /** Whole URLs; a request names one of them. */
  redirectUrls?: readonly string[]
}

/** A client with the vendor's part filled in. */
export interface ChannelClient extends OAuthServer {
  account?: AccountSource
}

/** What the operator has set up for connecting channels. */
export interface Channels {
  /** Undefined where none is configured: channels of that type cannot be connected here. */
  client(type: ChannelType): ChannelClient | undefined
  /** The types that have a client. */
  types: readonly ChannelType[]
  redirectUrls: readonly string[]
  /** Whether people may be sent to a URL. */
  allows(redirectUrl: string): boolean
}

/** @throws TypeError when one of the URLs is none */
export function createChannels({ redirectUrls = [], ...clients }: ChannelOptions = {}): Channels {
  const all = new Map<ChannelType, ChannelClient>()
  for (const type of channelTypes) {
    const given = clients[type]
    if (given) all.set(type, withVendor(type, given))
  }
  const allowed = new Set(redirectUrls.map((url) => requireUrl(url, 'channels.redirectUrls').href))
  return {
    client: (type) => all.get(type),
    types: [...all.keys()],
    redirectUrls,
    allows: (url) => URL.canParse(url) && allowed.has(new URL(url).href),
  }
}

function withVendor(type: ChannelType, { accountUrl, ...given }: ChannelClientOptions): ChannelClient {
  const vendor = vendors[type]
  const { account = { url: '', field: 'name' } } = vendor
  // Another server than the vendor's is not asked by the vendor's other addresses: they would get its tokens.
  const own = given.tokenUrl === undefined || given.tokenUrl === vendor.tokenUrl
  const { revokeUrl: _, account: __, ...endpoints } = vendor
  const client: ChannelClient = {
    pkce: true,
    scopeSeparator: ' ',
    clientIdName: 'client_id',
    parameters: {},
    ...(own ? vendor : endpoints),
    ...given,
  }
  if (accountUrl !== undefined) client.account = { ...account, url: accountUrl }
  for (const url of [client.authorizeUrl, client.tokenUrl, client.revokeUrl, accountUrl])
    if (url !== undefined) requireUrl(url, `channels.${type}`)
  return client
}

function requireUrl(url: string, where: string): URL {
  if (!URL.canParse(url)) throw new TypeError(`${where}: "${url}" is no URL`)
  return new URL(url)
}

declare module '../../../kernel/services.ts' {
  interface Services {
    channels: Channels
  }
}
