import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import type { mailStatuses } from '../mailing/entities.ts'

/** `approved`: no one has sent it yet. `stopped`: it was on its way to be sent when something spoke against it; `error` says what. */
type OutreachStatus = 'approved' | 'stopped' | (typeof mailStatuses)[number]

/** A mail of an approved text to someone who was not in touch with the tenant. A campaign writes to an address once. */
export const OutreachMail = defineEntity({
  name: 'OutreachMail',
  tableName: 'outreach_mails',
  properties: {
    /** Of the mail as well. */
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn(),
    activityId: refColumn(),
    /** As it stands in the text. */
    recipient: p.string(),
    /** In lower case. */
    address: p.string(),
    subject: p.string(),
    body: p.text(),
    /** SHA-256 of the approved text that it is a part of. */
    contentHash: p.string().length(64),
    status: p.string().$type<OutreachStatus>(),
    attempts: p.integer(),
    /** While it is `sending`: until when that counts as alive. While it is `waiting`: when it is tried. */
    until: instantColumn().strictNullable(),
    error: p.text().strictNullable(),
    /** The user who has sent it, and the address that answers go to; null until then. */
    sentById: p.string().strictNullable(),
    replyTo: p.string().strictNullable(),
    /** In the link by which its recipient unsubscribes: nobody else can know it. */
    linkKey: p.string().length(32),
    createdOn: instantColumn(),
    at: instantColumn(),
  },
  uniques: [
    { name: 'outreach_mails_once', properties: ['campaignId', 'address'] },
    { name: 'outreach_mails_link', properties: ['linkKey'] },
  ],
  indexes: [
    { name: 'outreach_mails_by_campaign', properties: ['campaignId', 'status', 'id'] },
    { name: 'outreach_mails_by_activity', properties: ['activityId', 'status'] },
    { name: 'outreach_mails_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'outreach_mails_open', properties: ['until'], where: 'until is not null' },
  ],
  filters: ownedByTenant,
})
export type OutreachMailRow = InferEntity<typeof OutreachMail>
