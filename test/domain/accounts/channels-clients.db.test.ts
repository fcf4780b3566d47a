import { describe, expect, it } from 'vitest'
import { createChannels } from '../../../packages/core/src/domain/accounts/channels/clients.ts'
import type { ChannelType } from '../../../packages/core/src/domain/accounts/channels/entities.ts'
import { vendors } from '../../../packages/core/src/domain/accounts/channels/vendors.ts'
import { createTestApp } from '../../kit/app.ts'
import { beginConnect, comeBack } from '../../kit/consents.ts'
import { createOAuthServer, redirectUrl } from '../../kit/oauth-server.ts'

const client = { clientId: 'the-client', clientSecret: 'the-secret' }
const channelTypes = Object.keys(vendors) as ChannelType[]
const all = Object.fromEntries(channelTypes.map((type) => [type, client]))

describe('createChannels', () => {
  it('knows the provider of every type, so that an operator only configures a client', async () => {
    await using app = await createTestApp({ channels: { redirectUrls: [redirectUrl], ...all } })
    const { admin } = await app.team()
    const asked = new Map<ChannelType, URL>()
    for (const platform of channelTypes) {
      const { authUrl } = await admin.call('dashboard', 'POST /channels/:platform/connect', {
        params: { platform },
        body: { redirectUrl },
      })
      asked.set(platform, new URL(authUrl))
    }
    for (const [platform, { protocol, searchParams }] of asked) {
      expect(protocol, platform).toBe('https:')
      expect(searchParams.get('client_id'), platform).toBe('the-client')
      expect(searchParams.get('redirect_uri'), platform).toMatch(new RegExp(`/callback/${platform}$`))
    }
    // One that calls the client by another name, and parts scopes in another way.
    expect(Object.fromEntries(asked.get('short_video_network')?.searchParams ?? [])).toMatchObject({
      client_key: 'the-client',
      scope: 'user.info.basic,video.publish,video.list',
    })
    // One that refuses a proof key.
    expect(asked.get('professional_network')?.searchParams.has('code_challenge')).toBe(false)
    expect(asked.get('search_console')?.searchParams.get('code_challenge_method')).toBe('S256')
  })

  it('never sends the tokens of a self-hosted server to an address of the vendor', () => {
    const own = createChannels({ search_ads: { ...client, tokenUrl: 'https://own.example/token' } })
    expect(own.client('search_ads')).not.toHaveProperty('revokeUrl')
    expect(own.client('search_ads')).not.toHaveProperty('account')
    expect(createChannels({ search_ads: client }).client('search_ads')).toHaveProperty('revokeUrl')
  })

  it('rejects invalid URLs', () => {
    expect(() => createChannels({ redirectUrls: ['here'] })).toThrow('redirectUrls: "here" is no URL')
    expect(() => createChannels({ cms_site: { ...client, tokenUrl: 'there' } })).toThrow(
      'channels.cms_site: "there" is no URL',
    )
  })
})

describe('the expiry of a connection', () => {
  it('is that of its access token when there is no refresh token', async () => {
    await using provider = await createOAuthServer()
    provider.renewable = false
    await using app = await createTestApp({ allowHosts: ['127.0.0.1'], channels: provider.channels })
    const { admin, adminToken } = await app.team()
    const status = async () => (await admin.call('dashboard', 'GET /channels')).data[0]?.status
    const connect = async () =>
      comeBack(app, await provider.consent((await beginConnect(app, adminToken)).authUrl))
    await connect()
    expect(await status()).toBe('connected')
    await app.db.write((tx) => tx.run('update channel_connections set expires_at = ?', [new Date()]))
    expect(await status()).toBe('expired')
    provider.expiresIn = undefined
    await connect()
    expect(await status()).toBe('connected')
  })
})
