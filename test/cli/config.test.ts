import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { cli, startCli, temporaryFolder } from './process.ts'
import { show } from './shown-config.ts'

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
