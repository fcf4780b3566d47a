import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSecretKey, redact, redactText } from '../../packages/core/src/platform/redact.ts'
import { cpuOf } from '../kit/turns.ts'

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLWJ5dGVz'

describe('redactText', () => {
  it.each([
    ['Authorization: Bearer s3cr3t-value', 's3cr3t'],
    ['authorization=Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
    ['{"authorization":"Token s3cr3tvalue"}', 's3cr3t'],
    ['{\\"authorization\\":\\"Bearer s3cr3tvalue\\"}', 's3cr3t'],
    ['sent bearer abc123s3cr3t to the host', 's3cr3t'],
    ['Basic dXNlcjpwYXNz failed', 'dXNlcjpwYXNz'],
    [`token was ${JWT}!`, 'c2lnbmF0dXJl'],
    [`prefix_${JWT}`, 'eyJzdWIi'],
    ['key cdk_live_9f8e7d6c5b4a refused', '9f8e7d6c5b4a'],
    ['key cdk_test_9f8e7d6c5b4a refused', '9f8e7d6c5b4a'],
    ['provider key sk-ant-api03-abcdefghijkl', 'abcdefghijkl'],
    ['stripe whsec_abcdefghijklmnop', 'abcdefghijklmnop'],
    ['postgres://app:pa55w0rd@db.internal/app', 'pa55w0rd'],
    ['redis://:pa55@w0rd@cache:6379', 'w0rd'],
    ['https://x.test/cb?access_token=s3cr3t&x=1', 's3cr3t'],
    ['GET /cb?state=s3cr3t&code=x', 's3cr3t'],
    ['to https://x.test/cb?scope=a&code=s3cr3t#here', 's3cr3t'],
    ['body grant_type=a&code_verifier=s3cr3t', 's3cr3t'],
    ['body {"password":"s3cr3t with, spaces"}', 's3cr3t'],
    ['body {"password":"s3cr3t with, spaces"}', 'spaces'],
    ["api_key: 's3cr3t'", 's3cr3t'],
    ['Cookie: sid=s3cr3t; other=s3cr3t2', 's3cr3t'],
    ['Set-Cookie: sid=s3cr3t; HttpOnly', 's3cr3t'],
    ['-----BEGIN RSA PRIVATE KEY-----\ns3cr3t\n-----END RSA PRIVATE KEY-----', 's3cr3t'],
    ['-----BEGIN PRIVATE KEY-----\ns3cr3t (cut off)', 's3cr3t'],
  ])('redacts the secret in %j', (text, secret) => {
    expect(redactText(text)).not.toContain(secret)
    expect(redactText(text)).toContain('[redacted]')
  })

  it.each([
    'the bearer token expired',
    'Basic authentication is required',
    'campaign 01J0000000000000000000000A created',
    'https://example.com:8080/path?x=1@2',
    'used 120 tokens: 100 in, 20 out',
    'mail to someone@example.com',
  ])('keeps %j unchanged', (text) => {
    expect(redactText(text)).toBe(text)
  })

  it('keeps the surroundings of a URL password readable', () => {
    expect(redactText('to postgres://app:pw@db/app now')).toBe('to postgres://app:[redacted]@db/app now')
  })

  it.each([
    'eyJ',
    'eyJa-',
    'eyJabcdef.',
    '://',
    '://a:b',
    'a-',
    'bearer ',
    'password":"\\',
    'token="',
    "token='",
    'authorization:a-',
    'cookie:"',
    '&state=x',
    '-----BEGIN PRIVATE KEY',
    'basic 0',
    'sk-',
    'api_',
  ])('takes linear time for %j', (piece) => {
    const [short, long] = [50_000, 200_000].map((length) => {
      const text = piece.repeat(Math.ceil(length / piece.length))
      return cpuOf(() => redactText(text))
    }) as [number, number]
    // With the square it would be sixteen times. What is below some milliseconds says nothing.
    expect(long).toBeLessThan(Math.max(short, 4) * 8)
    expect(long).toBeLessThan(150)
  })

  it('redacts tokens that a plain pattern would cut in half', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'eyJ',
        'eyJhbGciOi',
        '.',
        '..',
        '-',
        '_',
        ' ',
        ':',
        'a'.repeat(6),
        'b'.repeat(1_020),
        'é',
      ),
      fc.string({ maxLength: 5 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        // The rest of the text says nothing that another rule would cut.
        const text = pieces.join('').replace(/[=:]/g, ' ')
        const expected = text.replace(/eyJ[\w-]{6,1024}(?:\.[\w-]*){1,4}/g, '[redacted]')
        expect(redactText(text)).toBe(expected)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('redact', () => {
  it('redacts values by the name of their key, in any spelling', () => {
    const names = [
      'password',
      'newPassword',
      'x-api-key',
      'API_KEY',
      'refresh_token',
      'accessToken',
      'Set-Cookie',
    ]
    names.push(
      'clientSecret',
      'authValue',
      'passwordHash',
      'Proxy-Authorization',
      'privateKey',
      'otp',
      'cookies',
    )
    const input = Object.fromEntries(names.map((name) => [name, 'plain words']))
    expect(Object.values(redact(input) as object)).toEqual(names.map(() => '[redacted]'))
  })

  it('redacts whole objects, lists and numbers under such keys', () => {
    expect(redact({ credentials: { user: 'a' }, secret: ['b'], otp: 123456 })).toEqual({
      credentials: '[redacted]',
      secret: '[redacted]',
      otp: '[redacted]',
    })
  })

  it('keeps counts, flags and identifiers', () => {
    const kept = {
      inputTokens: 12,
      maxTokens: 5,
      hasPassword: true,
      apiKeyId: 'k1',
      token: null,
      keyword: 'tea',
    }
    expect(redact(kept)).toEqual(kept)
  })

  it('redacts deep inside lists, maps, headers and header lists', () => {
    const input = {
      list: [{ a: new Map([['token', 's3cr3t']]) }],
      headers: new Headers({ authorization: 'Bearer s3cr3t', accept: 'text/html' }),
      pairs: [['x-api-key', 's3cr3t']],
      named: [{ name: 'X-Auth-Token', value: 's3cr3t' }],
      text: 'password=s3cr3t',
      set: new Set(['token: s3cr3t']),
      'password=s3cr3t': 1,
    }
    const text = JSON.stringify(redact(input))
    expect(text).not.toContain('s3cr3t')
    expect(text).toContain('text/html')
  })

  it('handles cycles, and keeps shared objects', () => {
    const shared = { x: 1 }
    const loop: Record<string, unknown> = { a: shared, b: shared }
    loop.self = loop
    expect(redact(loop)).toEqual({ a: { x: 1 }, b: { x: 1 }, self: '[circular]' })
  })

  it('turns errors into plain objects with their causes, without secrets', () => {
    const cause = Object.assign(new Error('refused password=s3cr3t'), { code: 'E1', token: 's3cr3t' })
    const out = redact(new Error('Bearer s3cr3t9', { cause })) as Record<string, unknown>
    expect(Object.keys(out)).toEqual(['name', 'message', 'stack', 'cause'])
    expect(out).toMatchObject({
      name: 'Error',
      cause: { message: 'refused password=[redacted]', code: 'E1' },
    })
    expect(JSON.stringify(out)).not.toContain('s3cr3t')
  })

  it('shows every error of an aggregate', () => {
    expect(redact(new AggregateError([new Error('one')], 'all'))).toMatchObject({
      errors: [{ message: 'one' }],
    })
  })

  it('returns only what JSON can represent, and never throws', () => {
    const odd = {
      big: 2n ** 64n,
      at: new Date(0),
      never: new Date(Number.NaN),
      bytes: Buffer.from('s3cr3t'),
      nan: Number.NaN,
      call: () => 1,
      get broken(): string {
        throw new Error('no')
      },
    }
    expect(
      redact({
        big: odd.big,
        at: odd.at,
        never: odd.never,
        bytes: odd.bytes,
        nan: odd.nan,
        call: odd.call,
      }),
    ).toEqual({
      big: '18446744073709551616',
      at: '1970-01-01T00:00:00.000Z',
      never: 'Invalid Date',
      bytes: '[6 bytes]',
      nan: 'NaN',
      call: '[function]',
    })
    expect(redact({ odd })).toEqual({ odd: '[unreadable]' })
  })

  it('stops at a maximum depth', () => {
    let deep: unknown = 'end'
    for (let i = 0; i < 10_000; i += 1) deep = { deep }
    expect(JSON.stringify(redact(deep))).toContain('[too deep]')
  })

  it('does not change its argument', () => {
    const input = { password: 'x', list: [{ token: 'y' }] }
    redact(input)
    expect(input).toEqual({ password: 'x', list: [{ token: 'y' }] })
  })
})

describe('isSecretKey', () => {
  it('distinguishes names of secrets from similar names', () => {
    expect(['bearerToken', 'web_hook_secret', 'jwt'].every(isSecretKey)).toBe(true)
    expect(['tokenizer', 'secretary', 'key', 'author', 'password_changed_at'].some(isSecretKey)).toBe(false)
  })
})
