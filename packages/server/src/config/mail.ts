import type { MailOptions } from '@copydesk/core'
import { z } from 'zod'

const address = /^(?:[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/
const mails = z.int('must be a whole number').min(0, 'must not be negative').max(1_000_000)
const text = z.string().min(1, 'is empty')

const Smtp = z
  .strictObject({
    url: z
      .string()
      .regex(
        /^smtps?:\/\/(?:[^\s/?#@]*@)?[^\s/?#@]+\/?$/,
        'must have the form smtp://user:password@host:port, or smtps:// for TLS from the start; characters such as "@" in a password are written as %40',
      )
      .optional(),
    host: text.optional(),
    port: z.int('must be a whole number').min(1).max(65_535, 'must be 65535 or less').optional(),
    user: text.optional(),
    password: text.optional(),
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
export const Mail = z
  .strictObject({
    from: z.string().regex(address, 'must be an address, or have the form Name <address>').optional(),
    links: z
      .url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' })
      .optional(),
    smtp: Smtp.optional(),
    /** E-mails a day (UTC) to people without an account. */
    limits: z.strictObject({ perTenant: mails.optional(), total: mails.optional() }).optional(),
  })
  .superRefine(({ from, smtp }, { addIssue }) => {
    if (smtp && from === undefined)
      addIssue({ code: 'custom', path: ['from'], message: 'is missing: the sender address of e-mails' })
  })
export type Mail = z.output<typeof Mail>

/** The same in the form that the core expects. */
export function toMailOptions({ from, links, smtp, limits }: Mail): MailOptions {
  const { url, host = '', ...rest } = smtp ?? {}
  const { perTenant, total } = limits ?? {}
  return {
    ...(from && { from }),
    ...(links && { links }),
    ...(smtp && { smtp: url ?? { host, ...rest } }),
    limits: { ...(perTenant !== undefined && { perTenant }), ...(total !== undefined && { total }) },
  }
}
