import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createHttpClient, type HttpClientOptions } from '../../../packages/core/src/platform/http/client.ts'
import { silentLogger } from '../../../packages/core/src/platform/logger.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createRecorder, failureOf, startServer } from './server.ts'

function openClient(options: Partial<HttpClientOptions> = {}) {
  const lookup = async () => [{ address: '127.0.0.1', family: 4 as const }]
  const allowHosts = ['127.0.0.1']
  const client = createHttpClient({ log: silentLogger, lookup, allowHosts, ...options })
  return { ...client, [Symbol.asyncDispose]: () => client.close() }
}

const never = () => new Promise<never>(() => {})
const text = (piece: { value?: Uint8Array | undefined }) => new TextDecoder().decode(piece.value)

describe('maxBytes', () => {
  it('accepts a body of exactly that size and rejects one byte more', async () => {
    await using server = await startServer((response, { url }) => {
      // Without a length, so that the bytes are counted.
      response.write('x'.repeat(Number(url.slice(1)) - 1))
      response.end('x')
    })
    await using client = openClient({ maxBytes: 1_000 })
    expect((await (await client.request(`${server.url}/1000`)).bytes()).length).toBe(1_000)
    const answer = await client.request(`${server.url}/1001`)
    expect(await failureOf(answer.text())).toMatchObject({ reason: 'too_large', maybeSent: true })
    const own = await client.request(`${server.url}/11`, { maxBytes: 10 })
    expect((await failureOf(own.bytes())).reason).toBe('too_large')
    expect((await (await client.request(`${server.url}/1001`, { maxBytes: 2_000 })).bytes()).length).toBe(
      1_001,
    )
  })

  it('rejects a body with a declared length over the limit before reading it', async () => {
    await using server = await startServer((response, { method }) => {
      response.writeHead(200, { 'content-length': '1001' })
      if (method === 'HEAD') response.end()
      else response.flushHeaders()
    })
    await using client = openClient({ maxBytes: 1_000 })
    expect((await failureOf(client.request(server.url))).reason).toBe('too_large')
    await expect(client.guardedFetch(server.url)).rejects.toMatchObject({ reason: 'too_large' })
    const head = await client.request(server.url, { method: 'HEAD' })
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['1001', ''])
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('counts the decompressed size of a %s body, so that a bomb is cut off early', async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(32 * 1024 * 1024))
    const small = pack('unpacked')
    await using server = await startServer((response, { url }) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(url === '/bomb' ? bomb : small)
    })
    const maxBytes = 256 * 1024
    await using client = openClient({ maxBytes })
    expect(bomb.length).toBeLessThan(maxBytes)
    const { body } = await client.request(`${server.url}/bomb`)
    let read = 0
    const reading = (async () => {
      for await (const piece of body) read += piece.byteLength
    })()
    expect((await failureOf(reading)).reason).toBe('too_large')
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThanOrEqual(maxBytes)
    const answer = await client.request(`${server.url}/small`)
    expect([answer.headers.has('content-encoding'), await answer.text()]).toEqual([false, 'unpacked'])
  })

  it('stops reading an endless body and disconnects', async () => {
    const hungUp = Promise.withResolvers<void>()
    await using server = await startServer((response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) void 0
      }
      response.on('drain', more).on('close', hungUp.resolve)
      more()
    })
    await using client = openClient({ maxBytes: 1_000_000 })
    const answer = await client.request(server.url)
    expect((await failureOf(answer.bytes())).reason).toBe('too_large')
    await hungUp.promise
  })
})

describe('a body', () => {
  it('that is not JSON is a bad response, and is not quoted', async () => {
    await using server = await startServer((response) => response.end('<html>secret</html>'))
    await using client = openClient()
    const failure = await failureOf((await client.request(server.url)).json())
    expect(failure.reason).toBe('bad_response')
    expect(failure.message).toBe('127.0.0.1 did not answer in JSON.')
    expect((await failureOf((await client.request(server.url, { method: 'HEAD' })).json())).reason).toBe(
      'bad_response',
    )
  })

  it.each([
    ['gzip', Buffer.from('not packed')],
    ['gzip', gzipSync('cut short').subarray(0, -4)],
    ['br', Buffer.from('not packed at all')],
    ['br', brotliCompressSync('cut short, though the connection ends well').subarray(0, -4)],
    ['deflate', Buffer.from('not packed')],
  ])('that declares %s and is not is a bad response', async (encoding, bytes) => {
    await using server = await startServer((response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    )
    await using client = openClient()
    expect((await failureOf((await client.request(server.url)).text())).reason).toBe('bad_response')
  })

  it.each(['zstd', 'gzip, gzip', 'compress'])(
    'in %s, which was not requested, is a bad response',
    async (encoding) => {
      await using server = await startServer((response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end('x'),
      )
      await using client = openClient()
      expect((await failureOf(client.request(server.url))).reason).toBe('bad_response')
    },
  )

  it.each([
    ['plain', {}],
    ['on a connection for one answer', { connection: 'close' }],
    ['with a length', { 'content-length': '100' }],
    ['packed', { 'content-encoding': 'gzip' }],
  ])('%s, that breaks off in the middle is an error and never a short answer', async (_kind, headers) => {
    await using server = await startServer((response) => {
      response.writeHead(200, headers)
      response.write(
        'content-encoding' in headers ? gzipSync('half of it').subarray(0, 12) : 'half of it',
        () => response.socket?.destroy(),
      )
    })
    await using client = openClient()
    const reading = async () => (await client.request(server.url)).text()
    expect(await failureOf(reading())).toMatchObject({ reason: 'network', maybeSent: true })
    const fetched = async () => (await client.guardedFetch(server.url)).text()
    await expect(fetched()).rejects.toMatchObject({ name: 'TypeError', message: 'fetch failed' })
  })
})

describe('a response', () => {
  it.each([
    ['nothing', '', 'network'],
    ['half a header', 'HTTP/1.1 200 OK\r\nx-ha', 'network'],
    ['another protocol', '220 mail.example ESMTP\r\n', 'bad_response'],
    [
      'headers without end',
      `HTTP/1.1 200 OK\r\n${`x-a: ${'a'.repeat(1_000)}\r\n`.repeat(100)}`,
      'bad_response',
    ],
    ['a length that is none', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\nab', 'bad_response'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 'network'],
  ])('of %s fails', async (_what, bytes, reason) => {
    await using server = await startServer((response) => response.socket?.end(bytes))
    await using client = openClient()
    expect(await failureOf(client.request(server.url))).toMatchObject({ reason, maybeSent: true })
  })

  it('with a status that fetch does not know is a bad response, and the connection is closed', async () => {
    const hungUp = Promise.withResolvers<void>()
    await using server = await startServer((response) => {
      response.on('close', hungUp.resolve).writeHead(999)
      response.write('more to come')
    })
    await using client = openClient()
    await expect(client.guardedFetch(server.url)).rejects.toMatchObject({ reason: 'bad_response' })
    await hungUp.promise
  })
})

describe('close', () => {
  it('rejects pending and later requests', async () => {
    const arrived = Promise.withResolvers<void>()
    await using server = await startServer((response, { url }) => {
      if (url === '/body') response.write('half')
      else arrived.resolve()
    })
    const looking = Promise.withResolvers<void>()
    const lookup = () => {
      looking.resolve()
      return never()
    }
    const client = createHttpClient({ log: silentLogger, lookup, allowHosts: ['127.0.0.1'] })
    const { body } = await client.request(`${server.url}/body`)
    const reader = body.getReader()
    expect(text(await reader.read())).toBe('half')
    const failures = [
      failureOf(client.request(`${server.url}/headers`)),
      failureOf(client.request('http://slow.example/')),
      failureOf(reader.read()),
    ]
    await Promise.all([arrived.promise, looking.promise])
    await client.close()
    for (const { reason } of await Promise.all(failures)) expect(reason).toBe('network')
    expect((await failureOf(client.request(server.url))).reason).toBe('network')
    expect(server.heard).toHaveLength(2)
  })
})

describe('the log', () => {
  it('contains origin, status and reason, and nothing of path, query, headers or body', async () => {
    await using server = await startServer((response, { url }) => {
      if (url.startsWith('/secret-broken')) response.socket?.destroy()
      else if (url.startsWith('/secret-moved')) response.writeHead(302, { location: '/secret-there' }).end()
      else if (url.startsWith('/secret-out'))
        response.writeHead(302, { location: 'http://10.0.0.1/secret-in' }).end()
      else response.end('secret-answer')
    })
    const { log, lines } = createRecorder()
    await using client = openClient({ log, clock: createTestClock() })
    const headers = { authorization: 'Bearer secret-header' }
    const send = (url: string) => client.request(url, { method: 'POST', headers, body: 'secret-body' })
    await (await send(`${server.url}/secret-path?key=secret-query#secret-hash`)).text()
    await (await send(`${server.url}/secret-moved`)).text()
    const failures = await Promise.all(
      [
        `${server.url}/secret-broken`,
        `${server.url}/secret-out`,
        'http://10.0.0.1/secret-path',
        `http://secret-user:secret-pass@${server.host}/`,
        'secret nonsense',
      ].map((url) => failureOf(send(url))),
    )
    for (const failure of failures) expect(failure.message).not.toContain('secret')
    expect(JSON.stringify(lines)).not.toContain('secret')
    const ok = { level: 'debug', method: 'POST', origin: server.url, ms: 0, status: 200 }
    expect(lines.slice(0, 2)).toMatchObject([ok, ok])
    expect(
      lines
        .slice(2)
        .map(({ level, reason }) => `${String(level)} ${String(reason)}`)
        .toSorted(),
    ).toEqual(['warn address', 'warn address', 'warn bad_url', 'warn credentials', 'warn network'])
  })
})
