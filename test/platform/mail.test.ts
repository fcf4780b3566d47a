import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createHttpClient } from '../../packages/core/src/platform/http/client.ts'
import { MailError, type MailSender } from '../../packages/core/src/platform/mail/mail.ts'
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
  text: `Hello Ada,\n\nGröße: 3 € = 100 %.\n\n${link}\n`,
  html: `<!doctype html>\n<p>Hello Ada,</p>\n<p>Größe: 3 € = 100 %.</p>\n<p><a href="${link}">Go</a></p>\n`,
}

const senders: MailSender[] = []
afterEach(async () => void (await Promise.all(senders.splice(0).map((sender) => sender.close()))))

function senderFor(options: MailOptions, more: Partial<Parameters<typeof createMailSender>[0]> = {}) {
  const sender = createMailSender({
    options: { from: 'Copydesk <desk@sender.example>', ...options },
    baseUrl: 'https://desk.test.example',
    folder: join(tmpdir(), 'never-written'),
    http: createHttpClient({ log: silent }),
    clock: createTestClock(),
    log: silent,
    ...more,
  })
  senders.push(sender)
  return sender
}

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

  it.each([
    ['Oats', 'Oats'],
    ['Bäckerei “Oats” & Söhne', 'Bäckerei “Oats” & Söhne'],
    ['Oats, Inc.', 'Oats, Inc.'],
    [
      'Your "bank" <pay@bank.example>\r\nBcc: eve@bank.example',
      'Your  bank   pay bank.example  Bcc: eve bank.example',
    ],
    ['x'.repeat(5_000), 'x'.repeat(100)],
  ])('names another sender at the same address: %s', async (fromName, shown) => {
    await using server = await createTestMailServer()
    await senderFor(to(server)).send({ ...mail, fromName })
    const [taken] = server.taken
    expect(taken).toMatchObject({ from: 'desk@sender.example', to: ['ada@test.example'] })
    const raw = taken?.mail.headers.get('from') ?? ''
    const decoded = raw
      .replace(/\?=\s+=\?/g, '?==?')
      .replace(/=\?utf-8\?b\?([^?]*)\?=/gi, (_, text: string) => Buffer.from(text, 'base64').toString())
      .replace(/=\?utf-8\?q\?([^?]*)\?=/gi, (_, text: string) =>
        decodeURIComponent(text.replaceAll('_', ' ').replaceAll('=', '%')),
      )
    expect(decoded.replace(/^"(.*)"/, '$1')).toBe(`${shown} <desk@sender.example>`)
  })

  it('goes over the connection of the one before', async () => {
    await using server = await createTestMailServer()
    const sender = senderFor(to(server))
    for (let n = 0; n < 5; n += 1) await sender.send(mail)
    expect(server.taken).toHaveLength(5)
    expect(server.connections).toBe(1)
    await sender.close()
    await expect(sender.send(mail)).rejects.toMatchObject({ name: 'MailError', final: false })
  })

  it.each([
    ['without', []],
    ['with', [{ name: 'a.txt', type: 'text/plain', bytes: new Uint8Array([65]) }]],
  ])(
    '%s attachments is in doubt when the server goes away after it has all of it',
    async (_, attachments) => {
      await using server = await createTestMailServer({ hangUp: true })
      const sent = senderFor(to(server)).send({ ...mail, attachments })
      await expect(sent).rejects.toMatchObject({ name: 'MailError', final: false, unknown: true })
      expect(server.seen).toBe(1)
    },
  )

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
