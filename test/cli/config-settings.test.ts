import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli, temporaryFolder } from './process.ts'
import { show } from './shown-config.ts'

const key = Buffer.alloc(32, 7).toString('base64')
const secret = 'a-signing-secret-of-more-than-32-characters'

describe('configuration', () => {
  it('limits e-mails to people without an account, by the file or the environment', async () => {
    using folder = temporaryFolder()
    const usual = await show(folder.path)
    expect(usual.of('mail.limits.perTenant')).toMatchObject({ value: 50, source: 'default' })
    expect(usual.of('mail.limits.total')).toMatchObject({ value: 500, source: 'default' })
    const file = join(folder.path, 'copydesk.json')
    writeFileSync(file, JSON.stringify({ mail: { limits: { perTenant: 5 } } }))
    const env = { COPYDESK_CONFIG: file, COPYDESK_MAIL_LIMITS_TOTAL: '0' }
    const { of } = await show(folder.path, env)
    expect(of('mail.limits.perTenant')).toMatchObject({ value: 5, source: `file ${file}` })
    expect(of('mail.limits.total')).toMatchObject({
      value: 0,
      source: 'environment variable COPYDESK_MAIL_LIMITS_TOTAL',
    })
    const wrong = await cli(['config', 'show'], {
      cwd: folder.path,
      env: { COPYDESK_MAIL_LIMITS_PER_TENANT: '-1' },
    })
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toContain('mail.limits.perTenant: must not be negative')
  })

  it('accepts trusted proxies as a list, or with their mode, from the file and the environment', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'copydesk.json')
    const env = { COPYDESK_CONFIG: file }
    const write = (trustProxy: unknown) => writeFileSync(file, JSON.stringify({ trustProxy }))
    write(['10.0.0.0/8'])
    const form = { COPYDESK_TRUST_PROXY_FORWARDED_FOR: 'append' }
    const both = await show(folder.path, { ...env, ...form })
    expect(both.of('trustProxy.addresses')).toMatchObject({ value: ['10.0.0.0/8'], source: `file ${file}` })
    expect(both.of('trustProxy.forwardedFor')).toMatchObject({ value: 'append' })
    write({ addresses: ['10.0.0.0/8'], forwardedFor: 'append' })
    const replaced = await show(folder.path, { ...env, COPYDESK_TRUST_PROXY: '192.0.2.1' })
    expect(replaced.of('trustProxy.addresses')).toMatchObject({ value: ['192.0.2.1'] })
    expect(replaced.of('trustProxy.forwardedFor')).toMatchObject({ value: 'append' })
    write({ addresses: ['10.0.0.0/8'], forwardedFor: 'add' })
    const { code, stderr } = await cli(['config', 'show'], { cwd: folder.path, env })
    expect(code).toBe(2)
    expect(stderr).toContain('trustProxy.forwardedFor: must be one of set, append')
  })

  it('reads command-line agents from the file, shows their names, and reports invalid ones', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'copydesk.json')
    const write = (commands: object) => writeFileSync(file, JSON.stringify({ commands }))
    const lines = [{ when: { 'item.type': 'message' }, text: 'item.text' }]
    write({ writer: { argv: ['writer', '{{model}}'], env: { KEY: 'secret' }, output: 'json-lines', lines } })
    const { of } = await show(folder.path, { COPYDESK_CONFIG: file })
    expect(of('commands')).toMatchObject({ value: ['writer'], source: `file ${file}` })
    write({ writer: { argv: [], shell: true } })
    const { stderr, code } = await cli(['config', 'show'], {
      cwd: folder.path,
      env: { COPYDESK_CONFIG: file },
    })
    expect(code).toBe(2)
    expect(stderr).toContain('commands.writer.argv: must name a program')
    expect(stderr).toContain('commands.writer.shell: unknown setting')
  })

  it('reads secrets from files that the environment names, and shows none', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'keys')
    writeFileSync(file, `new:${key}\nold:${Buffer.alloc(32, 8).toString('base64')}\n`)
    const env = {
      COPYDESK_ENCRYPTION_KEYS_FILE: file,
      COPYDESK_SIGNING_KEYS: secret,
      COPYDESK_DATABASE_URL: 'postgres://copydesk:p@ss/w:ord@db/copydesk',
      ANTHROPIC_API_KEY: 'sk-ant-secret',
      COPYDESK_CUSTOM_BASE_URL: 'https://models.example.com/v1',
      COPYDESK_CUSTOM_API_KEY: 'custom-secret',
      COPYDESK_CUSTOM_MODELS: 'one, two',
    }
    const { of, settings } = await show(folder.path, env)
    expect(of('encryptionKeys')).toMatchObject({
      value: [{ id: 'new' }, { id: 'old' }],
      source: `file ${file} (COPYDESK_ENCRYPTION_KEYS_FILE)`,
    })
    expect(of('signingKeys')).toMatchObject({ value: [{ id: 'main' }] })
    expect(of('database.url')).toMatchObject({ value: 'postgres://copydesk:***@db/copydesk' })
    expect(of('providers.hosted_a.apiKey')).toMatchObject({
      value: '***',
      source: 'environment variable ANTHROPIC_API_KEY',
    })
    expect(of('providers.custom.models')).toMatchObject({ value: ['one', 'two'] })
    const text = (await cli(['config', 'show'], { cwd: folder.path, env })).stdout + JSON.stringify(settings)
    for (const hidden of [key, secret, 'sk-ant-secret', 'custom-secret', 'ss/w', 'ord@']) {
      expect(text).not.toContain(hidden)
    }
  })

  it('reads Redis from the environment or a file, and shows its address without the password', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'redis-url')
    writeFileSync(file, 'rediss://copydesk:p@ss-word@cache.internal:6380/2\n')
    const env = { COPYDESK_REDIS_URL_FILE: file, COPYDESK_REDIS_PREFIX: 'desk-1:' }
    const { of } = await show(folder.path, env)
    expect(of('redis.url')).toMatchObject({
      value: 'rediss://copydesk:***@cache.internal:6380/2',
      source: `file ${file} (COPYDESK_REDIS_URL_FILE)`,
    })
    expect(of('redis.prefix')).toMatchObject({ value: 'desk-1:' })
    const alone = await show(folder.path, { COPYDESK_REDIS_URL: 'redis://:secret@127.0.0.1' })
    expect(alone.of('redis.url')).toMatchObject({ value: 'redis://:***@127.0.0.1' })
    expect(alone.of('redis.prefix')).toMatchObject({ value: 'copydesk:', source: 'default' })
    expect((await show(folder.path)).of('redis.url')).toMatchObject({ source: 'not set' })
  })

  it('reads OAuth clients from the environment or a file, and shows those that are set', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'secret')
    writeFileSync(file, 'client-secret\n')
    const env = {
      COPYDESK_CHANNELS_REDIRECT_URLS: 'https://app.example.com/channels, copydesk://channels',
      COPYDESK_CHANNELS_SEARCH_ADS_CLIENT_ID: 'the-client',
      COPYDESK_CHANNELS_SEARCH_ADS_CLIENT_SECRET_FILE: file,
    }
    const { settings, of } = await show(folder.path, env)
    expect(of('channels.redirectUrls')).toMatchObject({
      value: ['https://app.example.com/channels', 'copydesk://channels'],
    })
    expect(of('channels.search_ads.clientSecret')).toMatchObject({
      value: '***',
      source: `file ${file} (COPYDESK_CHANNELS_SEARCH_ADS_CLIENT_SECRET_FILE)`,
    })
    expect(settings.filter(({ name }) => name.startsWith('channels.')).map(({ name }) => name)).toEqual([
      'channels.redirectUrls',
      'channels.search_ads.clientId',
      'channels.search_ads.clientSecret',
    ])
  })
})
