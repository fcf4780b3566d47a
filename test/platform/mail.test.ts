import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderEmail } from '../../packages/core/src/platform/mail/email-message.ts'
import { MailError } from '../../packages/core/src/platform/mail/mail.ts'
import { createMailSender, type MailOptions } from '../../packages/core/src/platform/mail/sender.ts'
import { parseSmtpUrl } from '../../packages/core/src/platform/mail/smtp.ts'
import { createTestClock } from '../kit/clock.ts'
import { silent } from '../kit/database.ts'
import { createTestMailServer, mailsIn } from '../kit/mail.ts'

const link = 'https://app.test.example/reset-password?token=eyJhbGciOiJIUzI1NiJ9.e30.signature'
const mail = {
  id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  to: 'ada@test.example',
  subject: 'Grüße aus der Werkstatt',
  ...renderEmail({
    greeting: 'Hello Ada,',
    paragraphs: ['Größe: 3 € = 100 %.'],
    link: { label: 'Go', url: link },
  }),
}

const senderFor = (options: MailOptions, more: Partial<Parameters<typeof createMailSender>[0]> = {}) =>
  createMailSender({
    options: { from: 'Copydesk <desk@sender.example>', ...options },
    baseUrl: 'https://desk.test.example',
    folder: join(tmpdir(), 'never-written'),
    clock: createTestClock(),
    log: silent,
    ...more,
  })

const to = ({ port }: { port: number }) => ({ smtp: `smtp://127.0.0.1:${port}` })

describe('an e-mail by SMTP', () => {
  it('arrives once, with text and HTML, with the same message id for every attempt', async () => {
    await using server = await createTestMailServer()
    const sender = senderFor(to(server))
    await sender.send(mail)
    await sender.send(mail)
    expect(server.taken).toHaveLength(2)
    for (const { from, to, mail: read } of server.taken) {
      expect([from, to]).toEqual(['desk@sender.example', ['ada@test.example']])
      expect(read).toMatchObject({
        to: 'ada@test.example',
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
      })
      expect(Object.fromEntries(read.headers)).toMatchObject({
        from: 'Copydesk <desk@sender.example>',
        'message-id': `<${mail.id}@sender.example>`,
        'auto-submitted': 'auto-generated',
        date: 'Fri, 10 Apr 2026 09:00:00 +0000',
      })
    }
  })

  it('logs in when a password is set, and does not report the password when it is wrong', async () => {
    await using server = await createTestMailServer({ password: 'p@ss:word/1' })
    const url = (password: string) => `smtp://desk:${encodeURIComponent(password)}@127.0.0.1:${server.port}`
    await senderFor({ smtp: url('p@ss:word/1') }).send(mail)
    expect(server.logins).toEqual([{ user: 'desk', password: 'p@ss:word/1' }])
    expect(server.taken).toHaveLength(1)
    const refused = await senderFor({ smtp: url('wrong-horse') })
      .send(mail)
      .catch((error: unknown) => error)
    // Anyone who corrects the password wants the mails that waited.
    expect(refused).toMatchObject({
      name: 'MailError',
      final: false,
      message: expect.stringContaining('535'),
    })
    expect(String(refused)).not.toContain('wrong-horse')
    expect(server.taken).toHaveLength(1)
  })

  it('sends no password to another machine without TLS, unless configured', async () => {
    await using server = await createTestMailServer({ password: 'secret-1' })
    // The same machine under a name that says so to no one.
    const remote = { host: '::ffff:127.0.0.1', port: server.port, user: 'desk', password: 'secret-1' }
    await expect(senderFor({ smtp: remote }).send(mail)).rejects.toMatchObject({
      name: 'MailError',
      final: false,
    })
    expect(server.logins).toEqual([])
    await senderFor({ smtp: { ...remote, secure: false } }).send(mail)
    expect(server.logins).toHaveLength(1)
  })

  it.each([421, 450, 451, 452])('may be retried after %i', async (code) => {
    const answers = [{ code, text: 'come back later' }]
    await using server = await createTestMailServer({ refusal: () => answers.shift() })
    const sender = senderFor(to(server))
    await expect(sender.send(mail)).rejects.toMatchObject({ name: 'MailError', final: false })
    await sender.send(mail)
    expect(server.taken).toHaveLength(1)
  })

  it.each(['recipient', 'refusal'] as const)('is rejected for good by a 5xx to the %s', async (where) => {
    await using server = await createTestMailServer({
      [where]: () => ({ code: 550, text: `no, not ${link}` }),
    })
    const refused = await senderFor(to(server))
      .send(mail)
      .catch((error: unknown) => error as MailError)
    expect(refused).toMatchObject({ name: 'MailError', final: true, message: expect.stringContaining('550') })
    expect((refused as MailError).message).not.toContain('eyJ')
    expect(server.taken).toEqual([])
  })

  it('may be retried when there is no response, and gives up when aborted', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const stop = new AbortController()
    // Takes the connection and never greets.
    server.once('connection', () => stop.abort())
    const given = senderFor(to({ port })).send(mail, stop.signal)
    await expect(given).rejects.toMatchObject({ final: false, message: expect.stringMatching(/abort/i) })
    await new Promise((resolve) => void server.close(resolve))
    await expect(senderFor(to({ port })).send(mail)).rejects.toMatchObject({
      name: 'MailError',
      final: false,
    })
    await expect(senderFor(to({ port })).check()).rejects.toBeInstanceOf(MailError)
  })

  it('reports whether the server responds, without sending anything', async () => {
    await using server = await createTestMailServer()
    expect(await senderFor(to(server)).check()).toBe('the mail server 127.0.0.1 answers')
    expect(server.taken).toEqual([])
  })
})

describe('the URL of a mail server', () => {
  it.each([
    ['smtp://mail.example', { host: 'mail.example' }],
    [
      'smtps://u%40x:p%2F%3A@mail.example:465/',
      { host: 'mail.example', port: 465, user: 'u@x', password: 'p/:', secure: true },
    ],
    ['smtp://[::1]:25', { host: '::1', port: 25 }],
  ])('%s is understood', (url, server) => {
    expect(parseSmtpUrl(url)).toEqual(server)
  })

  it.each([
    '',
    'mail.example',
    'http://mail.example',
    'smtp:///x',
    'smtp://mail.example/x',
    'smtp://m.example?tls=0',
  ])('%j is rejected', (url) => {
    expect(() => parseSmtpUrl(url)).toThrow(/smtp:\/\/user:password@host/)
  })
})

describe('an e-mail without a mail server', () => {
  it('becomes a file that only its owner can read; a retry replaces it', async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'copydesk-mail-')), 'mail')
    const logged: string[] = []
    const log = { ...silent, info: (...line: unknown[]) => void logged.push(JSON.stringify(line)) }
    const sender = senderFor({ from: undefined as never }, { folder, log })
    await sender.send(mail)
    await sender.send({ ...mail, subject: 'Second try' })
    const path = join(folder, `${mail.id}.eml`)
    expect(await readdir(folder)).toEqual([`${mail.id}.eml`])
    expect([(await stat(path)).mode & 0o777, (await stat(folder)).mode & 0o777]).toEqual([0o600, 0o700])
    const [read] = await mailsIn(folder)
    expect(read).toMatchObject({ to: mail.to, subject: 'Second try', text: mail.text, html: mail.html })
    expect(read?.headers.get('from')).toBe('Copydesk <copydesk@desk.test.example>')
    expect(logged).toHaveLength(2)
    expect(logged[0]).toContain(path)
    expect(logged.join()).not.toContain('token')
    expect(logged.join()).not.toContain(mail.to)
    expect(await sender.check()).toContain(folder)
    await rm(folder, { recursive: true })
  })
})

describe('the text of an e-mail', () => {
  it('escapes markup', () => {
    const evil = `<img src=x onerror="alert('1')">&amp;`
    const { text, html } = renderEmail({
      greeting: `Hello ${evil}`,
      paragraphs: [evil],
      link: { label: evil, url: `https://app.example/?a=1&b="><script>` },
      closing: [evil],
    })
    expect(html.match(/<[a-z!/][^>]*>/g)).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/^<(?:img|script)/)]),
    )
    expect(html).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;amp;')
    expect(html).toContain('href="https://app.example/?a=1&amp;b=&quot;&gt;&lt;script&gt;"')
    expect(text).toContain(evil)
    expect(text.split('\n')).toContain('https://app.example/?a=1&b="><script>')
  })

  it('marks every line of quoted text, and names its author', () => {
    const { text, html } = renderEmail({
      greeting: 'Hello,',
      paragraphs: ['Ours.'],
      quote: { from: '“Ada” writes:', paragraphs: ['Theirs.\n\nOurs again?', '</blockquote><p>Ours?'] },
      closing: ['Ours at the end.'],
    })
    expect(text).toBe(
      'Hello,\n\nOurs.\n\n“Ada” writes:\n\n> Theirs. Ours again?\n>\n> </blockquote><p>Ours?\n\nOurs at the end.\n',
    )
    const [, inside = '', after = ''] = html.split(/<\/?blockquote[^>]*>/)
    expect(inside.replace(/\s*<\/?p>\s*/g, '|')).toBe(
      '|Theirs. Ours again?||&lt;/blockquote&gt;&lt;p&gt;Ours?|',
    )
    expect(after).toContain('Ours at the end.')
  })

  it('prevents line breaks and headers in names', async () => {
    await using server = await createTestMailServer()
    const name = 'Ada\r\nBcc: eve@evil.example\n\nPay here:\u2028now\u0000'
    const letter = renderEmail({ greeting: `Hello ${name}`, paragraphs: [] })
    await senderFor(to(server)).send({ ...mail, ...letter, subject: `For ${name}` })
    const [first] = server.taken
    expect(first?.to).toEqual([mail.to])
    expect(first?.mail.headers.has('bcc')).toBe(false)
    expect(first?.mail.subject).toBe('For Ada Bcc: eve@evil.example Pay here: now')
    expect(first?.mail.text).toBe('Hello Ada Bcc: eve@evil.example Pay here: now\n')
  })
})
