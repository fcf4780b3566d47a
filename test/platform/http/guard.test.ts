import { describe, expect, it } from 'vitest'
import { createGuard } from '../../../packages/core/src/platform/http/guard.ts'
import {
  OutboundError,
  type OutboundReason,
} from '../../../packages/core/src/platform/http/outbound-error.ts'

const hostile: Record<string, [reason: OutboundReason, urls: string[]]> = {
  'this machine': [
    'address',
    ['http://127.0.0.1/', 'http://127.255.255.254/', 'https://127.8.8.8:8443/', 'http://[::1]/'],
  ],
  'no address at all': ['address', ['http://0.0.0.0/', 'http://0.1.2.3/', 'http://[::]/', 'http://0/']],
  'private networks': [
    'address',
    [
      'http://10.0.0.1/',
      'http://10.255.255.255/',
      'http://172.16.0.1/',
      'http://172.31.255.255/',
      'http://192.168.1.1/',
      'http://[fc00::1]/',
      'http://[fdff:ffff::1]/',
      'http://[fec0::1]/',
    ],
  ],
  'link-local': ['address', ['http://169.254.0.1/', 'http://[fe80::1]/', 'http://[febf::1]/']],
  'cloud metadata': [
    'address',
    [
      'http://169.254.169.254/latest/meta-data/',
      'http://169.254.170.2/v2/credentials',
      'http://[fd00:ec2::254]/latest/meta-data/',
      'http://[fd20:ce::254]/computeMetadata/v1/',
      'http://100.100.100.200/latest/meta-data/',
      'http://192.0.0.192/opc/v2/',
      'http://168.63.129.16/machine?comp=goalstate',
    ],
  ],
  'carrier-grade NAT': ['address', ['http://100.64.0.1/', 'http://100.127.255.255/']],
  'multicast and broadcast': [
    'address',
    ['http://224.0.0.1/', 'http://239.255.255.250/', 'http://255.255.255.255/', 'http://[ff02::1]/'],
  ],
  'reserved, documentation and benchmarks': [
    'address',
    [
      'http://192.0.0.8/',
      'http://192.0.2.1/',
      'http://192.88.99.1/',
      'http://198.18.0.1/',
      'http://198.19.255.255/',
      'http://198.51.100.1/',
      'http://203.0.113.1/',
      'http://240.0.0.1/',
      'http://[100::1]/',
      'http://[2001:db8::1]/',
      'http://[2001:2::1]/',
      'http://[3fff::1]/',
      'http://[4000::1]/',
    ],
  ],
  'IPv4 in other clothes': [
    'address',
    [
      'http://2130706433/',
      'http://017700000001/',
      'http://0x7f000001/',
      'http://0x7f.0.0.1/',
      'http://0177.0.0.1/',
      'http://127.1/',
      'http://127.0.1/',
      'http://10.1/',
      'http://0xa9fea9fe/',
      'http://2852039166/',
      'http://127.0.0.1./',
      'http://%31%32%37.0.0.1/',
      'http://①②⑦.⓪.⓪.①/',
      'http://127。0。0。1/',
      'http://１２７.０.０.１/',
      'http:/\\127.0.0.1/',
      'http:127.0.0.1/',
      ' http://127.0.0.1/',
      'http://127.0.\t0.1/',
    ],
  ],
  'IPv4 inside IPv6': [
    'address',
    [
      'http://[::ffff:127.0.0.1]/',
      'http://[::ffff:7f00:1]/',
      'http://[0:0:0:0:0:ffff:10.0.0.1]/',
      'http://[::ffff:8.8.8.8]/',
      'http://[::127.0.0.1]/',
      'http://[::a00:1]/',
      'http://[::ffff:0:127.0.0.1]/',
      'http://[64:ff9b::127.0.0.1]/',
      'http://[64:ff9b::a9fe:a9fe]/',
      'http://[64:ff9b:1::a00:1]/',
      'http://[2002:7f00:1::]/',
      'http://[2002:a9fe:a9fe::1]/',
      'http://[2001::7f00:1]/',
      'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
      'http://[2606:4700::5efe:10.0.0.1]/',
      'http://[2606:4700::200:5efe:7f00:1]/',
    ],
  ],
  'a user or a password': [
    'credentials',
    ['http://user@example.com/', 'http://user:pass@example.com/', 'https://example.com@127.0.0.1/'],
  ],
  'other schemes': [
    'scheme',
    [
      'file:///etc/passwd',
      'ftp://example.com/',
      'gopher://127.0.0.1:25/_HELO',
      'ws://example.com/',
      'data:text/plain,hello',
      'javascript:alert(1)',
      'blob:http://example.com/0',
      'unix:/var/run/docker.sock',
      'http+unix://%2Fvar%2Frun%2Fdocker.sock/info',
    ],
  ],
  'what is no URL': [
    'bad_url',
    [
      '',
      '/path',
      'example.com',
      'http://',
      'http://./',
      'http://[fe80::1%25eth0]/',
      'http://[fe80::1%eth0]/',
      'http://[::1',
      'http://256.256.256.256/',
      'http://127.0.0.1.2/',
      'http://example.com:99999/',
      'http://exa mple.com/',
      'http://example.com%00.evil.test/',
    ],
  ],
}

const rows = Object.entries(hostile).flatMap(([kind, [reason, urls]]) =>
  urls.map((url) => ({ kind, url, reason })),
)

describe('createGuard', () => {
  // Only the guard is asked: were one of these let through, nothing would be sent to it.
  it.each(rows)('refuses $kind: $url', ({ url, reason }) => {
    expect(() => createGuard().checkUrl(url)).toThrow(OutboundError)
    expect(() => createGuard().checkUrl(url)).toThrow(expect.objectContaining({ reason, maybeSent: false }))
  })

  it.each([
    ['https://example.com/a?b=c#d', 'https://example.com/a?b=c'],
    ['HTTP://EXAMPLE.com:80/', 'http://example.com/'],
    ['http://example.com:8080/', 'http://example.com:8080/'],
    ['http://bücher.example/', 'http://xn--bcher-kva.example/'],
    ['http://localhost.example.com./', 'http://localhost.example.com./'],
    ['http://1.1.1.1/', 'http://1.1.1.1/'],
    ['http://134744072/', 'http://8.8.8.8/'],
    ['http://9.255.255.255/', 'http://9.255.255.255/'],
    ['http://11.0.0.0/', 'http://11.0.0.0/'],
    ['http://100.63.255.255/', 'http://100.63.255.255/'],
    ['http://100.128.0.0/', 'http://100.128.0.0/'],
    ['http://126.255.255.255/', 'http://126.255.255.255/'],
    ['http://128.0.0.1/', 'http://128.0.0.1/'],
    ['http://169.253.255.255/', 'http://169.253.255.255/'],
    ['http://172.15.255.255/', 'http://172.15.255.255/'],
    ['http://172.32.0.0/', 'http://172.32.0.0/'],
    ['http://192.167.255.255/', 'http://192.167.255.255/'],
    ['http://223.255.255.255/', 'http://223.255.255.255/'],
    ['http://[2606:4700:4700::1111]/', 'http://[2606:4700:4700::1111]/'],
    ['https://[2A00:1450::0001]:8443/', 'https://[2a00:1450::1]:8443/'],
  ])('accepts %s', (url, checked) => {
    expect(createGuard().checkUrl(url).href).toBe(checked)
    expect(createGuard().checkUrl(new URL(url)).href).toBe(checked)
  })

  it.each([
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '8.8.8.8.',
    'fe80::1%eth0',
    '2606:4700::1%1',
    '8.8.8.8/32',
  ])('does not accept "%s" as an address from a resolver or a socket', (text) => {
    const target = { host: 'example.com', port: 80 }
    expect(() => createGuard().checkAddress(text, target)).toThrow(
      expect.objectContaining({ reason: 'address', address: text }),
    )
  })
})
