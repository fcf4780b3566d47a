import { z } from 'zod'
import { isDkimKey } from '../platform/mail/compose.ts'
import { webhookSecret } from '../platform/mail/service-events.ts'

const text = z.string().min(1, 'is empty')
const whole = z.int('must be a whole number')
const mails = whole.min(0, 'must not be negative')

/** The option `mail`, as it is given. */
export const MailInput = z.strictObject({
  from: text.optional(),
  links: text.optional(),
  smtp: z
    .union([
      text,
      z.strictObject({
        host: text,
        port: whole.min(1).max(65_535).optional(),
        user: text.optional(),
        password: text.optional(),
        secure: z.boolean().optional(),
      }),
    ])
    .optional(),
  api: z.strictObject({ key: text, baseUrl: text.optional() }).optional(),
  cloud: z
    .strictObject({
      region: text,
      accessKeyId: text,
      secretAccessKey: text,
      baseUrl: text.optional(),
      topic: z
        .strictObject({
          arn: z
            .string()
            .regex(/^arn:aws[\w-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/, 'must be the ARN of a topic of SNS'),
          baseUrl: text.optional(),
        })
        .optional(),
    })
    .optional(),
  dkim: z
    .strictObject({
      domain: text,
      selector: text,
      privateKey: z.string().refine(isDkimKey, 'must be a private RSA key in PEM'),
    })
    .optional(),
  webhookSecrets: z
    .array(text.regex(webhookSecret, 'must have the form whsec_…, as the service shows it'))
    .min(1, 'needs one secret')
    .max(2, 'has room for two secrets')
    .optional(),
  limits: z.strictObject({ perTenant: mails.optional(), total: mails.optional() }).optional(),
})
