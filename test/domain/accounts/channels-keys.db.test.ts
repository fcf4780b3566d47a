import { describe, expect, it } from 'vitest'
import { createTestApp, encryptionKeys, signingKeys } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { beginConnect, comeBack, connectChannel } from '../../kit/consents.ts'
import { createOAuthServer } from '../../kit/oauth-server.ts'

const newer = { id: 'k2', key: Buffer.alloc(32, 8).toString('base64') }

describe('reencrypt', () => {
  it('re-encrypts the tokens of channels, connection attempts and pending revocations with the current key', async () => {
    const clock = createTestClock()
    await using provider = await createOAuthServer()
    await using app = await createTestApp({ allowHosts: ['127.0.0.1'], clock, channels: provider.channels })
    const { admin, adminToken } = await app.team()
    const { keys } = app.copydesk
    const disconnect = async (type: string) => {
      const { data } = await admin.call('dashboard', 'GET /channels')
      const channelId = data.find((channel) => channel.type === type)?.id ?? ''
      await admin.call('dashboard', 'DELETE /channels/:channelId', { params: { channelId } })
    }
    await connectChannel(app, provider, adminToken, 'cms_site')
    provider.mood = 'fails'
    await disconnect('cms_site')
    const tried = `select id from job where kind = 'channel.revoke' and attempt > 0 and status = 'waiting'`
    await app.until(async () => (await app.db.sql.get(tried)) !== undefined, 'it waits for another try')
    provider.mood = 'well'
    await connectChannel(app, provider, adminToken)
    const { authUrl } = await beginConnect(app, adminToken, 'cms_site')
    const [proof, channel, attempt, job] = [1, 1, 1, 1]
    expect(await keys.inUse()).toEqual({ k1: proof + channel + attempt + job })

    keys.replace({ encryptionKeys: [newer, ...encryptionKeys], signingKeys })
    await keys.reencrypt()
    keys.replace({ encryptionKeys: [newer], signingKeys })

    const { location } = await comeBack(app, await provider.consent(authUrl))
    expect(location?.searchParams.get('status')).toBe('connected')
    await disconnect('search_ads')
    await app.until(async () => {
      clock.advance(5_000)
      return provider.revoked.length === 4
    }, 'the tokens of both are given back')
    expect(provider.revoked.toSorted()).toEqual(provider.issued.slice(0, 4).toSorted())
  })
})
