import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createHttpClient } from '../../packages/core/src/platform/http/client.ts'
import type { PushMessage } from '../../packages/core/src/platform/push/push.ts'
import { createPush, type PushOptions } from '../../packages/core/src/platform/push/senders.ts'
import { createTestClock } from '../kit/clock.ts'
import { silent } from '../kit/database.ts'
import { createAndroidServer, createIosServer, type Reaction } from '../kit/push-servers.ts'

const message = (platform: PushMessage['platform'], token = 'the-device'): PushMessage => ({
  platform,
  token,
  id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  title: 'Freigabe „Grüße“',
  body: 'Look at it 😀',
  data: { deepLink: 'copydesk://approvals/1' },
})

function pushFor(options: PushOptions) {
  const clock = createTestClock()
  const http = createHttpClient({ log: silent, allowHosts: ['127.0.0.1'] })
  const push = createPush({ options, http, clock })
  const send = (platform: PushMessage['platform'], signal = new AbortController().signal) =>
    push.send(message(platform), signal).then(
      () => 'sent',
      (error: { outcome: string }) => error.outcome,
    )
  return {
    clock,
    push,
    send,
    async [Symbol.asyncDispose]() {
      await push.close()
      await http.close()
    },
  }
}

const fault = (code: string) => ({
  error: { status: 'X', details: [{ '@type': 'FcmError', errorCode: code }] },
})

describe('push to Android', () => {
  it('is sent with a token that is requested once for an hour', async () => {
    await using server = await createAndroidServer()
    await using harness = pushFor({ android: server.options })
    expect(await harness.send('android')).toBe('sent')
    expect(await harness.send('android')).toBe('sent')
    expect(server.tokens).toBe(1)
    expect(server.claims).toMatchObject({
      iss: 'copydesk@the-project.example',
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
      aud: `${server.options.baseUrl}/token`,
      iat: Math.floor(harness.clock.now() / 1_000),
    })
    expect(server.pushed[0]).toMatchObject({
      token: 'the-device',
      payload: {
        notification: { title: 'Freigabe „Grüße“', body: 'Look at it 😀' },
        data: { deepLink: 'copydesk://approvals/1' },
        android: { priority: 'high', notification: { tag: '01ARZ3NDEKTSV4RRFFQ69G5FAV' } },
      },
    })
    harness.clock.advance(3_600_000)
    expect(await harness.send('android')).toBe('sent')
    expect(server.tokens).toBe(2)
  })

  it('requests another token once when the current one is rejected', async () => {
    await using server = await createAndroidServer()
    await using harness = pushFor({ android: server.options })
    server.reactions.push({ status: 401 })
    expect(await harness.send('android')).toBe('sent')
    expect(server.tokens).toBe(2)
    server.reactions.push({ status: 401 }, { status: 401 })
    expect(await harness.send('android')).toBe('transient')
    expect(server.pushed).toHaveLength(4)
  })

  it('reports why a message was rejected', async () => {
    await using server = await createAndroidServer()
    await using harness = pushFor({ android: server.options })
    const table: Array<[Reaction, string]> = [
      [{ status: 404, body: fault('UNREGISTERED') }, 'unregistered'],
      [{ status: 404 }, 'refused'],
      [{ status: 400, body: fault('INVALID_ARGUMENT') }, 'refused'],
      [{ status: 403, body: fault('SENDER_ID_MISMATCH') }, 'refused'],
      [{ status: 403 }, 'transient'],
      [{ status: 429, body: fault('QUOTA_EXCEEDED') }, 'transient'],
      [{ status: 500, body: fault('INTERNAL') }, 'transient'],
      [{ status: 503, body: fault('UNAVAILABLE') }, 'transient'],
      [{ status: 502 }, 'unknown'],
      [{ status: 504 }, 'unknown'],
      ['cut', 'unknown'],
    ]
    for (const [reaction, outcome] of table) {
      server.reactions.push(reaction)
      expect([reaction, await harness.send('android')]).toEqual([reaction, outcome])
    }
    expect(server.pushed).toHaveLength(table.length)
    expect(await harness.send('android')).toBe('sent')
  })

  it('is retried later when the service or its token endpoint is unreachable', async () => {
    await using server = await createAndroidServer()
    const nobody = 'http://127.0.0.1:9'
    await using away = pushFor({ android: { ...server.options, baseUrl: nobody } })
    expect(await away.send('android')).toBe('transient')
    await using without = pushFor({ android: { ...server.options, tokenUrl: nobody } })
    expect(await without.send('android')).toBe('transient')
    await expect(without.push.check('android')).rejects.toThrow('No access to the push service of Android')
    await using good = pushFor({ android: server.options })
    expect(await good.push.check('android')).toBe(
      'the push service of Android gives access to the project the-project',
    )
    expect(server.pushed).toEqual([])
  })

  it.each(['', '[]', 'null', '{}', '{"project_id":"p","client_email":"e","private_key":"k"}'])(
    'rejects %s as a service account, and quotes nothing of it',
    (serviceAccount) => {
      expect(() => pushFor({ android: { serviceAccount } })).toThrow(
        /^push\.android\.serviceAccount: (?!.*"k")/,
      )
    },
  )
})

describe('push to iOS', () => {
  it('is sent over one connection with one token, which is renewed within its hour', async () => {
    await using server = await createIosServer()
    await using harness = pushFor({ ios: server.options })
    expect(await Promise.all([harness.send('ios'), harness.send('ios'), harness.send('ios')])).toEqual([
      'sent',
      'sent',
      'sent',
    ])
    expect([server.connections, server.tokens]).toEqual([1, 1])
    expect(server.claims).toEqual({ iss: 'the-team', iat: Math.floor(harness.clock.now() / 1_000) })
    expect(server.pushed[0]).toMatchObject({
      token: 'the-device',
      payload: {
        aps: { alert: { title: 'Freigabe „Grüße“', body: 'Look at it 😀' } },
        deepLink: 'copydesk://approvals/1',
      },
      headers: {
        'apns-topic': 'com.example.desk',
        'apns-push-type': 'alert',
        'apns-priority': '10',
        'apns-collapse-id': '01ARZ3NDEKTSV4RRFFQ69G5FAV',
        'apns-expiration': String(Math.floor(harness.clock.now() / 1_000) + 86_400),
      },
    })
    harness.clock.advance(50 * 60_000)
    expect(await harness.send('ios')).toBe('sent')
    expect([server.connections, server.tokens]).toEqual([1, 2])
  })

  it('renews an expired token, but not more often than the service allows', async () => {
    await using server = await createIosServer()
    await using harness = pushFor({ ios: server.options })
    const expired = { status: 403, body: { reason: 'ExpiredProviderToken' } }
    expect(await harness.send('ios')).toBe('sent')
    server.reactions.push(expired)
    expect(await harness.send('ios')).toBe('transient')
    harness.clock.advance(21 * 60_000)
    server.reactions.push(expired)
    expect(await harness.send('ios')).toBe('sent')
    expect(server.tokens).toBe(2)
  })

  it('reports why a message was rejected', async () => {
    await using server = await createIosServer()
    await using harness = pushFor({ ios: server.options })
    const table: Array<[Reaction, string]> = [
      [{ status: 410, body: { reason: 'Unregistered', timestamp: 1 } }, 'unregistered'],
      [{ status: 410 }, 'unregistered'],
      [{ status: 400, body: { reason: 'BadDeviceToken' } }, 'refused'],
      [{ status: 413, body: { reason: 'PayloadTooLarge' } }, 'refused'],
      [{ status: 403, body: { reason: 'InvalidProviderToken' } }, 'transient'],
      [{ status: 429, body: { reason: 'TooManyRequests' } }, 'transient'],
      [{ status: 500, body: { reason: 'InternalServerError' } }, 'transient'],
      [{ status: 503, body: { reason: 'Shutdown' } }, 'transient'],
      ['untouched', 'transient'],
      ['cut', 'unknown'],
    ]
    for (const [reaction, outcome] of table) {
      server.reactions.push(reaction)
      expect([reaction, await harness.send('ios')]).toEqual([reaction, outcome])
    }
    expect(server.pushed).toHaveLength(table.length)
    expect(await harness.send('ios')).toBe('sent')
  })

  it('reports an unknown outcome when it is aborted', async () => {
    await using server = await createIosServer()
    await using harness = pushFor({ ios: server.options })
    server.reactions.push('silent')
    const stop = new AbortController()
    const sending = harness.send('ios', stop.signal)
    await expect.poll(() => server.pushed.length).toBe(1)
    stop.abort()
    expect(await sending).toBe('unknown')
    expect(await harness.send('ios')).toBe('sent')
  })

  it('is retried later when the service is unreachable or its certificate is untrusted', async () => {
    await using server = await createIosServer()
    await using away = pushFor({ ios: { ...server.options, baseUrl: 'https://127.0.0.1:9' } })
    expect(await away.send('ios')).toBe('transient')
    await expect(away.push.check('ios')).rejects.toThrow(
      'The push service of iOS cannot be reached: ECONNREFUSED',
    )
    const { ca: _ca, ...strange } = server.options
    await using untrusted = pushFor({ ios: strange })
    expect(await untrusted.send('ios')).toBe('transient')
    expect(server.pushed).toEqual([])
    await using good = pushFor({ ios: server.options })
    expect(await good.push.check('ios')).toContain('com.example.desk')
  })

  it('rejects a key of another kind, and quotes nothing of it', () => {
    const options = { keyId: 'k', teamId: 't', topic: 'x' }
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const rsa = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    for (const key of ['', 'secret', rsa])
      expect(() => pushFor({ ios: { ...options, key } })).toThrow(
        /^push\.ios\.key: must be an EC private key on P-256 in PEM$/,
      )
    const { privateKey: ec } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const line = (ec.export({ type: 'pkcs8', format: 'pem' }) as string).replaceAll('\n', '\\n')
    expect(() => pushFor({ ios: { ...options, key: line } })).not.toThrow()
  })
})

describe('a platform without a sender', () => {
  it('is skipped', async () => {
    await using harness = pushFor({})
    expect(harness.push.platforms).toEqual([])
    expect(await harness.send('ios')).toBe('refused')
  })
})
