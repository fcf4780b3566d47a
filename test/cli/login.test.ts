import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { profilesFile, readProfiles } from '../../packages/terminal/src/account/profiles.ts'
import { password } from '../kit/app.ts'
import { createStaff, type Staff, superAdminOf } from './staff.ts'

const fileOf = ({ home }: Staff) => profilesFile({ HOME: home })
const modeOf = (path: string) => statSync(path).mode & 0o777
/** Nothing of a server in the environment. */
const bare = (staff: Staff) => ({ env: { TMPDIR: join(staff.home, 'tmp') } })
const reviewer = 'reviewer.1.tenant-1@test.example'

async function loggedIn(staff: Staff, ...more: string[]): Promise<void> {
  const args = ['login', staff.harness.url, '--api-key-stdin', ...more]
  const { code, stderr } = await staff.run(args, { ...bare(staff), input: `${staff.key.key}\n` })
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Logged in') })
}

async function withPassword(staff: Staff, ...more: string[]) {
  const args = ['login', staff.harness.url, '--email', reviewer, '--password-stdin', ...more]
  return staff.run(args, { ...bare(staff), input: `${password}\n` })
}

describe('copydesk login', () => {
  it('verifies an API key, prints user and tenants, and stores it readable by the owner only', async () => {
    await using staff = await createStaff()
    const args = ['login', staff.harness.url, '--api-key-stdin', '--json']
    const { code, stdout } = await staff.run(args, { ...bare(staff), input: staff.key.key })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      profile: 'local',
      url: staff.harness.url,
      user: { name: 'Rita Reviewer', email: reviewer, role: 'reviewer' },
      tenants: [{ id: staff.harness.team.tenantId, name: 'Tenant 1' }],
      hasMore: false,
    })
    expect(stdout).not.toContain(staff.key.key)
    const file = fileOf(staff)
    expect(modeOf(file)).toBe(0o600)
    expect(modeOf(join(file, '..'))).toBe(0o700)
    expect(readdirSync(join(file, '..'))).toEqual(['profiles.json'])
    expect(await staff.json(['queue'], bare(staff))).toMatchObject({ pending: [] })
    const shown = await staff.run(['profile', 'show'], bare(staff))
    expect(shown.stdout).toContain(`API key …${staff.key.key.slice(-4)}`)
    expect(shown.stdout).not.toContain(staff.key.key)
  })

  it('stores nothing that the server rejects', async () => {
    await using staff = await createStaff()
    const cases: ReadonlyArray<[args: string[], input: string, code: number]> = [
      [['--api-key-stdin'], 'cdk_test_nokey', 4],
      [['--api-key-stdin'], '', 2],
      [['--email', reviewer, '--password-stdin'], 'wrong password', 4],
      [['--email', 'admin.1.tenant-1@test.example', '--password-stdin', '--app', 'dm-portal'], password, 4],
      [['--email', reviewer, '--password-stdin', '--app', 'manage'], password, 4],
      [[], '', 2],
    ]
    for (const [args, input, code] of cases) {
      const ended = await staff.run(['login', staff.harness.url, ...args], { ...bare(staff), input })
      expect({ args, code: ended.code, stdout: ended.stdout }).toEqual({ args, code, stdout: '' })
    }
    const nowhere = await staff.run(['login', 'ftp://x', '--api-key-stdin'], { ...bare(staff), input: 'k' })
    expect(nowhere.code).toBe(2)
    expect(existsSync(fileOf(staff))).toBe(false)
  })

  it('exits with 4 and a hint without a login, and once the key is revoked', async () => {
    await using staff = await createStaff()
    const nobody = await staff.run(['queue'], bare(staff))
    expect(nobody).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('copydesk login') })
    await loggedIn(staff)
    await staff.harness.app.copydesk.asSystem().apiKeys.revoke(staff.key.id)
    const { code, stdout, stderr } = await staff.run(['queue'], bare(staff))
    expect({ code, stdout, stderr }).toEqual({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(/^error: .+\n$/),
    })
  })

  it('opens a session with a password, and ends it at the server', async () => {
    await using staff = await createStaff()
    const { email } = await superAdminOf(staff.harness)
    const args = [
      'login',
      staff.harness.url,
      '--email',
      email,
      '--password-stdin',
      '--app',
      'manage',
      '--profile',
      'sue',
    ]
    expect((await staff.run(args, { ...bare(staff), input: password })).code).toBe(0)
    expect(await staff.json(['status'], bare(staff))).toMatchObject({ tenants: [{ tenantName: 'Tenant 1' }] })
    const { profiles } = await readProfiles(fileOf(staff))
    const token = profiles['sue']?.session?.accessToken ?? ''
    expect(await staff.json(['logout'], bare(staff))).toMatchObject({ profile: 'sue', sessionEnded: true })
    expect((await readProfiles(fileOf(staff))).profiles).toEqual({})
    const response = await staff.harness.app.fetch('/cli/v1/me', {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(response.status).toBe(401)
  })

  it('renews the session once for two concurrent processes', async () => {
    let renewals = 0
    await using staff = await createStaff({
      between: (request, response, handle) => {
        if (request.url === '/auth/v1/refresh') renewals += 1
        return handle(request, response)
      },
    })
    expect((await withPassword(staff)).code).toBe(0)
    const file = fileOf(staff)
    const all = JSON.parse(readFileSync(file, 'utf8')) as {
      profiles: Record<string, { session: { accessToken: string; refreshToken: string } }>
    }
    const session = all.profiles['local']?.session
    if (!session) throw new Error('no one is logged in')
    const { refreshToken } = session
    session.accessToken = `x.${Buffer.from('{"exp":1}').toString('base64url')}.x`
    writeFileSync(file, JSON.stringify(all))
    const both = await Promise.all([staff.run(['queue'], bare(staff)), staff.run(['status'], bare(staff))])
    expect(both.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ])
    expect(renewals).toBe(1)
    const after = (await readProfiles(file)).profiles['local']?.session
    expect(after?.refreshToken).toBe(refreshToken)
    expect(after?.accessToken.split('.')).toHaveLength(3)
    expect(readdirSync(join(file, '..'))).toEqual(['profiles.json'])
    await staff.harness.app.db.write((tx) => tx.run('delete from sessions'))
    writeFileSync(file, JSON.stringify(all))
    const ended = await staff.run(['queue'], bare(staff))
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining('Log in again with') })
  })
})

describe('profiles', () => {
  it('are selected by --profile, then COPYDESK_PROFILE, then URL and key of the environment, then the one in use', async () => {
    await using staff = await createStaff()
    await loggedIn(staff, '--profile', 'good')
    const { TMPDIR = '' } = staff.env
    const file = fileOf(staff)
    const all = JSON.parse(readFileSync(file, 'utf8')) as { profiles: Record<string, object> }
    all.profiles['bad'] = { ...all.profiles['good'], apiKey: 'cdk_test_nokey' }
    writeFileSync(file, JSON.stringify({ ...all, current: 'bad' }))
    const code = async (args: string[], env: Record<string, string>) =>
      (await staff.run(['queue', ...args], { env: { TMPDIR, ...env } })).code
    const given = { COPYDESK_URL: staff.harness.url, COPYDESK_API_KEY: staff.key.key }
    expect(await code([], {})).toBe(4)
    expect(await code(['--profile', 'good'], {})).toBe(0)
    expect(await code([], { COPYDESK_PROFILE: 'good' })).toBe(0)
    expect(await code([], given)).toBe(0)
    expect(await code(['--profile', 'bad'], given)).toBe(4)
    expect(await code([], { ...given, COPYDESK_PROFILE: 'bad' })).toBe(4)
    expect(await code([], { COPYDESK_API_KEY: staff.key.key })).toBe(0)
    expect(await code(['--profile', 'none'], given)).toBe(2)
    expect(await code(['--profile', 'constructor'], {})).toBe(2)
    const used = await staff.json(['profile', 'use', 'good'], { env: { TMPDIR } })
    expect(used).toMatchObject({ name: 'good', inUse: true })
    expect(await code([], {})).toBe(0)
    const list = await staff.json<Array<{ name: string }>>(['profile', 'list'], { env: { TMPDIR } })
    expect(list.map(({ name }) => name).toSorted()).toEqual(['bad', 'good'])
  })

  it('send their key to no other host', async () => {
    let heard = 0
    await using elsewhere = await createStaff({
      between: (request, response, handle) => {
        heard += 1
        return handle(request, response)
      },
    })
    await using staff = await createStaff()
    await loggedIn(staff)
    const before = heard
    for (const args of [[], ['--profile', 'local']]) {
      const env = { ...bare(staff).env, COPYDESK_URL: elsewhere.harness.url }
      const { code, stderr } = await staff.run(['queue', ...args], { env })
      expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('is sent nowhere else') })
    }
    expect(heard).toBe(before)
    const env = { ...elsewhere.env, TMPDIR: staff.env['TMPDIR'] ?? '' }
    expect((await staff.run(['queue', '--profile', 'local'], { env })).code).toBe(0)
    expect(heard).toBe(before + 1)
  })

  it('get restricted permissions again, with a warning', async () => {
    await using staff = await createStaff()
    await loggedIn(staff)
    chmodSync(fileOf(staff), 0o644)
    const { code, stderr } = await staff.run(['queue'], bare(staff))
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^warning: Others could read /),
    })
    expect(modeOf(fileOf(staff))).toBe(0o600)
    writeFileSync(fileOf(staff), '{')
    const damaged = await staff.run(['queue'], bare(staff))
    expect(damaged).toMatchObject({ code: 1, stderr: expect.stringContaining('is damaged') })
  })

  it('restrict commands to their tenant, unless another is named', async () => {
    await using staff = await createStaff()
    const { tenantId } = staff.harness.team
    const { id: other } = await staff.harness.app.copydesk
      .asSystem()
      .tenants.create({ name: 'Other', timezone: 'UTC' })
    await loggedIn(staff, '--tenant', tenantId)
    expect(await staff.json(['agents'], bare(staff))).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ tenantId })]),
    })
    expect((await staff.run(['pause', 'social_writer'], bare(staff))).code).toBe(0)
    expect((await staff.run(['agents', '--tenant', other], bare(staff))).code).toBe(4)
    const login = ['login', staff.harness.url, '--api-key-stdin', '--tenant', other, '--profile', 'wrong']
    expect((await staff.run(login, { ...bare(staff), input: staff.key.key })).code).toBe(4)
    expect(Object.keys((await readProfiles(fileOf(staff))).profiles)).toEqual(['local'])
  })
})
