import { lookup as systemLookup } from 'node:dns/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { buildConnector } from 'undici'
import { describe, expect, it } from 'vitest'
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type OutboundRequest,
} from '../../../packages/core/src/platform/http/client.ts'
import { guardConnection, type Lookup } from '../../../packages/core/src/platform/http/connect.ts'
import { createGuard } from '../../../packages/core/src/platform/http/guard.ts'
import { silentLogger } from '../../../packages/core/src/platform/logger.ts'
import { failureOf, startServer } from './server.ts'

/** A client that is closed at the end of the test. Names resolve only where the test says so. */
function openClient(options: Partial<HttpClientOptions> = {}): HttpClient & AsyncDisposable {
  const nobody: Lookup = async () => []
  const client = createHttpClient({ log: silentLogger, lookup: nobody, ...options })
  return { ...client, [Symbol.asyncDispose]: () => client.close() }
}

const v4 = (...addresses: string[]) => addresses.map((address) => ({ address, family: 4 as const }))

describe('a request', () => {
  it('reaches a local server only when its address or name is allowed', async () => {
    await using server = await startServer((response) => response.end('{"ok":true}'))
    await using closed = openClient({ lookup: async () => v4('127.0.0.1') })
    for (const host of [server.host, `intranet.example:${server.port}`]) {
      const failure = await failureOf(closed.request(`http://${host}/`))
      expect(failure).toMatchObject({ reason: 'address', address: '127.0.0.1', maybeSent: false })
      expect(failure.message).toContain('is not a public address')
    }
    expect(server.connections).toBe(0)
    for (const allowHosts of [[server.host], ['127.0.0.0/8'], ['intranet.example']]) {
      await using open = openClient({ allowHosts, lookup: async () => v4('127.0.0.1') })
      const host = allowHosts[0] === 'intranet.example' ? `intranet.example:${server.port}` : server.host
      expect(await (await open.request(`http://${host}/`)).json()).toEqual({ ok: true })
    }
    expect(server.heard).toHaveLength(3)
  })

  it.each([
    '2130706433',
    '0x7f000001',
    '017700000001',
    '127.1',
    '127.0.0.1.',
    '[::ffff:127.0.0.1]',
    '①②⑦.0.0.1',
  ])('to this machine written as %s is rejected', async (host) => {
    await using server = await startServer()
    await using client = openClient()
    const url = `http://${host}:${server.port}/`
    expect(await failureOf(client.request(url))).toMatchObject({ reason: 'address', maybeSent: false })
    await expect(client.guardedFetch(url)).rejects.toMatchObject({ reason: 'address' })
    await expect(client.guardedFetch(new Request(url))).rejects.toMatchObject({ reason: 'address' })
    expect(server.connections).toBe(0)
  })

  it('to "localhost" is rejected by the address that the machine resolves it to', async () => {
    const known = await systemLookup('localhost').catch(() => undefined)
    await using server = await startServer()
    const client = createHttpClient({ log: silentLogger })
    const failure = await failureOf(client.request(`http://localhost:${server.port}/`))
    expect(failure.reason).toBe(known ? 'address' : 'dns')
    expect(server.connections).toBe(0)
    await client.close()
  })

  it('returns the response with any status, and decodes text by its charset', async () => {
    await using server = await startServer((response) => {
      response.writeHead(418, { 'content-type': 'text/plain; charset="iso-8859-1"', 'x-two': ['a', 'b'] })
      response.end(Buffer.from('caf\u00e9', 'latin1'))
    })
    await using client = openClient({ allowHosts: [server.host] })
    const answer = await client.request(`${server.url}/a?b#c`)
    expect({ ...answer, two: answer.headers.get('x-two') }).toMatchObject({
      status: 418,
      url: `${server.url}/a?b`,
      two: 'a, b',
    })
    expect(await answer.text()).toBe('café')
  })

  it('sets framing and user agent itself: the caller’s headers for that are dropped', async () => {
    await using server = await startServer()
    await using client = openClient({ allowHosts: [server.host], userAgent: 'Tester' })
    const headers = {
      host: 'evil.test',
      'content-length': '1',
      'transfer-encoding': 'chunked',
      'x-own': 'kept',
    }
    await client.request(server.url, { method: 'post', headers, body: 'whole body' })
    expect(server.heard).toMatchObject([
      {
        method: 'POST',
        body: 'whole body',
        headers: { host: server.host, 'content-length': '10', 'user-agent': 'Tester', 'x-own': 'kept' },
      },
    ])
    expect(server.heard[0]?.headers).not.toHaveProperty('transfer-encoding')
  })

  it.each<OutboundRequest>([
    { method: 'CONNECT' },
    { method: 'TRACE' },
    { method: 'GET / HTTP/1.1\r\nx: ' },
    { headers: { 'x-a': 'b\r\nx-c: d' } },
    { headers: { 'x a': 'b' } },
  ])('that is not valid HTTP is not sent: %j', async (request) => {
    await using server = await startServer()
    await using client = openClient({ allowHosts: [server.host] })
    expect(await failureOf(client.request(server.url, request))).toMatchObject({
      reason: 'bad_request',
      maybeSent: false,
    })
    expect(server.heard).toEqual([])
  })
})

describe('a host name', () => {
  it('is rejected by the connected address, though the name was public when it was resolved', async () => {
    await using server = await startServer()
    const answers = ['8.8.8.8']
    const rebinding = () => answers.shift() ?? '127.0.0.1'
    const target = { host: 'rebind.example', port: server.port }
    const guard = createGuard()
    guard.checkAddress(rebinding(), target)
    // A real dialler whose own lookup is the second one, which no one has checked.
    const dial = buildConnector({
      lookup: (_host, _options, done) => done(null, [{ address: rebinding(), family: 4 }]),
    })
    const [error, socket] = await new Promise<unknown[]>((resolve) => {
      const options = {
        hostname: target.host,
        host: target.host,
        protocol: 'http:',
        port: String(target.port),
      }
      guardConnection(guard, target, dial)(options, (...result) => resolve(result))
    })
    expect(error).toMatchObject({ name: 'OutboundError', reason: 'address', address: '127.0.0.1' })
    expect(socket).toBeNull()
    expect(server.heard).toEqual([])
  })

  it('is resolved once per connection and checked again for the next', async () => {
    await using server = await startServer((response) =>
      response.setHeader('connection', 'close').end('reached'),
    )
    const answers = [v4('127.0.0.1'), v4('127.0.0.2')]
    let lookups = 0
    const lookup: Lookup = async () => answers[lookups++] ?? []
    await using client = openClient({ allowHosts: [server.host], lookup })
    const url = `http://rebind.example:${server.port}/`
    expect(await (await client.request(url)).text()).toBe('reached')
    expect(lookups).toBe(1)
    expect(await failureOf(client.request(url))).toMatchObject({ reason: 'address', address: '127.0.0.2' })
    expect(lookups).toBe(2)
    expect(server.connections).toBe(1)
  })

  it.each([
    { found: ['127.0.0.1', '10.0.0.7'] },
    { found: ['10.0.0.7', '127.0.0.1'] },
    { found: ['127.0.0.1', '127.0.0.1', '169.254.169.254'] },
  ])('with one forbidden address among $found is rejected', async ({ found }) => {
    await using server = await startServer()
    await using client = openClient({ allowHosts: [server.host], lookup: async () => v4(...found) })
    const failure = await failureOf(client.request(`http://many.example:${server.port}/`))
    expect(failure).toMatchObject({ reason: 'address', maybeSent: false })
    expect(failure.address).not.toBe('127.0.0.1')
    expect(failure.message).not.toContain(failure.address)
    expect(server.connections).toBe(0)
  })

  it.each([
    ['nothing', async () => []],
    ['an error', () => Promise.reject(new Error('no such host'))],
  ] as const)('that resolves to %s is reported as unknown', async (_what, lookup) => {
    await using client = openClient({ lookup })
    const failure = await failureOf(client.request('http://gone.example/'))
    expect(failure).toMatchObject({ reason: 'dns', maybeSent: false })
    await expect(client.guardedFetch('http://gone.example/')).rejects.toMatchObject({
      name: 'TypeError',
      message: 'fetch failed',
      cause: { reason: 'dns' },
    })
  })
})

describe('a connection', () => {
  it('that is refused, or without TLS, is reported as such and nothing was sent', async () => {
    const gone = createServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    const { port } = gone.address() as AddressInfo
    await new Promise((resolve) => gone.close(resolve))
    await using server = await startServer()
    await using client = openClient({ allowHosts: ['127.0.0.1'] })
    for (const url of [`http://127.0.0.1:${port}/`, `https://${server.host}/`]) {
      expect(await failureOf(client.request(url)), url).toMatchObject({ reason: 'connect', maybeSent: false })
    }
    expect(server.heard).toEqual([])
  })
})
