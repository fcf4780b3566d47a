import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChannelOptions } from '@copydesk/core'

/** Where the people of tests are sent in the end. */
export const redirectUrl = 'https://app.example.com/channels?tab=all'

/** What a provider may do in place of its work; each is done until it is set back. */
type Mood = 'well' | 'fails' | 'hangs' | 'babbles'

interface Grant {
  redirectUri: string
  challenge: string
  method: string | null
  scopes: readonly string[]
}

/** A provider of OAuth 2.0 with proof keys, revocation and a page about the account. */
export interface OAuthServer extends AsyncDisposable {
  /** For `createTestApp`: clients of `search_ads`, which knows proof keys, and of `cms_site`, which does not. */
  channels: ChannelOptions
  mood: Mood
  /** Answers to the token address wait for it. */
  pause: PromiseWithResolvers<void> | undefined
  /** Name of the account whose owner consents. */
  account: string
  /** Of the tokens that are issued; undefined: not told. */
  expiresIn: number | undefined
  /** Whether a refresh token is issued too. */
  renewable: boolean
  /** Access and refresh tokens that were issued, in order. */
  issued: string[]
  /** Tokens that were given back. */
  revoked: string[]
  /** Refresh tokens that were used up; each is good for one use. */
  refreshed: string[]
  /** Whether a refresh names a refresh token: a new one, or an empty one because the old one stays good. */
  rotates: 'new' | 'empty'
  /** How often an access token was given a longer life. */
  extended: number
  /** Whether an access token is good. */
  accepts(token: string): boolean
  /** Whether its owner has agreed to a scope of an access token. */
  grants(token: string, scope: string): boolean
  /** Scopes that the person who consents leaves out. */
  declines: string[]
  /** Ends every token, as an owner does who takes the consent back. */
  end(): void
  /** Requests to the token address that have come in, also those that hang. */
  exchanges: number
  /** Called with the form of each of them before anything is done about it. */
  arrived?: ((form: URLSearchParams) => void) | undefined
  /** Opens the page that a person is sent to, who agrees. @returns where the person goes from there */
  consent(authUrl: string): Promise<URL>
}

export const clientSecret = 'the-secret-of-the-client'

/** @param options `reusable`: codes may be exchanged more than once, for tests that put rows back */
export async function createOAuthServer(options: { reusable?: boolean } = {}): Promise<OAuthServer> {
  const grants = new Map<string, Grant>()
  const tokens = new Set<string>()
  const scopesOf = new Map<string, readonly string[]>()
  const token = (kind: string, scopes: readonly string[] = []) => {
    const made = `${kind}-${randomBytes(24).toString('hex')}`
    tokens.add(made)
    scopesOf.set(made, scopes)
    self.issued.push(made)
    return made
  }
  const expires = () => (self.expiresIn === undefined ? {} : { expires_in: self.expiresIn })
  const refresh = (old: string): Answer => {
    if (!old.startsWith('refresh-') || !tokens.has(old))
      return { status: 400, body: { error: 'invalid_grant' } }
    self.refreshed.push(old)
    if (self.rotates === 'new') tokens.delete(old)
    const scopes = scopesOf.get(old)
    const next = self.rotates === 'new' ? token('refresh', scopes) : ''
    return { status: 200, body: { access_token: token('access', scopes), refresh_token: next, ...expires() } }
  }
  const doors: Record<string, (request: Asked) => Answer> = {
    'GET /authorize': ({ url }) => {
      const asked = url.searchParams
      const redirectUri = asked.get('redirect_uri') ?? ''
      if (asked.get('client_id') !== 'the-client' || asked.get('response_type') !== 'code')
        return { status: 400, body: { error: 'invalid_request' } }
      const code = `code-${randomBytes(16).toString('hex')}`
      const challenge = asked.get('code_challenge') ?? ''
      const method = asked.get('code_challenge_method')
      const scopes = (asked.get('scope') ?? '').split(/[ ,]/).filter((one) => !self.declines.includes(one))
      grants.set(code, { redirectUri, challenge, method, scopes })
      const back = new URL(redirectUri)
      back.searchParams.set('code', code)
      back.searchParams.set('state', asked.get('state') ?? '')
      // As many providers do, with more than was asked for.
      back.searchParams.set('scope', asked.get('scope') ?? '')
      back.searchParams.set('iss', 'https://issuer.example')
      return { status: 302, location: back.href }
    },
    'POST /token': ({ form }) => {
      const code = form.get('code') ?? ''
      const grant = grants.get(code)
      if (!isClient(form)) return { status: 401, body: { error: 'invalid_client' } }
      if (form.get('grant_type') === 'refresh_token') return refresh(form.get('refresh_token') ?? '')
      if (!options.reusable) grants.delete(code)
      const fits =
        grant !== undefined &&
        form.get('grant_type') === 'authorization_code' &&
        form.get('redirect_uri') === grant.redirectUri &&
        proves(grant, form.get('code_verifier'))
      if (!fits)
        return { status: 400, body: { error: 'invalid_grant', error_description: `no grant ${code}` } }
      return {
        status: 200,
        body: {
          access_token: token('access', grant.scopes),
          refresh_token: self.renewable ? token('refresh', grant.scopes) : null,
          scope: null,
          ...expires(),
        },
      }
    },
    // A longer life for an access token, in the place of refresh tokens.
    'GET /token': ({ url }) => {
      const asked = url.searchParams
      const old = asked.get('fb_exchange_token') ?? ''
      if (!isClient(asked) || asked.get('grant_type') !== 'fb_exchange_token' || !self.accepts(old))
        return { status: 400, body: { error: { code: 190, type: 'OAuthException', message: 'No' } } }
      self.extended += 1
      return {
        status: 200,
        body: { access_token: token('access', scopesOf.get(old)), expires_in: 60 * 86_400 },
      }
    },
    'POST /revoke': ({ form }) => {
      const given = form.get('token') ?? ''
      if (!isClient(form)) return { status: 401, body: { error: 'invalid_client' } }
      if (!tokens.delete(given)) return { status: 400, body: { error: 'invalid_token' } }
      self.revoked.push(given)
      return { status: 200, body: {} }
    },
    'GET /account': ({ authorization }) => {
      if (!tokens.has(authorization.replace('Bearer ', ''))) return { status: 401, body: {} }
      return { status: 200, body: { email: self.account, name: self.account } }
    },
  }
  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  )
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', self.url)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    if (url.pathname === '/token') {
      self.exchanges += 1
      self.arrived?.(form)
      await self.pause?.promise
    }
    if (url.pathname !== '/authorize') {
      if (self.mood === 'hangs') return
      if (self.mood === 'fails') return void response.writeHead(500).end('Oh no')
      if (self.mood === 'babbles') return void response.writeHead(200).end('<p>Hello</p>')
    }
    const authorization = request.headers.authorization ?? ''
    const { status, body, location } = doors[`${request.method} ${url.pathname}`]?.({
      url,
      form,
      authorization,
    }) ?? {
      status: 404,
    }
    response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) })
    response.end(JSON.stringify(body ?? {}))
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = {
    clientId: 'the-client',
    clientSecret,
    authorizeUrl: `${url}/authorize`,
    tokenUrl: `${url}/token`,
    revokeUrl: `${url}/revoke`,
    accountUrl: `${url}/account`,
    scopes: ['ads', 'reports'],
  }
  const self: OAuthServer & { url: string } = {
    url,
    channels: { redirectUrls: [redirectUrl], search_ads: client, cms_site: client },
    mood: 'well',
    pause: undefined,
    account: 'ads@customer.example',
    expiresIn: 3_600,
    renewable: true,
    issued: [],
    revoked: [],
    refreshed: [],
    rotates: 'new',
    extended: 0,
    grants: (given, scope) => scopesOf.get(given)?.includes(scope) ?? false,
    declines: [],
    accepts: (given) => given.startsWith('access-') && tokens.has(given),
    end: () => tokens.clear(),
    exchanges: 0,
    async consent(authUrl) {
      const response = await fetch(authUrl, { redirect: 'manual' })
      return new URL(response.headers.get('location') ?? 'about:blank')
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return self
}

interface Asked {
  url: URL
  form: URLSearchParams
  authorization: string
}

interface Answer {
  status: number
  body?: object
  location?: string
}

const isClient = (form: URLSearchParams) =>
  (form.get('client_id') ?? form.get('client_key')) === 'the-client' &&
  form.get('client_secret') === clientSecret

/** A request with a proof key is answered only to who has the key, one without only without. */
function proves({ challenge, method }: Grant, verifier: string | null): boolean {
  if (challenge === '') return verifier === null
  if (method !== 'S256' || verifier === null || !/^[\w.~-]{43,128}$/.test(verifier)) return false
  return createHash('sha256').update(verifier).digest('base64url') === challenge
}
