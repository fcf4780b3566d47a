import { z } from 'zod'
import { mailWays } from '../../../../platform/mail/mail.ts'
import { isoDate, ulid } from '../../../../platform/wire.ts'
import { emailCategories } from './entities.ts'

const variable = z.object({
  key: z
    .string()
    .regex(/^[A-Za-z]\w{0,39}$/, 'A variable is a letter, and up to 39 letters, digits and underscores'),
  description: z.string().trim().max(300),
  required: z.boolean(),
})

const fields = {
  name: z.string().trim().min(1).max(120),
  subject: z.string().trim().min(1).max(200),
  bodyHtml: z.string().min(1).max(100_000),
  bodyText: z.string().min(1).max(100_000),
  variables: z
    .array(variable)
    .max(50)
    .refine((all) => new Set(all.map(({ key }) => key)).size === all.length, 'Each key stands there once'),
  category: z.enum(emailCategories),
  sendVia: z.enum(mailWays),
}

export const EmailTemplateItem = z.object({
  id: ulid,
  name: z.string(),
  slug: z.string(),
  subject: z.string(),
  category: z.enum(emailCategories),
  isActive: z.boolean(),
  tenantId: ulid.nullable(),
  sendVia: z.enum(mailWays),
  updatedOn: isoDate,
})
export type EmailTemplateItem = z.output<typeof EmailTemplateItem>
export const EmailTemplateList = z.object({ data: z.array(EmailTemplateItem) })

export const EmailTemplateDetail = EmailTemplateItem.extend({
  bodyHtml: z.string(),
  bodyText: z.string(),
  variables: z.array(variable),
})
export type EmailTemplateDetail = z.output<typeof EmailTemplateDetail>

export const EmailTemplateQuery = z.object({
  'filter.category': z.enum(emailCategories).optional(),
  'filter.tenantId': ulid.optional(),
})
export type EmailTemplateQuery = z.output<typeof EmailTemplateQuery>

export const NewEmailTemplate = z.object({
  ...fields,
  slug: z
    .string()
    .max(60)
    .regex(/^[a-z\d]+(?:-[a-z\d]+)*$/, 'A slug is made of small letters and digits, joined by hyphens'),
  /** Makes it what this tenant has in place of the installation's. */
  tenantId: ulid.optional(),
})
export type NewEmailTemplate = z.output<typeof NewEmailTemplate>

export const EmailTemplateChanges = z.object({ ...fields, isActive: z.boolean() }).partial()
export type EmailTemplateChanges = z.output<typeof EmailTemplateChanges>

export const EmailPreview = z.object({
  to: z.email().max(254),
  sampleVariables: z.record(z.string().max(40), z.string().max(10_000)),
})
export type EmailPreview = z.output<typeof EmailPreview>

export const EmailPreviewReply = z.object({ sent: z.literal(true), messageId: z.string() })
