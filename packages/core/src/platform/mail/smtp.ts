import { PassThrough } from 'node:stream'
import type { NodemailerError, SMTPTransportOptions } from 'nodemailer'
import { redactText } from '../redact.ts'
import { type DkimOptions, toDkim } from './compose.ts'
import { MailError, type MailWayOut, toMessage } from './mail.ts'
import { refusalKind, statusIn } from './refusal.ts'

/** A mail server that is spoken to by SMTP. */
export interface SmtpServer {
  host: string
  /** Default 587, or 465 with `secure`. */
  port?: number
  user?: string
  password?: string
  /**
   * True speaks TLS from the first byte, as on port 465; false takes STARTTLS where the server offers it. When it is
   * left out, STARTTLS is also demanded before a password goes to another machine.
   */
  secure?: boolean
}

/** What a message knows beside what is sent. */
interface Handing {
  /** Called when all of it was read, which is before the server has answered. */
  onRead(): void
}

/** Passes everything on, and tells when that was all. */
const atEnd = (tell: () => void) =>
  new PassThrough({
    flush(done) {
      tell()
      done()
    },
  })

/** Connections to one server at a time, and how many mails go over one before another is opened. */
const pool = { pool: true, maxConnections: 2, maxMessages: 100 } as const

/** Sends by SMTP, over connections that serve one mail after another. */
export function createSmtpSender(options: { server: SmtpServer; dkim: DkimOptions | undefined }): MailWayOut {
  const { server, dkim } = options
  const { host } = server
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      ...toTransport(server),
      ...pool,
      // The library cannot know whether a mail that it sends again was taken: only the job that asked for it may.
      maxRequeues: 0,
      ...(dkim && { dkim: toDkim(dkim) }),
    })
    // Anyone who has read a mail to its end has all of it.
    transport.use('stream', ({ data, message }, done) => {
      message?.transform(() => atEnd(() => (data as Handing).onRead()))
      done()
    })
    return transport
  }
  let transport: ReturnType<typeof open> | undefined
  return {
    async send(mail, signal) {
      const out = await (transport ??= open())
      let isHandedOver = false
      const handing: Handing = {
        onRead: () => {
          isHandedOver = true
        },
      }
      await out
        .sendMail({ ...toMessage(mail), ...handing, ...(signal && { signal }) })
        .catch((error: NodemailerError) => {
          throw toMailError(error, host, isHandedOver)
        })
    },
    async check() {
      const out = await (transport ??= open())
      await out.verify().catch((error: NodemailerError) => {
        throw toMailError(error, host)
      })
      return `the mail server ${host} answers`
    },
    async close() {
      ;(await transport)?.close()
    },
  }
}

/**
 * The server that a URL names, `smtp://user:password@host:port` or `smtps://…`.
 * @throws {TypeError} when it is none, or says more than that
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const fits = url && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && /^\/?$/.test(url.pathname)
  if (!fits || url.search !== '' || url.hash !== '')
    throw new TypeError('A mail server is named as smtp://user:password@host:port or smtps://…')
  const { hostname, port, username, password } = url
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port && { port: Number(port) }),
    ...(username && { user: decodeURIComponent(username), password: decodeURIComponent(password) }),
    ...(url.protocol === 'smtps:' && { secure: true }),
  }
}

const isLocal = (host: string) => /^(?:localhost|127\.[\d.]+|::1)$/.test(host)

function toTransport({ host, port, user, password = '', secure }: SmtpServer): SMTPTransportOptions {
  const fromTheStart = secure ?? port === 465
  return {
    host,
    port: port ?? (fromTheStart ? 465 : 587),
    secure: fromTheStart,
    requireTLS: !fromTheStart && secure === undefined && user !== undefined && !isLocal(host),
    ...(user !== undefined && { auth: { user, pass: password } }),
    dnsTimeout: 10_000,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    socketCloseTimeout: 1_000,
  }
}

/** What a server says of this installation, not of the mail: anyone who fixes that wants the mail to go out. */
const aboutUs = new Set([530, 534, 535, 538])

function toMailError(error: NodemailerError, host: string, isHandedOver = false): MailError {
  const { code, command, responseCode, permanent, response } = error
  // Without an answer, a mail that cannot be addressed is the only thing that time does not fix.
  const refused = responseCode === undefined ? code === 'EENVELOPE' : permanent && !aboutUs.has(responseCode)
  const final = refused === true && (code === 'EENVELOPE' || code === 'EMESSAGE')
  const isOfAddress = final && command === 'RCPT TO'
  const kind = isOfAddress ? refusalKind(statusIn(response ?? ''), responseCode) : 'none'
  // Some servers quote the text that they object to, and with it a link that only its reader may have.
  const answer = redactText(response ?? error.message).slice(0, 300)
  const what = response === undefined ? 'cannot be reached or used' : 'refused a mail'
  return new MailError(`The mail server ${host} ${what}: ${answer}`, {
    final,
    unknown: isHandedOver && responseCode === undefined,
    bounce: kind === 'none' ? undefined : kind,
  })
}
