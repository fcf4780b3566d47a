import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { constants, createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { PushOptions } from '@copydesk/core'
import { certificate } from './certificate.ts'

/** A message as a service took it. */
export interface Pushed {
  token: string
  /** What the service was given, and the headers that came with it. */
  payload: Record<string, unknown>
  headers: Record<string, unknown>
}

/**
 * What a service does with the next message: answers so; breaks the connection off after it has read it; says that it did not
 * look at it; or says nothing.
 */
export type Reaction = { status: number; body?: object } | 'cut' | 'untouched' | 'silent'

export interface PushServer extends AsyncDisposable {
  port: number
  /** Every message that came, taken or not. */
  pushed: Pushed[]
  /** Done in turn; after that everything is taken. */
  reactions: Reaction[]
  /** How many connections, and how many access tokens, there were. */
  connections: number
  tokens: number
  /** Claims of the last token that was shown. */
  claims: Record<string, unknown>
}

const project = 'the-project'

function claimsOf(token: string, key: KeyObject, alg: string, kid: string): Record<string, unknown> {
  const [head = '', body = '', signature = ''] = token.split('.')
  const good = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as Record<string, unknown>
  if (!good || header['alg'] !== alg || header['kid'] !== kid) throw new Error('a token that no one signed')
  return JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
}

const empty = () => ({ pushed: [], reactions: [], connections: 0, tokens: 0, claims: {} })

/** Plays the push service of Android with its place for access tokens. */
export async function createAndroidServer(): Promise<
  PushServer & { options: NonNullable<PushOptions['android']> }
> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const state: Omit<PushServer, 'port' | keyof AsyncDisposable> = empty()
  const answer = (response: ServerResponse, status: number, body: object = {}) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/token') {
        const assertion = new URLSearchParams(body).get('assertion') ?? ''
        state.claims = claimsOf(assertion, publicKey, 'RS256', 'account-key')
        state.tokens += 1
        return answer(response, 200, {
          access_token: `access-${state.tokens}`,
          expires_in: 3_600,
          token_type: 'Bearer',
        })
      }
      const { message } = JSON.parse(body) as { message: Record<string, unknown> }
      const { token, ...payload } = message
      state.pushed.push({ token: String(token), payload, headers: request.headers })
      const reaction = state.reactions.shift() ?? {
        status: 200,
        body: { name: 'projects/the-project/messages/1' },
      }
      if (request.url !== `/v1/projects/${project}/messages:send`) return answer(response, 404)
      if (request.headers.authorization !== `Bearer access-${state.tokens}`) return answer(response, 401)
      if (reaction === 'silent') return undefined
      if (typeof reaction === 'string') return void request.socket.destroy()
      return answer(response, reaction.status, reaction.body)
    })
  })
  server.on('connection', () => void (state.connections += 1))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}`
  return Object.assign(state, {
    port,
    options: {
      baseUrl,
      serviceAccount: JSON.stringify({
        type: 'service_account',
        project_id: project,
        private_key_id: 'account-key',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        client_email: 'copydesk@the-project.example',
        token_uri: `${baseUrl}/token`,
      }),
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

/** Plays the push service of iOS: HTTP/2 over TLS. */
export async function createIosServer(): Promise<PushServer & { options: NonNullable<PushOptions['ios']> }> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const state: Omit<PushServer, 'port' | keyof AsyncDisposable> = empty()
  const sessions = new Set<ServerHttp2Session>()
  const server = createSecureServer(certificate)
  server.on('session', (session) => {
    state.connections += 1
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => undefined)
  })
  const seen = new Set<string>()
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined)
    void text(stream).then(
      (body) => {
        const bearer = String(headers.authorization).replace(/^bearer /, '')
        state.claims = claimsOf(bearer, publicKey, 'ES256', 'the-key')
        if (!seen.has(bearer)) state.tokens += 1
        seen.add(bearer)
        const token = String(headers[':path']).replace(/^\/3\/device\//, '')
        state.pushed.push({ token, payload: JSON.parse(body) as Record<string, unknown>, headers })
        const reaction = state.reactions.shift() ?? { status: 200 }
        if (reaction === 'silent') return
        if (reaction === 'cut') return stream.session?.destroy()
        if (reaction === 'untouched') return stream.close(constants.NGHTTP2_REFUSED_STREAM)
        stream.respond({ ':status': reaction.status, 'apns-id': 'eabeae54-14a8-11e5-b60b-1697f925ec7b' })
        stream.end(reaction.body ? JSON.stringify(reaction.body) : '')
      },
      () => undefined,
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(state, {
    port,
    options: {
      keyId: 'the-key',
      teamId: 'the-team',
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      topic: 'com.example.desk',
      baseUrl: `https://127.0.0.1:${port}`,
      ca: certificate.cert,
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
