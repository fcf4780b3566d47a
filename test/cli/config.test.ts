import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { cli, startCli, temporaryFolder } from './process.ts'

const key = Buffer.alloc(32, 7).toString('base64')
const secret = 'a-signing-secret-of-more-than-32-characters'

interface Shown {
  file: string | null
  settings: Array<{ name: string; value: unknown; source: string }>
  warnings: string[]
}

async function show(cwd: string, env: Record<string, string> = {}, args: string[] = []) {
  const ended = await cli(['config', 'show', '--json', ...args], { cwd, env })
  expect(ended.stderr.replaceAll(/^warning: .*\n/gm, '')).toBe('')
  const shown = JSON.parse(ended.stdout) as Shown
  return { ...shown, of: (name: string) => shown.settings.find((one) => one.name === name) }
}

describe('configuration', () => {
  it('prefers the command line to the environment, and the environment to the file', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'my.json')
    writeFileSync(file, JSON.stringify({ dataDir: 'd', host: '10.0.0.1', port: 1, log: { level: 'warn' } }))
    const { of } = await show(folder.path, { COPYDESK_CONFIG: file, COPYDESK_PORT: '2' }, ['--data-dir', 'e'])
    expect(of('dataDir')).toMatchObject({ value: join(folder.path, 'e'), source: 'option --data-dir' })
    expect(of('port')).toMatchObject({ value: 2, source: 'environment variable COPYDESK_PORT' })
    expect(of('host')).toMatchObject({ value: '10.0.0.1', source: `file ${file}` })
    expect(of('log.level')).toMatchObject({ value: 'warn', source: `file ${file}` })
    expect(of('environment')).toMatchObject({ value: 'production', source: 'default' })
    expect(of('defaultModel')).toMatchObject({ source: 'not set' })
  })

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

  it('finds copydesk.json in the data folder, and resolves paths in a file relative to it', async () => {
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, 'copydesk-data'))
    writeFileSync(join(folder.path, 'copydesk-data', 'copydesk.json'), '{"port": 9100}')
    const found = await show(folder.path)
    expect(found.file).toBe(join(folder.path, 'copydesk-data', 'copydesk.json'))
    expect(found.of('port')).toMatchObject({ value: 9100 })
    mkdirSync(join(folder.path, 'etc'))
    writeFileSync(join(folder.path, 'etc', 'c.json'), '{"dataDir": "../var"}')
    const named = await show(folder.path, {}, ['--config', 'etc/c.json'])
    expect(named.of('dataDir')).toMatchObject({ value: join(folder.path, 'var') })
    expect(named.of('database.url')).toMatchObject({
      value: `sqlite:${join(folder.path, 'var', 'copydesk.db')}`,
    })
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

  it('warns about an unknown COPYDESK_ variable', async () => {
    using folder = temporaryFolder()
    const { warnings } = await show(folder.path, { COPYDESK_PROT: '1' })
    expect(warnings).toEqual(['The environment variable COPYDESK_PROT is unknown to Copydesk.'])
  })

  it.each([
    [{ COPYDESK_PORT: 'abc' }, 'port: must be a', 'environment variable COPYDESK_PORT'],
    [{ COPYDESK_PORT: '70000' }, 'port: must be 65535 or less', 'environment variable COPYDESK_PORT'],
    [{ COPYDESK_LOG_LEVEL: 'loud' }, 'log.level: must be one of debug, info', 'COPYDESK_LOG_LEVEL'],
    [
      { COPYDESK_DATABASE_URL: 'mysql://x' },
      'database.url: must start with sqlite: or',
      'COPYDESK_DATABASE_URL',
    ],
    [{ COPYDESK_BASE_URL: 'desk.example.com' }, 'baseUrl: must be a URL', 'COPYDESK_BASE_URL'],
    [
      { COPYDESK_ENCRYPTION_KEYS: 'k1:c2hvcnQ=' },
      'encryptionKeys.0.key: must be 32 bytes',
      'ENCRYPTION_KEYS',
    ],
    [{ COPYDESK_SIGNING_KEYS: 'short' }, 'signingKeys.0.secret: must have 32', 'COPYDESK_SIGNING_KEYS'],
    [{ COPYDESK_LOCAL_BASE_URL: 'http://localhost:11434/v1' }, 'providers.local.models: is missing', ''],
    [
      { COPYDESK_REDIS_URL: 'localhost:6379' },
      'redis.url: must start with redis:// or',
      'COPYDESK_REDIS_URL',
    ],
    [{ COPYDESK_CORS_ORIGINS: '*' }, 'corsOrigins.0: must be an origin', 'COPYDESK_CORS_ORIGINS'],
    [{ COPYDESK_REDIS_PREFIX: 'desk' }, 'redis.url: is missing', ''],
    [{ COPYDESK_CHANNELS_REDIRECT_URLS: '/channels' }, 'channels.redirectUrls.0: must be a complete URL', ''],
    [{ COPYDESK_CHANNELS_REDIRECT_URLS: 'javascript:x' }, 'redirectUrls.0: cannot be used', ''],
    [{ COPYDESK_CHANNELS_CMS_SITE_CLIENT_ID: 'x' }, 'channels.cms_site.clientSecret: is missing', ''],
    [{ COPYDESK_SIGNING_KEYS_FILE: '/does/not/exist' }, '/does/not/exist', 'COPYDESK_SIGNING_KEYS_FILE'],
    [{ COPYDESK_CONFIG: '/does/not/exist.json' }, '/does/not/exist.json does not exist', ''],
  ])('rejects %j and names the field and its source', async (env, what, where) => {
    using folder = temporaryFolder()
    const ended = await cli(['config', 'show'], {
      cwd: folder.path,
      env: env as unknown as Record<string, string>,
    })
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toContain(what)
    expect(ended.stderr).toContain(where)
    expect(ended.stderr).not.toMatch(/^\s+at /m)
  })

  it('reports all errors of a file at once, unknown names too', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'c.json')
    writeFileSync(file, JSON.stringify({ prot: 1, log: { levle: 'info' }, port: 'x' }))
    const ended = await cli(['config', 'show', '--config', file], { cwd: folder.path })
    expect(ended.code).toBe(2)
    for (const line of ['prot: unknown setting', 'log.levle: unknown setting', 'port: must be']) {
      expect(ended.stderr).toContain(line)
    }
  })

  it('reports the position of a JSON syntax error, and quotes nothing of the file', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'c.json')
    writeFileSync(file, '{\n  "port": 1,\n  "secret-word" 2\n}')
    const ended = await cli(['config', 'show', '--config', file], { cwd: folder.path })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('is not valid JSON: line 3, column 17')
    expect(ended.stderr).not.toContain('secret-word')
  })
})

describe('config/copydesk.example.json', () => {
  const file = fileURLToPath(new URL('../../config/copydesk.example.json', import.meta.url))

  it('is a valid configuration', async () => {
    using folder = temporaryFolder()
    const { of } = await show(folder.path, {}, ['--config', file])
    expect(of('baseUrl')).toMatchObject({ value: 'https://copydesk.example.com', source: `file ${file}` })
    expect(of('database.url')).toMatchObject({ value: 'sqlite:/var/lib/copydesk/copydesk.db' })
  })

  it('starts a server unchanged', async () => {
    using folder = temporaryFolder()
    const options = ['--config', file, '--data-dir', join(folder.path, 'data'), '--port', '0']
    const running = await startCli(['up', ...options], { cwd: folder.path })
    await running.says('serves http')
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
  })

  it('is in the package, with the systemd unit that refers to it', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      files: string[]
    }
    expect(manifest.files).toEqual(
      expect.arrayContaining(['config/copydesk.example.json', 'config/copydesk.service']),
    )
    const unit = readFileSync(new URL('../../config/copydesk.service', import.meta.url), 'utf8')
    expect(unit).toContain('$(npm root --global)/copydesk/config')
  })
})
