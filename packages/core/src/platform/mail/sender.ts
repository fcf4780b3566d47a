import { isIP } from 'node:net'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import { createFolderSender } from './folder.ts'
import type { MailSender } from './mail.ts'
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
