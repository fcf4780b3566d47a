import type { NodemailerError, SMTPTransportOptions } from 'nodemailer'
import type { Clock } from '../clock.ts'
import { redactText } from '../redact.ts'
import { MailError, type MailSender, toMessage } from './mail.ts'

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

/** Sends by SMTP, one connection a mail. */
export function createSmtpSender(options: { server: SmtpServer; from: string; clock: Clock }): MailSender {
  const { host } = options.server
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport(toTransport(options.server))
  }
  let transport: ReturnType<typeof open> | undefined
  return {
    async send(mail, signal) {
      const out = await (transport ??= open())
      const message = toMessage(mail, options)
      let isHandedOver = false
      message.attachments.at(-1)?.content.once('end', () => {
        isHandedOver = true
      })
      await out.sendMail({ ...message, ...(signal && { signal }) }).catch((error: NodemailerError) => {
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
  const { code, responseCode, permanent, response } = error
  // Without an answer, a mail that cannot be addressed is the only thing that time does not fix.
  const refused = responseCode === undefined ? code === 'EENVELOPE' : permanent && !aboutUs.has(responseCode)
  const final = refused === true && (code === 'EENVELOPE' || code === 'EMESSAGE')
  // Some servers quote the text that they object to, and with it a link that only its reader may have.
  const answer = redactText(response ?? error.message).slice(0, 300)
  const what = response === undefined ? 'cannot be reached or used' : 'refused a mail'
  return new MailError(`The mail server ${host} ${what}: ${answer}`, {
    final,
    unknown: isHandedOver && responseCode === undefined,
  })
}
