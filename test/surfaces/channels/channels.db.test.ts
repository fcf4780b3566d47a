import { ApiError } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { lookAtAddress } from '../../../packages/core/src/composition/doctor-address.ts'
import { parts } from '../../domain/agents.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { startBucket } from '../../kit/bucket-server.ts'
import { createTestClock } from '../../kit/clock.ts'
import { beginConnect, comeBack, connectChannel, meeting } from '../../kit/consents.ts'
import { createOAuthServer, redirectUrl } from '../../kit/oauth-server.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'

const hosts = { allowHosts: ['127.0.0.1'] }

const list = async (client: Awaited<ReturnType<TestApp['team']>>['admin']) =>
  (await client.call('dashboard', 'GET /channels')).data

/** How a call is refused. */
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    (error: ApiError) => ({ status: error.status, code: error.code, field: error.field }),
  )

describe('dashboard.channels.connect, mobile.channels.connect', () => {
  it('redirects to the provider with a state, a PKCE challenge and our callback', async () => {
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, channels: provider.channels })
    const { adminToken } = await app.team()
    const { authUrl, state } = await beginConnect(app, adminToken)
    const onDevice = await app.clientFor(adminToken).call('mobile', 'POST /channels/:platform/connect', {
      params: { platform: 'search_ads' },
      body: { redirectUrl },
    })
    expect(new URL(onDevice.authUrl).origin).toBe(new URL(authUrl).origin)
    expect(onDevice.state).not.toBe(state)
    const asked = Object.fromEntries(new URL(authUrl).searchParams)
    expect(asked).toEqual({
      client_id: 'the-client',
      response_type: 'code',
      access_type: 'offline',
      prompt: 'consent',
      scope: 'ads reports',
      redirect_uri: 'http://127.0.0.1:1/auth/v1/oauth/callback/search_ads',
      state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(state.length).toBeGreaterThanOrEqual(43)
    const rows = JSON.stringify(await app.db.sql.all('select * from connect_attempts'))
    expect(rows).not.toContain(state)
    expect(new URL(authUrl).origin).toBe(new URL(provider.channels.search_ads?.tokenUrl ?? '').origin)
  })

  it('rejects a redirect URL that is not allowed, an unknown platform, and one without a client, and stores nothing', async () => {
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, channels: provider.channels })
    const { member } = await app.team()
    const before = await fingerprint(app.db)
    const connect = (platform: string, url = redirectUrl) =>
      refusal(
        member.call('dashboard', 'POST /channels/:platform/connect', {
          params: { platform: platform as 'search_ads' },
          body: { redirectUrl: url },
        }),
      )
    const notAllowed = { status: 400, code: 'VALIDATION_ERROR', field: 'redirectUrl' }
    for (const url of [
      'https://app.example.com/channels',
      'https://app.example.com/channels?tab=all#x',
      'https://app.example.com.evil.example/channels?tab=all',
      'https://app.example.com@evil.example/channels?tab=all',
      'http://app.example.com/channels?tab=all',
      '//app.example.com/channels?tab=all',
      'javascript:alert(1)',
      'channels',
    ])
      expect(await connect('search_ads', url), url).toEqual(notAllowed)
    const unknown = { status: 404, code: 'NOT_FOUND', field: undefined }
    expect(await connect('carrier_pigeon')).toEqual(unknown)
    expect(await connect('toString')).toEqual(unknown)
    expect(await connect('web_analytics')).toEqual({ status: 422, code: 'UNPROCESSABLE', field: undefined })
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  })
})

describe('doctor', () => {
  it('lists the platforms that can be connected, and requires a redirect URL', async () => {
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ channels: provider.channels })
    const look = async (instance = app.copydesk) =>
      (await instance.doctor()).find(({ name }) => name === 'channels')
    expect(await look()).toMatchObject({
      ok: true,
      message: expect.stringMatching(/^cms_site, search_ads can be connected; callbacks: \S+<type>$/),
    })
    const { redirectUrls: _, ...clients } = provider.channels
    expect(await look(await app.another({ channels: clients }))).toMatchObject({ ok: false })
    expect(await look(await app.another({ channels: {} }))).toBeUndefined()
  })

  it('names what cannot work without a public address, with a bucket and without one', async () => {
    await using bucket = await startBucket()
    await using app = await createTestApp({})
    const look = async (instance = app.copydesk) =>
      (await instance.doctor()).find(({ name }) => name === 'public address')
    const alone = await look()
    expect(alone).toMatchObject({
      ok: true,
      message: expect.stringContaining('pictures of the media library in mails'),
    })
    const fetching =
      'business_profile, email_platform_b, photo_network, short_video_network, social_network_a'
    expect(alone?.message).toContain(`channels of the types ${fetching};`)
    // Its addresses are those of this machine, as the server's own.
    const near = await look(await app.another({ storage: bucket.options }))
    expect(near?.message).toBe(alone?.message)
    const storage = { url: 's3://media?region=eu-test-1', accessKeyId: 'AKID', secretAccessKey: 'secret' }
    // Not by a whole look, which would write to that bucket.
    await using instance = await parts({ options: { ...app.options, storage } })
    const there = await lookAtAddress(instance.services)
    expect(there.message).toContain('channels of the types email_platform_b, short_video_network (')
    const open = await look(await app.another({ baseUrl: 'https://desk.example' }))
    expect(open?.message).toContain('https://desk.example is one')
  })
})

describe('dashboard.channels.list', () => {
  it('lists the tenant’s channels with time and user of the connection', async () => {
    const clock = createTestClock()
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, clock, channels: provider.channels })
    const ours = await app.team()
    const theirs = await app.team()
    const { location } = await connectChannel(app, provider, ours.adminToken)
    expect(location?.searchParams.get('status')).toBe('connected')
    const at = clock.date().toISOString()
    expect(await list(ours.member)).toEqual([
      {
        id: expect.stringMatching(/^[0-7][0-9A-Z]{25}$/),
        name: 'Search ads',
        type: 'search_ads',
        status: 'connected',
        accountName: 'ads@customer.example',
        healthScore: 100,
        lastCheckedAt: at,
        connectedAt: at,
        connectedBy: 'Ada Admin',
      },
    ])
    expect(await list(theirs.admin)).toEqual([])
  })

  it('keeps one channel of a type, however often it is connected', async () => {
    const clock = createTestClock()
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, clock, channels: provider.channels })
    const { admin, adminToken } = await app.team()
    await connectChannel(app, provider, adminToken)
    const [first] = await list(admin)
    clock.advance(60_000)
    provider.account = 'other@customer.example'
    await connectChannel(app, provider, adminToken)
    const [again, ...rest] = await list(admin)
    expect(rest).toEqual([])
    expect(again).toMatchObject({ id: first?.id, accountName: 'other@customer.example' })
    expect(again?.connectedAt).not.toBe(first?.connectedAt)
  })

  it('creates one channel for two concurrent connections', async () => {
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, channels: provider.channels })
    const { admin, adminToken } = await app.team()
    const attempts = await Promise.all(Array.from({ length: 4 }, () => beginConnect(app, adminToken)))
    const callbacks = await Promise.all(attempts.map(({ authUrl }) => provider.consent(authUrl)))
    provider.pause = Promise.withResolvers()
    const coming = callbacks.map((callback) => comeBack(app, callback))
    await app.until(async () => provider.exchanges === 4, 'the provider is asked for all')
    const ends = await meeting(app, 'update tenants set name = name', () => {
      provider.pause?.resolve()
      return coming
    })
    expect(ends.map(({ location }) => location?.searchParams.get('status'))).toEqual(
      Array.from({ length: 4 }, () => 'connected'),
    )
    expect(await list(admin)).toHaveLength(1)
  })

  it('connects a provider without PKCE support', async () => {
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, channels: provider.channels })
    const { admin, adminToken } = await app.team()
    const { authUrl } = await beginConnect(app, adminToken, 'cms_site')
    expect(authUrl).not.toContain('code_challenge')
    await comeBack(app, await provider.consent(authUrl))
    expect(await list(admin)).toMatchObject([{ type: 'cms_site', status: 'connected' }])
  })
})
