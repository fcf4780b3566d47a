import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'
import type { MailWay } from '../../../../platform/mail/mail.ts'

export const emailCategories = [
  'approval',
  'report_delivery',
  'onboarding',
  'billing',
  'alert',
  'custom',
] as const
export type EmailCategory = (typeof emailCategories)[number]

/** What a template takes from outside. */
export interface TemplateVariable {
  key: string
  description: string
  required: boolean
}

/** What one kind of mail says, in Liquid: for all tenants, or for one in place of that. */
export const EmailTemplate = defineEntity({
  name: 'EmailTemplate',
  tableName: 'email_templates',
  properties: {
    id: idColumn(),
    /** Null for a template of the installation; those are read by hand-written statements only. */
    tenantId: refColumn().strictNullable(),
    /** By which mails look for it; a tenant's has that of the one which it replaces. */
    slug: p.string(),
    name: p.string(),
    subject: p.string(),
    bodyHtml: p.text(),
    bodyText: p.text(),
    variables: p.json().$type<TemplateVariable[]>(),
    category: p.string().$type<EmailCategory>(),
    isActive: p.boolean(),
    sendVia: p.string().$type<MailWay>(),
    /** It has never been changed, so a newer version of the product may bring a newer text. */
    isShipped: p.boolean(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [
    { name: 'email_templates_slug', properties: ['tenantId', 'slug'], where: 'tenant_id is not null' },
    { name: 'email_templates_global_slug', properties: ['slug'], where: 'tenant_id is null' },
  ],
  filters: ownedByTenant,
})

export type EmailTemplateRow = InferEntity<typeof EmailTemplate>
