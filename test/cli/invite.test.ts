import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mailsIn, tokenIn } from '../kit/mail.ts'
import { cli, setUpIn, startCli, temporaryFolder } from './process.ts'

async function json<T = Record<string, unknown>>(args: string[], cwd: string): Promise<T> {
  const ended = await cli([...args, '--json'], { cwd })
  expect(ended).toMatchObject({ code: 0 })
  return JSON.parse(ended.stdout) as T
}

/** Creates a tenant. @returns the command that invites someone to it */
async function invitation(cwd: string): Promise<string[]> {
  const { id } = await json<{ id: string }>(['tenant', 'create', '--name', 'Example Ltd'], cwd)
  return ['user', 'invite', '--email', 'Eve@Example.com', '--role', 'admin', '--tenant', id]
}

describe('copydesk user invite and invite', () => {
  it('invite: the server sends the e-mail; the output does not contain the link', async () => {
    using folder = temporaryFolder()
    const cwd = folder.path
    await setUpIn(cwd)
    const made = await json(await invitation(cwd), cwd)
    expect(made).toMatchObject({ email: 'eve@example.com', name: 'eve', role: 'admin', status: 'pending' })
    const running = await startCli(['serve', '--port', '0'], {
      cwd,
      env: { COPYDESK_BASE_URL: 'https://desk.example.com' },
    })
    await running.says('a mail was written to a file')
    running.child.kill('SIGTERM')
    const { stdout, stderr } = await running.ended
    const [mail] = await mailsIn(join(cwd, 'copydesk-data', 'mail'))
    expect(mail?.text).toContain('You are invited to work with “Example Ltd” on Copydesk')
    expect(mail?.text).toMatch(/\nhttps:\/\/desk\.example\.com\/accept-invitation\?token=/)
    expect(stdout + stderr).toContain(join(cwd, 'copydesk-data', 'mail'))
    expect(stdout + stderr).not.toContain(tokenIn(mail as NonNullable<typeof mail>))
  })

  it('list, resend and revoke', async () => {
    using folder = temporaryFolder()
    const cwd = folder.path
    await setUpIn(cwd)
    const invite = await invitation(cwd)
    const { id } = await json<{ id: string }>(invite, cwd)
    const twice = await cli(invite, { cwd })
    expect(twice).toMatchObject({ code: 1, stdout: '' })
    expect(twice.stderr).toBe(
      'error: eve@example.com has an invitation already; send that one again, or revoke it first\n',
    )
    expect(await json(['invite', 'resend', id], cwd)).toMatchObject({ id, status: 'pending' })
    const unasked = await cli(['invite', 'revoke', id], { cwd })
    expect(unasked.code).toBe(2)
    expect(unasked.stderr).toContain('Add --yes')
    expect(await json(['invite', 'revoke', id, '--yes'], cwd)).toEqual({ id, status: 'revoked' })
    const listed = await cli(['invite', 'list'], { cwd })
    expect(listed.stdout).toMatch(new RegExp(`^ID\tE-MAIL.*\\n${id}\teve@example\\.com\teve\tadmin\trevoked`))
  })

  it('exit with the invalid value', async () => {
    using folder = temporaryFolder()
    const cwd = folder.path
    await setUpIn(cwd)
    const invite = ['user', 'invite', '--email', 'e@example.com', '--tenant', '01ARZ3NDEKTSV4RRFFQ69G5FAV']
    const nowhere = await cli([...invite, '--role', 'member'], { cwd })
    expect(nowhere).toMatchObject({ code: 1, stdout: '', stderr: 'error: There is no tenant with this id\n' })
    const staff = await cli([...invite, '--role', 'reviewer'], { cwd })
    expect(staff).toMatchObject({ code: 2, stdout: '' })
    expect(staff.stderr).toContain('admin, member')
    const unknown = await cli(['invite', 'revoke', 'nothing', '--yes'], { cwd })
    expect(unknown).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: There is no invitation with this id\n',
    })
  })
})

describe('the configuration of e-mail', () => {
  const show = (cwd: string, env: Record<string, string>) => cli(['config', 'show', '--json'], { cwd, env })

  it('is read from the environment, the password from a file; neither is shown', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'password')
    writeFileSync(file, 'the-mail-password\n')
    const parts = await show(folder.path, {
      COPYDESK_MAIL_FROM: 'Desk <desk@example.com>',
      COPYDESK_MAIL_SMTP_HOST: 'smtp.example.com',
      COPYDESK_MAIL_SMTP_PORT: '2525',
      COPYDESK_MAIL_SMTP_USER: 'desk',
      COPYDESK_MAIL_SMTP_PASSWORD_FILE: file,
      COPYDESK_MAIL_SMTP_SECURE: 'false',
    })
    const { settings } = JSON.parse(parts.stdout) as { settings: Array<{ name: string; value: unknown }> }
    const mail = settings
      .filter(({ name }) => name.startsWith('mail.') && !name.startsWith('mail.limits.'))
      .map(({ name, value }) => [name, value])
    expect(Object.fromEntries(mail)).toEqual({
      'mail.from': 'Desk <desk@example.com>',
      'mail.smtp.host': 'smtp.example.com',
      'mail.smtp.port': 2525,
      'mail.smtp.user': 'desk',
      'mail.smtp.password': '***',
      'mail.smtp.secure': false,
    })
    const url = await show(folder.path, {
      COPYDESK_MAIL_FROM: 'desk@example.com',
      COPYDESK_MAIL_SMTP_URL: 'smtps://desk:the-mail-password@smtp.example.com',
    })
    expect(url.code).toBe(0)
    expect(parts.stdout + url.stdout).not.toContain('the-mail-password')
  })

  it.each([
    ['mail.from: is missing', { COPYDESK_MAIL_SMTP_HOST: 'h' }],
    [
      'mail.smtp.url: contains all settings',
      { COPYDESK_MAIL_SMTP_URL: 'smtp://h', COPYDESK_MAIL_SMTP_HOST: 'h' },
    ],
    ['mail.smtp.url: must have the form', { COPYDESK_MAIL_SMTP_URL: 'http://h' }],
    ['mail.smtp.host: is missing', { COPYDESK_MAIL_SMTP_PORT: '25' }],
    ['mail.smtp.password: is missing', { COPYDESK_MAIL_SMTP_HOST: 'h', COPYDESK_MAIL_SMTP_USER: 'u' }],
    [
      'mail.smtp.secure: must be of type boolean',
      { COPYDESK_MAIL_SMTP_HOST: 'h', COPYDESK_MAIL_SMTP_SECURE: 'yes' },
    ],
    ['mail.from: must be an address', { COPYDESK_MAIL_FROM: 'desk' }],
    ['mail.links: must be a URL', { COPYDESK_MAIL_LINKS: 'app.example.com' }],
  ])('%s', async (message, env) => {
    using folder = temporaryFolder()
    const ended = await show(folder.path, env as Record<string, string>)
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toContain(message)
  })
})
