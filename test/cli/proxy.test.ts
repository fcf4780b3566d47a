import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { judgeArrival } from '../../packages/server/src/examine-proxy.ts'
import { cli, startCli, temporaryFolder } from './process.ts'

/** What a proxy does with `X-Forwarded-For`. */
type Manner = (before: string | undefined, caller: string) => string | undefined

const manners: Record<string, Manner> = {
  sets: (_before, caller) => caller,
  appends: (before, caller) => (before === undefined ? caller : `${before}, ${caller}`),
  drops: () => undefined,
}

/** A reverse proxy before a server that is named later. Its caller is somewhere outside. */
async function createProxy(manner: Manner) {
  let target = ''
  const server = createServer((req, res) => {
    const before = req.headers['x-forwarded-for'] as string | undefined
    const forwarded = manner(before, '203.0.113.77')
    const headers = { ...req.headers, 'x-forwarded-for': forwarded }
    if (forwarded === undefined) delete headers['x-forwarded-for']
    const inner = request(`${target}${req.url}`, { method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    req.pipe(inner)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    before: (url: string) => void (target = url),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Findings {
  findings: Array<{ name: string; ok: boolean; message: string; remedy?: string }>
}

/** What `copydesk doctor` says of a proxy, with some settings of server and doctor. */
async function diagnosed(manner: Manner, settings: Record<string, string> = {}) {
  using folder = temporaryFolder()
  await using proxy = await createProxy(manner)
  const env = { COPYDESK_BASE_URL: proxy.url, ...settings }
  const server = await startCli(['up', '--port', '0', '--json'], { cwd: folder.path, env })
  await server.says('"pid"')
  const { url } = JSON.parse(server.said().stdout) as { url: string }
  proxy.before(url)
  const { stdout } = await cli(['doctor', '--json'], { cwd: folder.path, env })
  const stranger = await fetch(`${proxy.url}/health/arrival/x`)
  expect([stranger.status, await stranger.json()]).toMatchObject([401, { error: { code: 'INVALID_TOKEN' } }])
  server.child.kill('SIGTERM')
  await server.ended
  return (JSON.parse(stdout) as Findings).findings.find(({ name }) => name === 'proxy')
}

describe('copydesk doctor', () => {
  it('accepts a proxy that sets X-Forwarded-For', async () => {
    const found = await diagnosed(manners['sets'] as Manner)
    expect(found).toMatchObject({ ok: true, message: expect.stringContaining('counts as 203.0.113.77') })
  })

  it('detects that callers can choose their address behind a proxy that appends, until it is configured', async () => {
    const append = manners['appends'] as Manner
    expect(await diagnosed(append)).toMatchObject({
      ok: false,
      message: expect.stringContaining('callers choose the address'),
      remedy: expect.stringContaining('Set trustProxy.forwardedFor to append'),
    })
    const told = await diagnosed(append, { COPYDESK_TRUST_PROXY_FORWARDED_FOR: 'append' })
    expect(told).toMatchObject({ ok: true, message: expect.stringContaining('counts as 203.0.113.77') })
  })

  it('detects that all callers count as one behind a proxy that is not trusted, or sends no header', async () => {
    const untrusted = await diagnosed(manners['sets'] as Manner, { COPYDESK_TRUST_PROXY: '10.0.0.1' })
    expect(untrusted).toMatchObject({
      ok: false,
      remedy: expect.stringContaining('Add 127.0.0.1 to trustProxy'),
    })
    const silent = await diagnosed(manners['drops'] as Manner)
    expect(silent).toMatchObject({ ok: false, message: expect.stringContaining('all callers count as one') })
  })

  it('checks nothing without a running server', async () => {
    using folder = temporaryFolder()
    const server = await startCli(['up', '--port', '0', '--json'], { cwd: folder.path })
    await server.says('"pid"')
    const { url } = JSON.parse(server.said().stdout) as { url: string }
    server.child.kill('SIGTERM')
    await server.ended
    const { stdout } = await cli(['doctor', '--json'], { cwd: folder.path, env: { COPYDESK_BASE_URL: url } })
    const found = (JSON.parse(stdout) as Findings).findings.find(({ name }) => name === 'proxy')
    expect(found).toMatchObject({ ok: true, message: expect.stringContaining('nothing answers at') })
  })
})

describe('the assessment of an arrival', () => {
  const forged = '198.51.100.9'
  const trustProxy = { addresses: ['10.0.0.1'], forwardedFor: 'set' as const }
  const outside = { baseUrl: 'https://desk.example.com', trustProxy }
  const asItWas = { remote: '10.0.0.1', viaProxy: true, forwardedFor: forged, ip: forged }

  it('distinguishes a proxy that passes the header on from a machine without one', () => {
    expect(judgeArrival(asItWas, forged, outside)).toMatchObject({ ok: false })
    const here = { ...outside, baseUrl: 'http://localhost:8420' }
    expect(judgeArrival({ ...asItWas, remote: '127.0.0.1' }, forged, here)).toMatchObject({ ok: true })
    const direct = { ...asItWas, remote: '203.0.113.5', viaProxy: false, ip: '203.0.113.5' }
    expect(judgeArrival(direct, forged, outside)).toMatchObject({ ok: true })
  })
})
