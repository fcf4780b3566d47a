import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { createDirectoryBlobs } from '../blobs.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import { type MailSender, toMessage } from './mail.ts'
import { createSmtpSender, parseSmtpUrl, type SmtpServer } from './smtp.ts'

/** How mails leave an installation. */
export interface MailOptions {
  /** Sender of every mail, an address or `Name <address>`. Default: `Copydesk` at the host of the base URL. */
  from?: string
  /**
   * What the links in mails begin with: the web application that has the pages `/reset-password` and
   * `/accept-invitation`. Default: the base URL.
   */
  links?: string
  /** A URL, or its parts. Without it mails are written to files in the data folder. */
  smtp?: string | SmtpServer
  /** Mails a day (UTC) to people who are no users yet, such as invitations: of one tenant (default 50), of all together (default 500). */
  limits?: { perTenant?: number; total?: number }
}

/** The way out that the options describe. */
export function createMailSender(parts: {
  options: MailOptions
  baseUrl: string
  /** For mails when there is no server. */
  folder: string
  clock: Clock
  log: Logger
}): MailSender {
  const { options, folder, clock, log } = parts
  const { hostname } = new URL(parts.baseUrl)
  const domain = isIP(hostname.replace(/[[\]]/g, '')) === 0 ? hostname : 'localhost'
  const from = options.from ?? `Copydesk <copydesk@${domain}>`
  if (options.smtp === undefined) return createFolderSender({ folder, from, clock, log })
  const server = typeof options.smtp === 'string' ? parseSmtpUrl(options.smtp) : options.smtp
  return createSmtpSender({ server, from, clock })
}

/** Where there is no mail server: each mail is a file that a mail program opens. A second try replaces the first. */
function createFolderSender(options: {
  folder: string
  from: string
  clock: Clock
  log: Logger
}): MailSender {
  const folder = resolve(options.folder)
  const files = createDirectoryBlobs(folder)
  return {
    async send(mail) {
      const { createTransport } = await import('nodemailer')
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
      const { message } = await composer.sendMail(toMessage(mail, options))
      const name = `${mail.id}.eml`
      await files.put(name, message as Buffer)
      options.log.info('no mail server is configured, so a mail was written to a file', {
        path: join(folder, name),
      })
    },
    async check() {
      await files.check()
      return `no mail server is configured: mails are written to ${folder}`
    },
  }
}
