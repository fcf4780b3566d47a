import { isIP } from 'node:net'
import type { Clock } from '../clock.ts'
import type { HttpClient } from '../http/client.ts'
import type { Logger } from '../log.ts'
import { createApiSender, type MailApiOptions } from './api.ts'
import { type CloudMailOptions, createCloudSender } from './cloud.ts'
import type { DkimOptions } from './compose.ts'
import { createFolderSender } from './folder.ts'
import { addressIn, type MailSender, type MailWay, type MailWayOut } from './mail.ts'
import { createSmtpSender, parseSmtpUrl, type SmtpServer } from './smtp.ts'
import { oneLine } from './text.ts'

/** How mails leave an installation. */
export interface MailOptions {
  /** Sender of every mail, an address or `Name <address>`. Default: `Copydesk` at the host of the base URL. */
  from?: string
  /**
   * What the links in mails begin with: the web application that has the pages `/reset-password` and
   * `/accept-invitation`. Default: the base URL.
   */
  links?: string
  /** The way `smtp`: a URL, or its parts. */
  smtp?: string | SmtpServer
  /** The way `mail_api`. */
  api?: MailApiOptions
  /** The way `cloud_mail`. */
  cloud?: CloudMailOptions
  /** Signs what leaves by `smtp` and `cloud_mail`; a mail service signs by itself. */
  dkim?: DkimOptions
  /** What a mail service signs its events with (`whsec_…`); two while one is exchanged for the other. */
  webhookSecrets?: string[]
  /** Mails a day (UTC) to people who are no users yet, such as invitations: of one tenant (default 50), of all together (default 500). */
  limits?: { perTenant?: number; total?: number }
}

/** The ways out that the options describe. Without any, mails are written to files in the data folder, as the way `smtp`. */
export function createMailSender(parts: {
  options: MailOptions
  baseUrl: string
  /** For mails when there is no way out. */
  folder: string
  http: HttpClient
  clock: Clock
  log: Logger
}): MailSender {
  const { options, clock } = parts
  const { hostname } = new URL(parts.baseUrl)
  const host = isIP(hostname.replace(/[[\]]/g, '')) === 0 ? hostname : 'localhost'
  const from = options.from ?? `Copydesk <copydesk@${host}>`
  const domain = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
  const address = addressIn(from)
  const all = waysOut(parts)
  const [usual] = all
  const each = all.map(([, out]) => out)
  return {
    ways: all.map(([way]) => way) as [MailWay, ...MailWay[]],
    async send({ fromName, ...mail }, signal) {
      const [, out] = all.find(([way]) => way === mail.via) ?? usual
      const messageId = `<${mail.id}@${domain}>`
      const sender = fromName === undefined ? from : named(fromName, address)
      await out.send({ ...mail, from: sender, messageId, date: clock.date() }, signal)
      return messageId
    },
    check: async () => (await Promise.all(each.map((out) => out.check()))).join('; '),
    close: async () => void (await Promise.all(each.map((out) => out.close()))),
  }
}

/** Marks that would end the name, or look like another address, are left out. */
const named = (name: string, address: string): string =>
  `"${oneLine(name)
    .replace(/["\\<>@]/g, ' ')
    .trim()
    .slice(0, longestName)
    .toWellFormed()}" <${address}>`

const longestName = 100

type Ways = [[MailWay, MailWayOut], ...Array<[MailWay, MailWayOut]>]

function waysOut({ options, folder, http, clock, log }: Parameters<typeof createMailSender>[0]): Ways {
  const { smtp, api, cloud, dkim } = options
  const ways: Array<[MailWay, MailWayOut]> = []
  if (smtp !== undefined) {
    const server = typeof smtp === 'string' ? parseSmtpUrl(smtp) : smtp
    ways.push(['smtp', createSmtpSender({ server, dkim })])
  }
  if (api) ways.push(['mail_api', createApiSender({ options: api, http })])
  if (cloud) ways.push(['cloud_mail', createCloudSender({ options: cloud, dkim, http, clock })])
  const [first, ...others] = ways
  return first ? [first, ...others] : [['smtp', createFolderSender({ folder, dkim, log })]]
}
