import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../../platform/database/columns.ts'
import type { BounceKind } from '../../../../platform/mail/bounce-report.ts'

/** A mail that was handed over, so that what comes back later is known to be about it: only its reader can know its id. */
export const SentMail = defineEntity({
  name: 'SentMail',
  tableName: 'sent_mails',
  properties: {
    /** Of the mail; it is in the mail's headers. */
    id: idColumn(),
    /** Whose mail it was; null for a mail of no tenant. */
    tenantId: refColumn().strictNullable(),
    /** In lower case. */
    address: p.string(),
    /** What came back, the worst of it. */
    bounce: p.string().$type<BounceKind>().strictNullable(),
    sentOn: instantColumn(),
  },
  indexes: [{ name: 'sent_mails_by_address', properties: ['address', 'id'] }],
})
export type SentMailRow = InferEntity<typeof SentMail>

export const suppressionReasons = ['hard_bounce', 'soft_bounces', 'complaint'] as const
export type SuppressionReason = (typeof suppressionReasons)[number]

/** An address that no mail goes to any more, until an operator lifts it. */
export const SuppressedAddress = defineEntity({
  name: 'SuppressedAddress',
  tableName: 'suppressed_addresses',
  properties: {
    id: idColumn(),
    /** In lower case. */
    address: p.string(),
    reason: p.string().$type<SuppressionReason>(),
    /** What the mail server, or the mail service, has said. */
    detail: p.text(),
    /** The mail that came back last. */
    mailId: refColumn(),
    /** The tenant of its user, or else of that mail. */
    tenantId: refColumn().strictNullable(),
    createdOn: instantColumn(),
  },
  uniques: [{ name: 'suppressed_addresses_once', properties: ['address'] }],
})

export const bounceEntities = [SentMail, SuppressedAddress]
