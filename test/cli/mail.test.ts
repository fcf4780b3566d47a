import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bounceReport } from '../kit/bounces.ts'
import { mailsIn } from '../kit/mail.ts'
import { cli, setUpIn, temporaryFolder } from './process.ts'

describe('copydesk mail', () => {
  it('lists templates, shows a mail with sample values, and sends one', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const cwd = folder.path
    const listed = await cli(['mail', 'templates', '--category', 'billing'], { cwd })
    expect(listed.stdout).toMatch(
      /^invoice\tYour Copydesk invoice \{\{ number \}\}\tbilling\tall\tsmtp\tyes\t/m,
    )
    expect(listed.stdout).not.toContain('invitation')

    const html = join(cwd, 'mail.html')
    const set = ['--set', 'tenant=Rye & Oats', 'inviter=', '--html', html]
    const shown = await cli(['mail', 'preview', 'invitation', ...set], { cwd })
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toMatch(
      /^Subject: You are invited to work on Copydesk\n\nHello,\n\nYou are invited to work with “Rye & Oats”/,
    )
    expect(await readFile(html, 'utf8')).toContain('“Rye &amp; Oats”')

    const sent = await cli(['mail', 'test', 'ada@test.example', '--set', 'url=https://desk.example'], { cwd })
    expect(sent).toMatchObject({ code: 0 })
    expect(sent.stdout).toMatch(/^The e-mail <\w+@\S+> is on its way to ada@test\.example\.\n$/)
    const [mail] = await mailsIn(join(cwd, 'copydesk-data', 'mail'))
    expect(mail).toMatchObject({
      to: 'ada@test.example',
      subject: 'A test e-mail from Copydesk',
      text: expect.stringContaining('https://desk.example'),
    })
  })

  it('takes reports of e-mails that came back, lists the addresses that are off, and turns them on', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const run = (args: string[], input?: string) =>
      cli(['mail', ...args], { cwd: folder.path, ...(input !== undefined && { input }) })
    const [, mailId = ''] = /<(\w+)@/.exec((await run(['test', 'Ada@test.example'])).stdout) ?? []
    expect(await run(['receive'], 'Subject: Hello\r\n\r\nHello')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('neither an answer nor a report'),
    })
    const taken = await run(['receive', '--json'], bounceReport({ mailId }))
    expect([taken.code, JSON.parse(taken.stdout)]).toEqual([0, { outcome: 'suppressed', mailId }])
    expect((await run(['test', 'ada@test.example'])).code).toBe(1)
    expect((await run(['suppressed', 'list'])).stdout).toMatch(/^ada@test\.example\thard_bounce\t/m)
    expect((await run(['suppressed', 'list', '--reason', 'complaint', '--json'])).stdout.trim()).toBe('[]')
    expect(await run(['suppressed', 'remove', 'ada@test.example', '--yes'])).toMatchObject({ code: 0 })
    expect(await run(['suppressed', 'remove', 'ada@test.example', '--yes'])).toMatchObject({ code: 1 })
    expect((await run(['test', 'ada@test.example'])).code).toBe(0)
  })

  it('says what is wrong', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const run = (...args: string[]) => cli(['mail', ...args], { cwd: folder.path })
    expect(await run('preview', 'nosuch')).toMatchObject({
      code: 1,
      stderr: 'error: There is no template nosuch. `copydesk mail templates` shows them.\n',
    })
    expect(await run('preview', 'invitation', '--set', 'shoe=1')).toMatchObject({
      code: expect.any(Number),
      stderr: expect.stringContaining('sampleVariables.shoe'),
    })
    expect((await run('preview', 'invitation', '--set', 'shoe')).stderr).toContain('key=value')
    expect((await run('test', 'no address')).code).not.toBe(0)
    expect((await run('templates', '--tenant', 'Nobody Ltd')).stderr).toContain('There is no tenant')
  })
})
