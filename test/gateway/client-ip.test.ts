import { describe, expect, it } from 'vitest'
import { countedAs, createClientIp } from '../../packages/core/src/gateway/client-ip.ts'
import { raw } from '../../packages/core/src/gateway/raw.ts'
import { createRig, listen, publicAccess } from './rig.ts'

const ip = raw({
  id: 'd.ip',
  route: 'GET /ip',
  summary: 'Show the address',
  access: publicAccess,
  reply: { 200: 'text/plain' },
}).handle(async (_ctx, input) => ({ body: input.ip }))

describe('client address', () => {
  it('is the first entry of X-Forwarded-For, unchanged, from a trusted proxy only', () => {
    const trusting = createClientIp({ addresses: ['10.0.0.0/8', '192.0.2.7', 'fd00::/8'] })
    const forwarded = '203.0.113.9, 10.0.0.1'
    for (const proxy of ['10.1.2.3', '192.0.2.7', '::ffff:10.1.2.3', 'fd12::1'])
      expect([proxy, trusting(proxy, forwarded)]).toEqual([proxy, '203.0.113.9'])
    for (const stranger of ['11.0.0.1', '192.0.2.8', '198.51.100.7', '2001:db8::1', '127.0.0.1', '::1'])
      expect(trusting(stranger, forwarded)).toBe(stranger)
    expect(trusting('::ffff:198.51.100.7', forwarded)).toBe('198.51.100.7')
    expect(trusting('no address', forwarded)).toBe('no address')
    expect(trusting(undefined, forwarded)).toBe('unknown')
  })

  it('is the entry whatever it contains, and the proxy itself without one', () => {
    const find = createClientIp()
    for (const [given, found] of [
      ['203.0.113.9', '203.0.113.9'],
      ['  203.0.113.9  ,10.0.0.1', '203.0.113.9'],
      ['2001:db8::1', '2001:db8::1'],
      ['[2001:db8::1]:443', '[2001:db8::1]:443'],
      ['unknown, 203.0.113.9', 'unknown'],
      ['', '127.0.0.1'],
      [' ', '127.0.0.1'],
      [',203.0.113.9', '127.0.0.1'],
      ['x'.repeat(5_000), 'x'.repeat(64)],
    ] as const)
      expect(find('127.0.0.1', given)).toBe(found)
    expect(find('127.0.0.1', undefined)).toBe('127.0.0.1')
  })

  it('trusts no proxy when the list is empty, and rejects an invalid list', () => {
    expect(createClientIp({ addresses: [] })('127.0.0.1', '203.0.113.9')).toBe('127.0.0.1')
    for (const wrong of ['proxy.local', '10.0.0.0/33', '10.0.0', '10.0.0/8', '010.0.0.1', '', '*'])
      expect(() => createClientIp({ addresses: [wrong] })).toThrow(`trustProxy: "${wrong}"`)
  })

  it('is the rightmost entry that no trusted proxy wrote, when the proxies append', () => {
    const find = createClientIp({ addresses: ['10.0.0.0/8', 'fd00::/8'], forwardedFor: 'append' })
    for (const [given, found] of [
      ['203.0.113.9', '203.0.113.9'],
      // The entry made up by the caller precedes those added by the proxies.
      ['1.1.1.1, 203.0.113.9', '203.0.113.9'],
      ['1.1.1.1, 10.9.9.9, 203.0.113.9', '203.0.113.9'],
      ['1.1.1.1, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
      ['203.0.113.9:51000, 10.0.0.2:443, [fd00::7]:80', '203.0.113.9:51000'],
      ['garbage, 10.0.0.2', 'garbage'],
      ['10.0.0.3, 10.0.0.2', '10.0.0.3'],
      [' , 203.0.113.9 ,, 10.0.0.2 ,', '203.0.113.9'],
      ['', '10.0.0.1'],
      [',,', '10.0.0.1'],
      [`${'x, '.repeat(2_000)}203.0.113.9`, '203.0.113.9'],
      [Array.from({ length: 2_000 }, (_, i) => `10.1.${i >> 8}.${i & 255}`).join(','), '10.1.0.0'],
      ['x'.repeat(5_000), 'x'.repeat(64)],
    ] as const)
      expect(find('10.0.0.1', given)).toBe(found)
    expect(find('10.0.0.1', undefined)).toBe('10.0.0.1')
    expect(find('198.51.100.7', '1.1.1.1, 203.0.113.9')).toBe('198.51.100.7')
    expect(find(undefined, '203.0.113.9')).toBe('unknown')
  })

  it('cannot be chosen by a caller behind a proxy that appends, so that limits apply', async () => {
    const limits = { perMinute: 2, burst: 0, by: 'ip' } as const
    const options = { trustProxy: { forwardedFor: 'append' } } as const
    const { call } = createRig([ip], { surface: { limits }, options })
    const statuses: number[] = []
    for (const forged of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) {
      const headers = { 'x-forwarded-for': `${forged}, 203.0.113.9` }
      statuses.push((await call('GET', '/dashboard/v1/ip', { from: '127.0.0.1', headers })).status)
    }
    expect(statuses).toEqual([200, 200, 429])
  })

  it('is joined from several headers in their order', async () => {
    const { gateway } = createRig([ip])
    await using server = await listen(gateway.node)
    const headers = new Headers([
      ['x-forwarded-for', '203.0.113.9'],
      ['x-forwarded-for', '203.0.113.10'],
    ])
    expect(await (await fetch(`${server.url}/dashboard/v1/ip`, { headers })).text()).toBe('203.0.113.9')
    expect(await (await fetch(`${server.url}/dashboard/v1/ip`)).text()).toBe('127.0.0.1')
  })

  it('is counted by network: an IPv4 address, an IPv6 /64, in any spelling and with any port', () => {
    const same = (...all: string[]) => new Set(all.map(countedAs)).size
    expect(
      same('203.0.113.9', '203.0.113.9:51000', '203.0.113.9:51001', '::ffff:203.0.113.9', '::FFFF:cb00:7109'),
    ).toBe(1)
    expect(
      same(
        '2001:db8:1:2::1',
        '2001:0DB8:1:2:ffff::',
        '[2001:db8:1:2::9]',
        '[2001:db8:1:2::9]:443',
        '2001:db8:1:2::1%eth0',
      ),
    ).toBe(1)
    expect(same('203.0.113.9', '203.0.113.10')).toBe(2)
    expect(same('2001:db8:1:2::1', '2001:db8:1:3::1')).toBe(2)
    expect(same('garbage', 'gar:bage', '[', '1.2.3.4:5:6')).toBe(4)
  })

  it('is the key of rate limits, which a caller cannot change', async () => {
    const limits = { perMinute: 2, burst: 0, by: 'ip' } as const
    const { call } = createRig([ip], { surface: { limits } })
    const ask = async (from: string, forwarded: string) =>
      (await call('GET', '/dashboard/v1/ip', { from, headers: { 'x-forwarded-for': forwarded } })).status
    const direct = [await ask('198.51.100.7', '1.1.1.1'), await ask('198.51.100.7', '2.2.2.2')]
    expect([...direct, await ask('198.51.100.7', '3.3.3.3')]).toEqual([200, 200, 429])
    const behind = [await ask('127.0.0.1', '1.1.1.1:1000'), await ask('127.0.0.1', '1.1.1.1:1001')]
    expect([...behind, await ask('127.0.0.1', '1.1.1.1:1002'), await ask('127.0.0.1', '2.2.2.2')]).toEqual([
      200, 200, 429, 200,
    ])
  })
})
