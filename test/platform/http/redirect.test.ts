import { describe, expect, it } from 'vitest'
import { createHttpClient, type HttpClientOptions } from '../../../packages/core/src/platform/http/client.ts'
import { silentLogger } from '../../../packages/core/src/platform/logger.ts'
import { failureOf, type Heard, startServer } from './server.ts'

/** Responds to `/to` as configured and to everything else with 200. */
const redirecting = (status: number, location: () => string) =>
  startServer((response, { url }) => {
    if (url === '/to') response.writeHead(status, { location: location() }).end('elsewhere')
    else response.end('arrived')
  })

function openClient(options: Partial<HttpClientOptions>) {
  const lookup = async () => [{ address: '127.0.0.1', family: 4 as const }]
  const client = createHttpClient({ log: silentLogger, lookup, ...options })
  return { ...client, [Symbol.asyncDispose]: () => client.close() }
}

const seen = (heard: Heard[]) => heard.map(({ method, url, body }) => [method, url, body])

describe('a redirect', () => {
  it('to a private address or name is rejected, and nothing is sent there', async () => {
    await using inside = await startServer()
    let location = ''
    await using outside = await redirecting(302, () => location)
    await using client = openClient({ allowHosts: [outside.host] })
    for (location of [
      inside.url,
      `//${inside.host}/`,
      `http://2130706433:${inside.port}/`,
      `http://[::ffff:127.0.0.1]:${inside.port}/`,
      `http://inside.example:${inside.port}/`,
    ]) {
      // What was sent reached the first server, so that doing it again may repeat it.
      const expected = { reason: 'address', maybeSent: true }
      expect(await failureOf(client.request(`${outside.url}/to`)), location).toMatchObject(expected)
      await expect(client.guardedFetch(`${outside.url}/to`), location).rejects.toMatchObject(expected)
    }
    expect(outside.heard).toHaveLength(10)
    expect(inside.connections).toBe(0)
  })

  it.each([
    ['ftp://example.com/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['data:text/plain,hello', 'scheme'],
    ['http://user:pass@example.com/', 'credentials'],
    ['http://[::1', 'bad_url'],
  ])('to %s is rejected as %s', async (location, reason) => {
    await using server = await redirecting(301, () => location)
    await using client = openClient({ allowHosts: [server.host] })
    expect(await failureOf(client.request(`${server.url}/to`))).toMatchObject({ reason, maybeSent: true })
    expect(server.heard).toHaveLength(1)
  })

  it('is followed up to the limit, and a loop ends', async () => {
    await using server = await startServer((response, { url }) => {
      const left = Number(url.slice(1))
      if (left === 0) response.end('arrived')
      else response.writeHead(302, { location: url === '/circle' ? '/circle' : `/${left - 1}` }).end()
    })
    await using client = openClient({ allowHosts: [server.host], maxRedirects: 3 })
    const answer = await client.request(`${server.url}/3`)
    expect([answer.url, await answer.text()]).toEqual([`${server.url}/0`, 'arrived'])
    expect(await failureOf(client.request(`${server.url}/4`))).toMatchObject({ reason: 'redirect' })
    const asked = server.heard.splice(0).map(({ url }) => url)
    expect(asked).toEqual(['/3', '/2', '/1', '/0', '/4', '/3', '/2', '/1'])
    expect(await failureOf(client.request(`${server.url}/circle`))).toMatchObject({ reason: 'redirect' })
    expect(server.heard).toHaveLength(4)
  })

  it('to another origin drops every header that could contain a key', async () => {
    await using other = await startServer()
    let location = ''
    await using server = await redirecting(307, () => location)
    await using client = openClient({ allowHosts: ['127.0.0.1', 'localhost'] })
    const secret = {
      authorization: 'Bearer abc',
      cookie: 'a=b',
      'x-api-key': 'abc',
      'x-signature': 'abc',
      referer: 'http://a.example/?key=abc',
    }
    const headers = { ...secret, accept: 'text/x-own', 'content-type': 'text/x-body' }
    const send = async () =>
      (await client.request(`${server.url}/to`, { method: 'POST', headers, body: 'b' })).text()
    for (location of [`${other.url}/`, `http://localhost:${server.port}/`]) await send()
    const elsewhere = [...other.heard, ...server.heard.filter(({ url }) => url === '/')]
    expect(elsewhere).toHaveLength(2)
    for (const { headers: arrived, ...request } of elsewhere) {
      expect(request).toMatchObject({ method: 'POST', body: 'b' })
      expect(arrived).toMatchObject({ accept: 'text/x-own', 'content-type': 'text/x-body' })
      for (const name of Object.keys(secret)) expect(arrived, name).not.toHaveProperty(name)
    }
    server.heard.length = 0
    location = '/same'
    await send()
    expect(server.heard.map((request) => request.headers)).toMatchObject([secret, secret])
  })

  it.each([
    [303, 'POST', 'GET'],
    [303, 'DELETE', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [302, 'POST', 'GET'],
    [301, 'POST', 'GET'],
    [302, 'PUT', 'PUT'],
    [301, 'PATCH', 'PATCH'],
    [307, 'POST', 'POST'],
    [308, 'PUT', 'PUT'],
  ])('%i after %s is followed by %s', async (status, method, then) => {
    await using server = await redirecting(status, () => '/next')
    await using client = openClient({ allowHosts: [server.host] })
    const body = method === 'HEAD' ? '' : 'payload'
    const headers = { 'content-type': 'text/plain', 'x-own': 'kept' }
    const answer = await client.request(`${server.url}/to`, { method, headers, ...(body && { body }) })
    await answer.bytes()
    expect(seen(server.heard)).toEqual([
      [method, '/to', body],
      [then, '/next', then === method ? body : ''],
    ])
    const last = server.heard[1]?.headers
    expect(last?.['x-own']).toBe('kept')
    expect(last?.['content-type']).toBe(then === method ? 'text/plain' : undefined)
  })

  it('is returned when the caller follows redirects itself', async () => {
    await using server = await redirecting(302, () => 'http://10.0.0.1/')
    await using client = openClient({ allowHosts: [server.host] })
    const answer = await client.request(`${server.url}/to`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'http://10.0.0.1/'])
    expect(await answer.text()).toBe('elsewhere')
    const fetched = await client.guardedFetch(`${server.url}/to`, { redirect: 'manual' })
    expect([fetched.status, fetched.redirected, await fetched.text()]).toEqual([302, false, 'elsewhere'])
    expect(server.heard).toHaveLength(2)
  })

  it('rejects a fetch that forbids it, and a body that cannot be sent twice', async () => {
    await using server = await redirecting(307, () => '/next')
    await using client = openClient({ allowHosts: [server.host] })
    const url = `${server.url}/to`
    await expect(client.guardedFetch(url, { redirect: 'error' })).rejects.toMatchObject({
      reason: 'redirect',
    })
    async function* body() {
      yield Buffer.from('once')
    }
    expect(await failureOf(client.request(url, { method: 'POST', body: body() }))).toMatchObject({
      reason: 'redirect',
    })
    expect(seen(server.heard)).toEqual([
      ['GET', '/to', ''],
      ['POST', '/to', 'once'],
    ])
    const fetched = await client.guardedFetch(url)
    expect([fetched.redirected, fetched.url, await fetched.text()]).toEqual([
      true,
      `${server.url}/next`,
      'arrived',
    ])
  })
})
