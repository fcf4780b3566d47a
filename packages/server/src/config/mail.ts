import type { MailOptions } from '@copydesk/core'
import { z } from 'zod'
import { text, webUrl, whole } from './parts.ts'

const address = /^(?:[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/
const mails = () => whole().min(0, 'must not be negative').max(1_000_000)

const Smtp = () =>
  z
    .strictObject({
      url: z
        .string()
        .regex(
          /^smtps?:\/\/(?:[^\s/?#@]*@)?[^\s/?#@]+\/?$/,
          'must have the form smtp://user:password@host:port, or smtps:// for TLS from the start; characters such as "@" in a password are written as %40',
        )
        .optional(),
      host: text().optional(),
      port: whole().min(1).max(65_535, 'must be 65535 or less').optional(),
      user: text().optional(),
      password: text().optional(),
      secure: z.boolean().optional(),
    })
    .superRefine(({ url, host, ...rest }, { addIssue }) => {
      const wrong = (path: string, message: string) => addIssue({ code: 'custom', path: [path], message })
      const parts = Object.values({ host, ...rest }).some((part) => part !== undefined)
      if (url !== undefined && parts)
        wrong('url', 'contains all settings: omit host, port, user, password and secure')
      else if (url === undefined && host === undefined) wrong('host', 'is missing')
      if ((rest.user === undefined) !== (rest.password === undefined))
        wrong(rest.user === undefined ? 'user' : 'password', 'is missing')
    })

/** `mail` of the configuration. */
export const Mail = () =>
  z
    .strictObject({
      from: z.string().regex(address, 'must be an address, or have the form Name <address>').optional(),
      links: webUrl().optional(),
      smtp: Smtp().optional(),
      api: z.strictObject({ key: text(), baseUrl: webUrl().optional() }).optional(),
      cloud: z
        .strictObject({
          region: text(),
          accessKeyId: text(),
          secretAccessKey: text(),
          baseUrl: webUrl().optional(),
        })
        .optional(),
      dkim: z.strictObject({ domain: text(), selector: text(), privateKey: text() }).optional(),
      /** Of the events of a mail service. */
      webhookSecrets: z
        .array(
          text().regex(
            /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/,
            'must have the form whsec_…, as the service shows it',
          ),
        )
        .min(1, 'needs one secret')
        .max(2, 'has room for two secrets')
        .optional(),
      /** E-mails a day (UTC) to people without an account. */
      limits: z.strictObject({ perTenant: mails().optional(), total: mails().optional() }).optional(),
    })
    .superRefine(({ from, smtp, api, cloud }, { addIssue }) => {
      if ((smtp ?? api ?? cloud) && from === undefined)
        addIssue({ code: 'custom', path: ['from'], message: 'is missing: the sender address of e-mails' })
    })
export type Mail = z.output<ReturnType<typeof Mail>>

/** The same in the form that the core expects. */
export function toMailOptions({ from, links, smtp, api, cloud, dkim, ...more }: Mail): MailOptions {
  const { url, host = '', ...rest } = smtp ?? {}
  const { webhookSecrets, limits: { perTenant, total } = {} } = more
  return {
    ...(from && { from }),
    ...(links && { links }),
    ...(smtp && { smtp: url ?? { host, ...rest } }),
    ...(api && { api }),
    ...(cloud && { cloud }),
    // In an environment variable the lines of a key are often joined by "\\n".
    ...(dkim && { dkim: { ...dkim, privateKey: dkim.privateKey.replaceAll('\\n', '\n') } }),
    ...(webhookSecrets && { webhookSecrets }),
    limits: { ...(perTenant !== undefined && { perTenant }), ...(total !== undefined && { total }) },
  }
}
