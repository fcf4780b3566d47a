import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli, temporaryFolder } from './process.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })).export({
  type: 'pkcs8',
  format: 'pem',
}) as string
const key = pem.split('\n')[1] ?? ''

describe('the configuration of push', () => {
  const ios = {
    COPYDESK_PUSH_IOS_KEY_ID: 'the-key',
    COPYDESK_PUSH_IOS_TEAM_ID: 'the-team',
    COPYDESK_PUSH_IOS_TOPIC: 'com.example.desk',
  }

  it('is read from the environment, its keys from files, which are not shown', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'key.p8')
    writeFileSync(file, pem)
    const env = { ...ios, COPYDESK_PUSH_IOS_KEY_FILE: file, COPYDESK_APP_SCHEME: 'hearth' }
    const shown = await cli(['config', 'show', '--json'], { cwd: folder.path, env })
    const { settings } = JSON.parse(shown.stdout) as { settings: Array<{ name: string; value: unknown }> }
    const found = settings
      .filter(({ name }) => /^(push|appScheme)/.test(name))
      .map(({ name, value }) => [name, value])
    expect(Object.fromEntries(found)).toEqual({
      appScheme: 'hearth',
      'push.ios.keyId': 'the-key',
      'push.ios.teamId': 'the-team',
      'push.ios.key': '***',
      'push.ios.topic': 'com.example.desk',
    })
    expect(shown.stdout + shown.stderr).not.toContain(key)
  })

  it.each([
    ['push.ios.key: is missing', ios],
    [
      'push.android.serviceAccount: is missing',
      { COPYDESK_PUSH_ANDROID_BASE_URL: 'https://relay.example.com' },
    ],
    [
      'push.ios.baseUrl: must be a URL',
      { ...ios, COPYDESK_PUSH_IOS_KEY: pem, COPYDESK_PUSH_IOS_BASE_URL: 'http://h' },
    ],
    ['appScheme: must be a URL scheme', { COPYDESK_APP_SCHEME: 'Copy Desk' }],
  ])('%s', async (message, env) => {
    using folder = temporaryFolder()
    const ended = await cli(['config', 'show', '--json'], { cwd: folder.path, env })
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toContain(message)
  })
})
