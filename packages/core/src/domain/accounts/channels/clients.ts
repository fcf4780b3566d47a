import type { OAuthServer } from '../../../platform/oauth/oauth.ts'
import { type ChannelType, channelTypes } from './entities.ts'
import { type AccountSource, type OAuthVendor, vendors } from './vendors.ts'

/** How a platform is reached: in the place of its own addresses a proxy, or a server of the operator's. */
export interface ChannelUrls {
  /** Of its API. */
  baseUrl?: string | undefined
  /** Of its pages of consent and its tokens. */
  authBaseUrl?: string | undefined
  /** Of uploads, where they go elsewhere. */
  uploadBaseUrl?: string | undefined
  /** Of the API, where the platform ends its versions one by one; default: the one that the connector was written for. */
  apiVersion?: string | undefined
  /** Sent along where a platform wants to know the operator by a token of its own. */
  developerToken?: string | undefined
}

/** The OAuth client of one type of channel; what is left out is as the vendor has it. */
export interface ChannelClientOptions extends ChannelUrls {
  /** Both or neither: without them there are no consents, only what people paste. */
  clientId?: string | undefined
  clientSecret?: string | undefined
  authorizeUrl?: string | undefined
  tokenUrl?: string | undefined
  /** Where tokens are given back (RFC 7009) when a channel is disconnected. */
  revokeUrl?: string | undefined
  /** Answers in JSON with the name of the account. */
  accountUrl?: string | undefined
  scopes?: readonly string[] | undefined
}

/** What is set up by type of channel, and where people may be sent after they have connected one. */
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
  /** Where the platform of a type is reached; empty for its own addresses. */
  urls(type: ChannelType): ChannelUrls
  redirectUrls: readonly string[]
  /** Whether people may be sent to a URL. */
  allows(redirectUrl: string): boolean
}

/** @throws TypeError when one of the URLs is none, or a client is set up by half */
export function createChannels({ redirectUrls = [], ...clients }: ChannelOptions = {}): Channels {
  const all = new Map<ChannelType, ChannelClient>()
  for (const type of channelTypes) {
    const { clientId, clientSecret, baseUrl, authBaseUrl, uploadBaseUrl, ...rest } = clients[type] ?? {}
    const { apiVersion, developerToken: _, ...given } = rest
    for (const url of [baseUrl, authBaseUrl, uploadBaseUrl])
      if (url !== undefined) requireUrl(url, `channels.${type}`)
    if (apiVersion !== undefined && !/^[\w.]{1,20}$/.test(apiVersion))
      throw new TypeError(`channels.${type}: "${apiVersion}" is no version of an API`)
    if ((clientId === undefined) !== (clientSecret === undefined))
      throw new TypeError(`channels.${type}: a client has both clientId and clientSecret`)
    if (clientId === undefined || clientSecret === undefined) continue
    all.set(type, withVendor(type, { clientId, clientSecret, baseUrl, authBaseUrl, ...given }))
  }
  const allowed = new Set(redirectUrls.map((url) => requireUrl(url, 'channels.redirectUrls').href))
  return {
    client: (type) => all.get(type),
    types: [...all.keys()],
    urls: (type) => {
      const { baseUrl, authBaseUrl, uploadBaseUrl, apiVersion, developerToken } = clients[type] ?? {}
      return { baseUrl, authBaseUrl, uploadBaseUrl, apiVersion, developerToken }
    },
    redirectUrls,
    allows: (url) => URL.canParse(url) && allowed.has(new URL(url).href),
  }
}

type Given = ChannelClientOptions & { clientId: string; clientSecret: string }

function withVendor(type: ChannelType, options: Given): ChannelClient {
  const {
    accountUrl,
    baseUrl,
    authBaseUrl,
    authorizeUrl,
    tokenUrl,
    revokeUrl,
    scopes,
    clientId,
    clientSecret,
  } = options
  const vendor = rebased(vendors[type], { baseUrl, authBaseUrl })
  // Another server than the vendor's is not asked by the vendor's other addresses: they would get its tokens.
  const own = tokenUrl === undefined || tokenUrl === vendor?.tokenUrl
  const { account = { url: '', field: 'name' } } = vendor ?? {}
  const named = { authorizeUrl: authorizeUrl ?? vendor?.authorizeUrl, tokenUrl: tokenUrl ?? vendor?.tokenUrl }
  const revoke = revokeUrl ?? (own ? vendor?.revokeUrl : undefined)
  const source = accountUrl === undefined ? own && vendor?.account : { ...account, url: accountUrl }
  for (const url of [named.authorizeUrl, named.tokenUrl, revoke, accountUrl])
    if (url !== undefined) requireUrl(url, `channels.${type}`)
  if (named.authorizeUrl === undefined || named.tokenUrl === undefined)
    throw new TypeError(`channels.${type}: this platform needs authorizeUrl and tokenUrl`)
  return {
    clientId,
    clientSecret,
    authorizeUrl: named.authorizeUrl,
    tokenUrl: named.tokenUrl,
    ...(revoke !== undefined && { revokeUrl: revoke }),
    scopes: scopes ?? vendor?.scopes ?? [],
    pkce: vendor?.pkce ?? true,
    scopeSeparator: vendor?.scopeSeparator ?? ' ',
    clientIdName: vendor?.clientIdName ?? 'client_id',
    ...(vendor?.extension && { extension: vendor.extension }),
    parameters: vendor?.parameters ?? {},
    ...(source && { account: source }),
  }
}

/** A vendor whose addresses begin with others; paths and queries stay. */
function rebased(
  vendor: OAuthVendor | undefined,
  { baseUrl, authBaseUrl }: ChannelUrls,
): OAuthVendor | undefined {
  if (!vendor) return undefined
  const at = (url: string, base: string | undefined) => (base === undefined ? url : elsewhere(url, base))
  const { authorizeUrl, tokenUrl, revokeUrl, account, ...rest } = vendor
  return {
    ...rest,
    authorizeUrl: at(authorizeUrl, authBaseUrl),
    tokenUrl: at(tokenUrl, authBaseUrl),
    ...(revokeUrl !== undefined && { revokeUrl: at(revokeUrl, authBaseUrl) }),
    ...(account && { account: { ...account, url: at(account.url, baseUrl ?? authBaseUrl) } }),
  }
}

/** The same path and query under another base, which may have a path of its own. */
export function elsewhere(url: string, base: string): string {
  const { pathname, search } = new URL(url)
  return base.replace(/\/+$/, '') + pathname + search
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
