import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { connectChannel } from '../../kit/consents.ts'
import { createOAuthServer } from '../../kit/oauth-server.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { refusal } from '../refusal.ts'

const hosts = { allowHosts: ['127.0.0.1'] }

describe('dashboard.channels.disconnect', () => {
  it('deletes the tokens, revokes them at the provider, and writes an audit record', async () => {
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, channels: provider.channels })
    const { admin, adminToken, tenantId, adminId } = await app.team()
    await connectChannel(app, provider, adminToken)
    const { data } = await admin.call('dashboard', 'GET /channels')
    const params = { channelId: data[0]?.id ?? '' }
    await admin.call('dashboard', 'DELETE /channels/:channelId', { params })
    const rows = await app.db.sql.all('select status, tokens_sealed from channel_connections')
    expect(rows).toEqual([{ status: 'disconnected', tokens_sealed: null }])
    await app.until(async () => provider.revoked.length === 2, 'both tokens are given back')
    expect(provider.revoked.toSorted()).toEqual(provider.issued.toSorted())
    expect((await admin.call('dashboard', 'GET /channels')).data).toMatchObject([{ status: 'disconnected' }])
    const record = `select tenant_id, actor_id, resource_id from audit_records where action = 'channel.disconnect'`
    expect(await app.db.sql.all(record)).toEqual([
      { tenant_id: tenantId, actor_id: adminId, resource_id: params.channelId },
    ])
    const events = `select subject from event where type = 'channel_disconnected' and tenant_id = ?`
    expect(await app.db.sql.all(events, [tenantId])).toEqual([{ subject: params.channelId }])

    // Again, and it stays as it is.
    await admin.call('dashboard', 'DELETE /channels/:channelId', { params })
    expect(await app.db.sql.all(events, [tenantId])).toHaveLength(1)

    // Connected again, it is the same channel.
    await connectChannel(app, provider, adminToken)
    const after = await admin.call('dashboard', 'GET /channels')
    expect(after.data).toMatchObject([{ id: params.channelId, status: 'connected' }])
  })

  it('retries a provider that fails or does not respond', async () => {
    const clock = createTestClock()
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, clock, channels: provider.channels })
    const { admin, adminToken } = await app.team()
    await connectChannel(app, provider, adminToken)
    const { data } = await admin.call('dashboard', 'GET /channels')
    const attempts = async () =>
      Number(
        (await app.db.sql.get<{ n: number }>(`select attempt as n from job where kind = 'channel.revoke'`))
          ?.n,
      )
    provider.mood = 'fails'
    await admin.call('dashboard', 'DELETE /channels/:channelId', { params: { channelId: data[0]?.id ?? '' } })
    await app.until(async () => (await attempts()) >= 1, 'it is tried')
    provider.mood = 'hangs'
    await app.until(async () => {
      clock.advance(5_000)
      return (await attempts()) >= 3
    }, 'it is tried again, and no answer is waited for without end')
    expect(provider.revoked).toEqual([])
    provider.mood = 'well'
    await app.until(async () => {
      clock.advance(5_000)
      return provider.revoked.length === 2
    }, 'it is given back')
  })

  it('revokes the tokens of a renewal that was under way, too, and refuses what has waited for it', async () => {
    const clock = createTestClock()
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, clock, channels: provider.channels })
    const { admin, adminToken } = await app.team()
    await connectChannel(app, provider, adminToken)
    const { data } = await admin.call('dashboard', 'GET /channels')
    const channelId = data[0]?.id ?? ''
    await app.db.write((tx) => tx.run('update channel_connections set expires_at = ?', [clock.date()]))
    provider.pause = Promise.withResolvers()
    const { exchanges } = provider
    const query = { channel: 'search_ads' as const, connectedChannelId: channelId }
    const asked = refusal(admin.call('tenant', 'GET /campaigns/import', { query }))
    await app.until(async () => provider.exchanges > exchanges, 'the tokens are being renewed')
    await admin.call('dashboard', 'DELETE /channels/:channelId', { params: { channelId } })
    provider.pause.resolve()
    expect(await asked).toMatchObject({ status: 422, code: 'UNPROCESSABLE' })
    const last = provider.issued.slice(-2)
    await app.until(
      async () => last.every((token) => provider.revoked.includes(token)),
      'they are given back',
    )
    const rows = await app.db.sql.all('select status, tokens_sealed from channel_connections')
    expect(rows).toEqual([{ status: 'disconnected', tokens_sealed: null }])
  })

  it('requires an admin, and returns 404 for a channel of another tenant', async () => {
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ ...hosts, channels: provider.channels })
    const [ours, theirs] = [await app.team(), await app.team()]
    await connectChannel(app, provider, ours.adminToken)
    const { data } = await ours.admin.call('dashboard', 'GET /channels')
    const params = { channelId: data[0]?.id ?? '' }
    const before = await fingerprint(app.db)
    const remove = (who: typeof ours.admin) =>
      who.call('dashboard', 'DELETE /channels/:channelId', { params })
    await expect(remove(ours.member)).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' })
    await expect(remove(theirs.admin)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  })
})
