import { describe, expect, it } from 'vitest'
import type { Logger } from '../../../packages/core/src/platform/log.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { beginConnect, comeBack, connectChannel, meeting } from '../../kit/consents.ts'
import { clientSecret, createOAuthServer, redirectUrl } from '../../kit/oauth-server.ts'
import { changedTables, everything, fingerprint } from '../../kit/rows.ts'

const hosts = { allowHosts: ['127.0.0.1'] }
const worthless = { status: 400, location: undefined, error: { code: 'VALIDATION_ERROR', field: 'state' } }

const channels = (app: TestApp) => app.db.sql.all('select * from channel_connections')

/** Counts requests and codes; no row of the work. */
const unchanged = async (app: TestApp, before: string) =>
  expect(changedTables(before, await fingerprint(app.db))).toEqual([])

/** Keeps every line as it was before secrets are cut out of it. */
function listening(): { lines: string[]; log: Logger } {
  const lines: string[] = []
  const line = (message: string, fields: unknown) =>
    void lines.push(
      `${message} ${JSON.stringify(fields, (_, value) => (value instanceof Error ? `${value.stack} ${JSON.stringify(value)}` : value))}`,
    )
  const log: Logger = { debug: line, info: line, warn: line, error: line, child: () => log }
  return { lines, log }
}

describe('auth.oauth.callback', () => {
  it('encrypts the tokens, redirects the user, and writes an audit record', async () => {
    const { lines, log } = listening()
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, log, channels: provider.channels })
    const { adminToken, tenantId, adminId } = await app.team()
    const { status, location, state, callback } = await connectChannel(app, provider, adminToken)
    expect(status).toBe(302)
    const target = new URL(redirectUrl)
    target.searchParams.set('state', state)
    target.searchParams.set('status', 'connected')
    expect(location?.href).toBe(target.href)

    const [channel] = await app.db.sql.all<{ id: string }>('select id from channel_connections')
    const record = `select tenant_id, actor_id, resource_type, resource_id, method, path, status from audit_records where action = 'channel.connected'`
    expect(await app.db.sql.all(record)).toEqual([
      {
        tenant_id: tenantId,
        actor_id: adminId,
        resource_type: 'channel',
        resource_id: channel?.id,
        method: 'GET',
        path: '/auth/v1/oauth/callback/search_ads',
        status: 302,
      },
    ])
    const events = `select subject from event where type = 'channel_connected' and tenant_id = ?`
    expect(await app.db.sql.all(events, [tenantId])).toEqual([{ subject: channel?.id }])

    const code = callback.searchParams.get('code') ?? ''
    const rows = await everything(app.db)
    expect(provider.issued).toHaveLength(2)
    for (const secret of [...provider.issued, code, state, clientSecret]) {
      expect(rows).not.toContain(secret)
      expect(lines.filter((one) => one.includes(secret))).toEqual([])
    }
  })

  it('accepts a state once', async () => {
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, channels: provider.channels })
    const { callback } = await connectChannel(app, provider, (await app.team()).adminToken)
    const before = await fingerprint(app.db)
    expect(await comeBack(app, callback)).toMatchObject(worthless)
    await unchanged(app, before)
    expect(provider.exchanges).toBe(1)
  })

  it('accepts one of two concurrent callbacks', async () => {
    await using provider = await createOAuthServer({ reusable: true })
    await using app = await createTestApp({ ...hosts, channels: provider.channels })
    const { authUrl } = await beginConnect(app, (await app.team()).adminToken)
    const callback = await provider.consent(authUrl)
    const ends = await meeting(app, 'update connect_attempts set platform = platform', () =>
      Array.from({ length: 3 }, () => comeBack(app, callback)),
    )
    expect(ends.filter(({ status }) => status === 302)).toHaveLength(1)
    for (const end of ends.filter(({ status }) => status !== 302)) expect(end).toMatchObject(worthless)
    expect(provider.exchanges).toBe(1)
    expect(await channels(app)).toHaveLength(1)
  })

  it('accepts a state at its own platform only, and rejects unknown platforms', async () => {
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, channels: provider.channels })
    const { authUrl } = await beginConnect(app, (await app.team()).adminToken)
    const callback = await provider.consent(authUrl)
    const before = await fingerprint(app.db)
    const at = (platform: string) =>
      comeBack(app, new URL(callback.href.replace('/search_ads', `/${platform}`)))
    expect(await at('cms_site')).toMatchObject(worthless)
    expect(await at('carrier_pigeon')).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } })
    await unchanged(app, before)
    expect((await at('search_ads')).location?.searchParams.get('status')).toBe('connected')
  })

  it('rejects an unknown, missing or duplicate state, and a callback without a result', async () => {
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, channels: provider.channels })
    const { state } = await beginConnect(app, (await app.team()).adminToken)
    const before = await fingerprint(app.db)
    const ask = (query: string) =>
      comeBack(app, new URL(`http://x/auth/v1/oauth/callback/search_ads?${query}`))
    for (const query of [
      'code=c&state=unknown',
      'code=c',
      'code=c&state=',
      `code=c&state=${state}&state=${state}`,
    ])
      expect(await ask(query), query).toMatchObject(worthless)
    expect(await ask(`state=${state}`)).toMatchObject({ ...worthless, error: { field: 'code' } })
    await unchanged(app, before)
  })

  it('accepts a state for ten minutes, then deletes it', async () => {
    const clock = createTestClock()
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, clock, channels: provider.channels })
    const { adminToken } = await app.team()
    const late = await provider.consent((await beginConnect(app, adminToken)).authUrl)
    clock.advance(1)
    const inTime = await provider.consent((await beginConnect(app, adminToken)).authUrl)
    clock.advance(600_000 - 1)
    const before = await fingerprint(app.db)
    expect(await comeBack(app, late)).toMatchObject(worthless)
    await unchanged(app, before)
    expect((await comeBack(app, inTime)).location?.searchParams.get('status')).toBe('connected')
    const attempts = () => app.db.sql.all('select id from connect_attempts')
    expect(await attempts()).toHaveLength(1)
    clock.advance(3_600_000)
    await app.until(async () => (await attempts()).length === 0, 'what has expired is cleared away')
  })

  it('redirects a user who declined, and stores nothing', async () => {
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, channels: provider.channels })
    const { state } = await beginConnect(app, (await app.team()).adminToken)
    const path = `http://x/auth/v1/oauth/callback/search_ads?error=access_denied&error_description=No&state=${state}`
    const { status, location } = await comeBack(app, new URL(path))
    expect(status).toBe(302)
    expect(location?.searchParams.get('status')).toBe('error')
    expect(location?.searchParams.get('state')).toBe(state)
    expect(await channels(app)).toEqual([])
    expect(await comeBack(app, new URL(path))).toMatchObject(worthless)
    expect(provider.exchanges).toBe(0)
  })

  it.each(['fails', 'babbles', 'hangs'] as const)(
    'redirects with an error when the provider %s, logs the reason, and keeps the existing channel',
    async (mood) => {
      const clock = createTestClock()
      const { lines, log } = listening()
      await using provider = await createOAuthServer()
      await using app = await createTestApp({ ...hosts, clock, log, channels: provider.channels })
      const { adminToken } = await app.team()
      await connectChannel(app, provider, adminToken)
      const before = await channels(app)
      provider.mood = mood
      const { authUrl, state } = await beginConnect(app, adminToken)
      const callback = await provider.consent(authUrl)
      const going = comeBack(app, callback)
      if (mood === 'hangs') {
        await app.until(async () => provider.exchanges === 2, 'the provider is asked')
        clock.advance(15_000)
      }
      const { status, location } = await going
      expect(status).toBe(302)
      expect(location?.searchParams.get('status')).toBe('error')
      expect(await channels(app)).toEqual(before)
      expect(lines.filter((line) => line.startsWith('a channel could not be connected'))).toHaveLength(1)
      for (const secret of [state, callback.searchParams.get('code') ?? '', ...provider.issued])
        expect(lines.filter((line) => line.includes(secret))).toEqual([])
    },
  )

  it('connects a channel when the name of its account cannot be read', async () => {
    await using provider = await createOAuthServer()
    const { redirectUrls = [], search_ads: client } = provider.channels
    const nameless = { redirectUrls, search_ads: { ...client!, accountUrl: `${client?.tokenUrl}/nothing` } }
    await using app = await createTestApp({ ...hosts, channels: nameless })
    const { admin, adminToken } = await app.team()
    await connectChannel(app, provider, adminToken)
    const { data } = await admin.call('dashboard', 'GET /channels')
    expect(data).toMatchObject([{ status: 'connected' }])
    expect(data[0]).not.toHaveProperty('accountName')
  })

  it('sends the PKCE verifier: the provider rejects the code of another attempt', async () => {
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, channels: provider.channels })
    const { adminToken } = await app.team()
    const mine = await provider.consent((await beginConnect(app, adminToken)).authUrl)
    const stolen = await provider.consent((await beginConnect(app, adminToken)).authUrl)
    mine.searchParams.set('code', stolen.searchParams.get('code') ?? '')
    expect((await comeBack(app, mine)).location?.searchParams.get('status')).toBe('error')
    expect(await channels(app)).toEqual([])
  })

  it('rejects the callback when the tenant or user has been suspended meanwhile', async () => {
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, channels: provider.channels })
    const { tenants, users } = app.copydesk.asSystem()
    const { adminToken, tenantId, adminId } = await app.team()
    const callback = await provider.consent((await beginConnect(app, adminToken)).authUrl)
    const refused = { status: 403, location: undefined, error: { code: 'FORBIDDEN' } }

    await tenants.suspend(tenantId, 'unpaid')
    let before = await fingerprint(app.db)
    expect(await comeBack(app, callback)).toMatchObject(refused)
    await unchanged(app, before)
    await tenants.reinstate(tenantId)

    await users.suspend(adminId, 'left')
    before = await fingerprint(app.db)
    expect(await comeBack(app, callback)).toMatchObject(refused)
    await unchanged(app, before)
    await users.reinstate(adminId)

    expect(provider.exchanges).toBe(0)
    expect((await comeBack(app, callback)).location?.searchParams.get('status')).toBe('connected')
  })

  it('stores nothing when the tenant is suspended while the provider is called', async () => {
    const clock = createTestClock()
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, clock, channels: provider.channels })
    const { adminToken, tenantId } = await app.team()
    const callback = await provider.consent((await beginConnect(app, adminToken)).authUrl)
    provider.pause = Promise.withResolvers()
    const going = comeBack(app, callback)
    await app.until(async () => provider.exchanges === 1, 'the provider is asked')
    await app.copydesk.asSystem().tenants.suspend(tenantId, 'unpaid')
    provider.pause.resolve()
    expect(await going).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } })
    expect(await channels(app)).toEqual([])
  })
})
