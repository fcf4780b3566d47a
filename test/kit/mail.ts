import { readdir, readFile } from 'node:fs/promises'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { TestApp } from './app.ts'

/** A mail as its reader sees it. */
export interface ReadMail {
  headers: Map<string, string>
  to: string
  subject: string
  text: string
  html: string
  raw: string
}

export interface TestMailServer extends AsyncDisposable {
  port: number
  /** Mails that were taken, with the addresses of their envelopes. */
  readonly taken: ReadonlyArray<{ from: string; to: string[]; mail: ReadMail }>
  /** Mails that wait for their answer. */
  readonly held: number
  release(): void
  /** Connections that were made, and mails of which all has come. */
  readonly connections: number
  readonly seen: number
  /** User names and passwords that were tried. */
  readonly logins: ReadonlyArray<{ user: string; password: string }>
}

/**
 * A mail server on 127.0.0.1, without TLS.
 * @param refusal the answer to the mail at hand, asked after all of it has come; undefined takes it
 */
export async function createTestMailServer(
  options: {
    password?: string
    refusal?(mail: ReadMail): { code: number; text: string } | undefined
    recipient?(address: string): { code: number; text: string } | undefined
    /** Mails wait, unanswered, until they are released. */
    hold?: boolean
    /** Ends the connection in place of an answer, after all of a mail has come. */
    hangUp?: boolean
  } = {},
): Promise<TestMailServer> {
  const taken: Array<TestMailServer['taken'][number]> = []
  const logins: Array<TestMailServer['logins'][number]> = []
  const held: Array<() => void> = []
  let holding = options.hold ?? false
  const asError = (refused: { code: number; text: string } | undefined) =>
    refused && Object.assign(new Error(refused.text), { responseCode: refused.code })
  let connections = 0
  let seen = 0
  const sockets = new Set<Socket>()
  const behaviour: SMTPServerOptions = {
    // Connections that senders keep end with the server.
    closeTimeout: 1,
    onConnect(_session, done) {
      connections += 1
      done()
    },
    disabledCommands: ['STARTTLS'],
    authOptional: options.password === undefined,
    allowInsecureAuth: true,
    logger: false,
    onAuth({ username, password }, _session, done) {
      const user = username ?? ''
      logins.push({ user, password: password ?? '' })
      if (password === options.password) done(null, { user })
      else done(Object.assign(new Error('Authentication failed'), { responseCode: 535 }))
    },
    onRcptTo: ({ address }, _session, done) => done(asError(options.recipient?.(address)) ?? null),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
      stream.on('end', () => {
        seen += 1
        if (options.hangUp) return sockets.forEach((socket) => socket.destroy())
        const mail = readMail(Buffer.concat(chunks).toString('latin1'))
        const error = asError(options.refusal?.(mail))
        if (error) return done(error)
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const take = () => {
          taken.push({ from, to: envelope.rcptTo.map(({ address }) => address), mail })
          done()
        }
        if (holding) held.push(take)
        else take()
      })
    },
  }
  const server = new SMTPServer(behaviour)
  server.on('error', () => undefined)
  server.server.on('connection', (socket: Socket) => void sockets.add(socket))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.server.address() as AddressInfo).port,
    taken,
    logins,
    get held() {
      return held.length
    },
    get connections() {
      return connections
    },
    get seen() {
      return seen
    },
    release() {
      holding = false
      for (const take of held.splice(0)) take()
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(resolve)),
  }
}

/** The mails of an instance without a mail server, in the order in which they were asked for. */
export const mailsOf = (app: TestApp) => mailsIn(join(app.options.dataDir, 'mail'))

/** The mails that were written into a folder. */
export async function mailsIn(folder: string): Promise<ReadMail[]> {
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => name.endsWith('.eml')).toSorted()
  return Promise.all(files.map(async (name) => readMail(await readFile(join(folder, name), 'latin1'))))
}

/** Waits until an instance without a mail server has sent `count` mails in all. @returns the last one */
export async function nthMail(app: TestApp, count: number): Promise<ReadMail> {
  const found = await app.until(async () => {
    const mails = await mailsOf(app)
    return mails.length >= count && mails
  }, `${count} mails are sent`)
  if (found.length > count) throw new Error(`${found.length} mails were sent instead of ${count}`)
  await quiet(app)
  return found.at(-1) as ReadMail
}

/** Waits until no job is left to do: what was to be sent is sent, and written down. */
export async function quiet(app: TestApp): Promise<void> {
  const open = `select 1 as one from job where status in ('waiting', 'running')`
  await app.until(async () => !(await app.db.sql.get(open)), 'every job is done')
}

/** The token of the one link in a mail. */
export function tokenIn(mail: ReadMail): string {
  const found = [...mail.text.matchAll(/[?&]token=([\w.-]+)/g)].map((match) => match[1] as string)
  if (found.length !== 1) throw new Error(`expected one link in:\n${mail.text}`)
  return found[0] as string
}

/** Reads what nodemailer writes: two parts, each in quoted-printable, base64 or as it is. */
export function readMail(raw: string): ReadMail {
  const [top, body] = split(raw)
  const boundary = /boundary="([^"]+)"/.exec(top.get('content-type') ?? '')?.[1] ?? ''
  const parts = body.split(`\r\n--${boundary}`).map((part) => split(part.replace(/^\r\n/, '')))
  const part = (type: string) => {
    const found = parts.find(([headers]) => headers.get('content-type')?.startsWith(type))
    return found ? decode(found[1], found[0].get('content-transfer-encoding') ?? '7bit') : ''
  }
  return {
    headers: top,
    to: top.get('to') ?? '',
    subject: words(top.get('subject') ?? ''),
    text: part('text/plain'),
    html: part('text/html'),
    raw,
  }
}

function split(part: string): [Map<string, string>, string] {
  const end = part.indexOf('\r\n\r\n')
  const lines = part
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return [new Map(headers), part.slice(end + 4)]
}

function decode(body: string, encoding: string): string {
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : Buffer.from(encoding === 'quoted-printable' ? quoted(body.replace(/=\r\n/g, '')) : body, 'latin1')
  return bytes.toString('utf8').replaceAll('\r\n', '\n')
}

const quoted = (text: string) =>
  text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** `=?UTF-8?Q?…?=` and `=?UTF-8?B?…?=` in a header. */
function words(header: string): string {
  return header
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString('utf8')
        : Buffer.from(quoted(text.replaceAll('_', ' ')), 'latin1').toString('utf8'),
    )
}
