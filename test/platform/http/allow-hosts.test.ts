import { describe, expect, it } from 'vitest'
import { createHttpClient } from '../../../packages/core/src/platform/http/client.ts'
import { createGuard } from '../../../packages/core/src/platform/http/guard.ts'
import type { OutboundError } from '../../../packages/core/src/platform/http/outbound-error.ts'
import { silentLogger } from '../../../packages/core/src/platform/logger.ts'

describe('allowHosts', () => {
  const passes = (allowed: string, address: string, target: { host: string; port: number }) => {
    const guard = createGuard([allowed])
    try {
      guard.checkAddress(address, target)
      return true
    } catch (error) {
      if ((error as OutboundError).reason === 'address') return false
      throw error
    }
  }
  const at = (host: string, port = 80) => ({ host, port })

  it.each([
    ['erp.corp', '10.0.0.5', at('erp.corp'), at('other.corp')],
    [' ERP.Corp. ', 'fd00::5', at('erp.corp', 8080), at('sub.erp.corp')],
    ['erp.corp:8080', '127.0.0.1', at('erp.corp', 8080), at('erp.corp', 80)],
    ['bücher.corp', '192.168.0.9', at('xn--bcher-kva.corp'), at('bucher.corp')],
    ['127.0.0.1:3000', '127.0.0.1', at('any.example', 3000), at('127.0.0.1', 3001)],
    ['[::1]:3000', '::1', at('::1', 3000), at('::1', 3001)],
  ])('"%s" opens %s for its own host and port only', (allowed, address, own, other) => {
    expect(passes(allowed, address, own)).toBe(true)
    expect(passes(allowed, address, other)).toBe(false)
  })

  it.each([
    ['10.0.0.5', '10.0.0.5', '10.0.0.6'],
    ['0x7f.1', '127.0.0.1', '127.0.0.2'],
    ['::1', '0:0:0:0:0:0:0:1', '::2'],
    ['[fd00::5]', 'fd00::5', 'fd00::6'],
    ['10.1.0.0/16', '10.1.255.255', '10.2.0.0'],
    ['fd00:1::/32', 'fd00:1:ffff::1', 'fd00:2::1'],
    ['169.254.169.254', '169.254.169.254', '169.254.169.253'],
    ['0.0.0.0/0', '127.0.0.1', '::1'],
    ['127.0.0.1', '127.0.0.1', '::ffff:127.0.0.1'],
  ])('"%s" allows %s and not %s', (allowed, open, shut) => {
    expect(passes(allowed, open, at('any.example'))).toBe(true)
    expect(passes(allowed, shut, at('any.example'))).toBe(false)
  })

  it.each([
    '169.254.169.254',
    'fe80::1',
    '100.100.100.200',
    'fd00:ec2::254',
    'fd20:ce::254',
    '168.63.129.16',
    '0.0.0.0',
    '224.0.0.1',
    '::ffff:10.0.0.1',
  ])('an allowed name does not allow %s', (address) => {
    expect(passes('erp.corp', '10.0.0.5', at('erp.corp'))).toBe(true)
    expect(passes('erp.corp', address, at('erp.corp'))).toBe(false)
  })

  it('disables no other rule', () => {
    const guard = createGuard(['erp.corp', '127.0.0.1'])
    const reasonOf = (url: string) => {
      try {
        return guard.checkUrl(url).href
      } catch (error) {
        return (error as OutboundError).reason
      }
    }
    expect(reasonOf('http://2130706433/')).toBe('http://127.0.0.1/')
    expect(reasonOf('ftp://erp.corp/')).toBe('scheme')
    expect(reasonOf('http://user@erp.corp/')).toBe('credentials')
    expect(reasonOf('http://127.0.0.2/')).toBe('address')
  })

  it.each([
    '',
    ' ',
    '*',
    '*.corp',
    'http://erp.corp',
    'erp.corp/path',
    'user@erp.corp',
    'erp.corp:',
    'erp.corp:0',
    'erp.corp:65536',
    'erp.corp:http',
    'erp.corp:80:81',
    'erp corp',
    'erp.corp,crm.corp',
    'erp.corp?x',
    'erp.corp#x',
    '10.0.0.256',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8:80',
    '10/8',
    '192.168/16',
    '010.0.0.0/8',
    '0xa.0.0.0/8',
    'fd00::/129',
    '[fd00::]/8',
    '[::1',
    '[::1]:0',
    '[10.0.0.1]',
    'fe80::1%eth0',
    'fe80::%eth0/64',
  ])('rejects the entry "%s" when the client is created', (entry) => {
    expect(() => createHttpClient({ log: silentLogger, allowHosts: ['erp.corp', entry] })).toThrow(TypeError)
    expect(() => createGuard([entry])).toThrow(`Allowed host "${entry}" cannot be read`)
  })
})
