import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createHttpClient, type HttpClientOptions } from '../../../packages/core/src/platform/http/client.ts'
import { silentLogger } from '../../../packages/core/src/platform/logger.ts'
import { createTestClock } from '../../kit/clock.ts'
import { failureOf, startServer } from './server.ts'

/** A client on a clock that only the test moves. */
function openClient(options: Partial<HttpClientOptions> = {}) {
  const clock = createTestClock()
  const lookup = async () => [{ address: '127.0.0.1', family: 4 as const }]
  const allowHosts = ['127.0.0.1', 'slow.example']
  const client = createHttpClient({ log: silentLogger, lookup, allowHosts, clock, ...options })
  return { ...client, clock, [Symbol.asyncDispose]: () => client.close() }
}

const never = () => new Promise<never>(() => {})
const text = (piece: { value?: Uint8Array | undefined }) => new TextDecoder().decode(piece.value)

/** Sends the headers and `piece`, and leaves the rest to the test. */
async function startStream(piece: string) {
  const opened = Promise.withResolvers<ServerResponse>()
  const hungUp = Promise.withResolvers<void>()
  const server = await startServer((response) => {
    response.on('close', hungUp.resolve).write(piece)
    opened.resolve(response)
  })
  return Object.assign(server, { opened: opened.promise, hungUp: hungUp.promise })
}

describe('the timeout of a request', () => {
  it('includes name resolution', async () => {
    const lookup = () => {
      queueMicrotask(() => client.clock.advance(30_000))
      return never()
    }
    await using client = openClient({ lookup, connectTimeoutMs: 3_600_000 })
    const failure = await failureOf(client.request('http://slow.example/'))
    expect(failure).toMatchObject({ reason: 'timeout' })
    expect(failure.message).toBe('slow.example did not finish its answer within 30000 ms.')
  })

  it('includes the wait for the headers, and disconnects', async () => {
    const hungUp = Promise.withResolvers<void>()
    await using server = await startServer((response) => {
      response.on('close', hungUp.resolve)
      client.clock.advance(1_000)
    })
    await using client = openClient({ timeoutMs: 1_000 })
    expect(await failureOf(client.request(server.url))).toMatchObject({ reason: 'timeout', maybeSent: true })
    await hungUp.promise
  })

  it('includes the body, even while parts of it arrive, read or unread', async () => {
    await using server = await startStream('one')
    await using client = openClient({ timeoutMs: 1_000 })
    const reader = (await client.request(server.url)).body.getReader()
    expect(text(await reader.read())).toBe('one')
    client.clock.advance(900)
    const source = await server.opened
    source.write('two')
    expect(text(await reader.read())).toBe('two')
    client.clock.advance(100)
    expect(await failureOf(reader.read())).toMatchObject({ reason: 'timeout' })
    await server.hungUp

    await using other = await startStream('one')
    const unread = await client.request(other.url)
    client.clock.advance(1_000)
    await other.hungUp
    expect(await failureOf(unread.text())).toMatchObject({ reason: 'timeout' })
  })

  it('includes all redirects', async () => {
    await using server = await startServer((response, { url }) => {
      client.clock.advance(400)
      response.writeHead(302, { location: `${url}x` }).end()
    })
    await using client = openClient({ timeoutMs: 1_000 })
    expect((await failureOf(client.request(server.url))).reason).toBe('timeout')
    expect(server.heard).toHaveLength(3)
  })

  it('is the requested one, and not a millisecond less', async () => {
    await using server = await startStream('one ')
    await using client = openClient({ timeoutMs: 1_000 })
    const answer = await client.request(server.url, { timeoutMs: 5_000 })
    client.clock.advance(4_999)
    const response = await server.opened
    response.end('two')
    expect(await answer.text()).toBe('one two')
  })

  it('leaves no timer behind, however the request ends', async () => {
    await using server = await startServer((response, { url }) => {
      if (url === '/broken') response.socket?.destroy()
      else if (url === '/large') response.end('x'.repeat(2_000))
      else if (url === '/open') response.write('x')
      else response.writeHead(url === '/empty' ? 204 : 200).end()
    })
    const clock = createTestClock()
    const armed = new Set<() => void>()
    const after = (ms: number, fn: () => void) => {
      const disarm = clock.after(ms, fn)
      armed.add(fn)
      return () => {
        disarm()
        armed.delete(fn)
      }
    }
    await using client = openClient({ clock: { ...clock, after }, maxBytes: 1_000 })
    const open = await client.request(`${server.url}/open`)
    expect(armed.size).toBe(1)
    await open.body.cancel()
    expect(armed.size).toBe(0)
    await (await client.request(server.url)).bytes()
    await client.request(server.url, { method: 'HEAD' })
    await client.request(`${server.url}/empty`)
    await failureOf(client.request(`${server.url}/broken`))
    await failureOf(client.request(`${server.url}/large`))
    await failureOf(client.request('http://10.0.0.1/'))
    await failureOf(client.request(server.url, { signal: AbortSignal.abort() }))
    expect(armed.size).toBe(0)
  })
})

describe('the connect timeout', () => {
  it('includes name resolution, and nothing was sent', async () => {
    await using client = openClient({ lookup: never, connectTimeoutMs: 5 })
    expect(await failureOf(client.request('http://slow.example/'))).toMatchObject({
      reason: 'connect',
      maybeSent: false,
    })
  })
})

describe('the signal of a caller', () => {
  it('that is aborted already prevents the request', async () => {
    await using server = await startServer()
    await using client = openClient()
    const cause = new Error('changed my mind')
    const signal = AbortSignal.abort(cause)
    expect(await failureOf(client.request(server.url, { signal }))).toMatchObject({
      reason: 'aborted',
      cause,
    })
    await expect(client.guardedFetch(server.url, { signal })).rejects.toBe(cause)
    expect(server.connections).toBe(0)
  })

  it('aborts the connection attempt', async () => {
    const caller = new AbortController()
    const lookup = () => {
      setImmediate(() => caller.abort())
      return never()
    }
    await using client = openClient({ lookup, connectTimeoutMs: 3_600_000 })
    const { signal } = caller
    expect(await failureOf(client.request('http://slow.example/', { signal }))).toMatchObject({
      reason: 'aborted',
    })
    await expect(client.guardedFetch('http://slow.example/', { signal })).rejects.toBe(signal.reason)
  })

  it('aborts the wait for the headers and the reading of the body', async () => {
    const caller = new AbortController()
    const cause = new Error('changed my mind')
    await using silent = await startServer(() => caller.abort(cause))
    await using client = openClient()
    const { signal } = caller
    expect(await failureOf(client.request(silent.url, { signal }))).toMatchObject({
      reason: 'aborted',
      cause,
    })

    await using server = await startStream('one')
    const second = new AbortController()
    const reader = (await client.request(server.url, { signal: second.signal })).body.getReader()
    expect(text(await reader.read())).toBe('one')
    second.abort(cause)
    expect(await failureOf(reader.read())).toMatchObject({ reason: 'aborted', cause })
    await server.hungUp
  })
})

describe('guardedFetch', () => {
  it('passes each part as it arrives and times out after the last', async () => {
    await using server = await startStream('piece 0')
    await using client = openClient({ timeoutMs: 1_000, silenceMs: 300_000 })
    const response = await client.guardedFetch(server.url)
    expect(response).toMatchObject({ ok: true, status: 200, redirected: false, url: `${server.url}/` })
    const reader = response.body?.getReader()
    if (!reader) throw new Error('There is no body.')
    expect(text(await reader.read())).toBe('piece 0')
    const source = await server.opened
    // Far longer than the limit in all, and each silence is shorter.
    for (const piece of ['piece 1', 'piece 2', 'piece 3']) {
      client.clock.advance(299_999)
      source.write(piece)
      expect(text(await reader.read())).toBe(piece)
    }
    client.clock.advance(300_000)
    await expect(reader.read()).rejects.toMatchObject({
      name: 'TypeError',
      message: 'fetch failed',
      cause: { name: 'OutboundError', reason: 'timeout' },
    })
    await server.hungUp
  })

  it('times out before the headers', async () => {
    await using server = await startServer(() => client.clock.advance(300_000))
    await using client = openClient()
    await expect(client.guardedFetch(server.url)).rejects.toMatchObject({ cause: { reason: 'timeout' } })
  })

  it('disconnects when the reader leaves', async () => {
    await using server = await startStream('one')
    await using client = openClient()
    const response = await client.guardedFetch(server.url)
    await response.body?.cancel()
    await expect(server.hungUp).resolves.toBeUndefined()
  })

  it('sends what fetch would send', async () => {
    await using server = await startServer((response) => response.writeHead(204).end())
    await using client = openClient()
    const form = new URLSearchParams({ a: 'b c' })
    const sent = new Request(server.url, { method: 'PUT', headers: { 'x-own': '1' }, body: 'text' })
    const stream = new Blob(['streamed']).stream()
    await client.guardedFetch(server.url, { method: 'POST', body: form })
    await client.guardedFetch(sent)
    const answer = await client.guardedFetch(server.url, { method: 'POST', body: stream })
    expect([answer.status, answer.body, await answer.text()]).toEqual([204, null, ''])
    expect(server.heard).toMatchObject([
      { method: 'POST', body: 'a=b+c', headers: { 'content-type': /^application\/x-www-form-urlencoded/ } },
      { method: 'PUT', body: 'text', headers: { 'x-own': '1' } },
      { method: 'POST', body: 'streamed' },
    ])
  })
})
