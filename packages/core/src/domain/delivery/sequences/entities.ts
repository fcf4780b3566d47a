import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import type { LeadSource } from '../leads/entities.ts'
import type { LeadStatus } from '../leads/fields.ts'
import type { mailStatuses } from '../mailing/entities.ts'
import type { SequenceChannel } from './channels.ts'

/** `review`: mails that ask for reviews, of which people release one after the other. */
export const sequenceKinds = ['email', 'review'] as const
/** `mailing`: one newsletter, which is shown among the mailings and not among the sequences of its campaign. */
export type SequenceKind = (typeof sequenceKinds)[number] | 'mailing'

export const triggerTypes = ['on_subscribe', 'on_date', 'manual'] as const
export type TriggerType = (typeof triggerTypes)[number]

/** `paused`: activated once, and stopped by a change until it is activated again. */
export const sequenceStatuses = ['draft', 'active', 'paused', 'completed'] as const
/** `cancelled`: a mailing that a person has ended. */
export type SequenceStatus = (typeof sequenceStatuses)[number] | 'cancelled'

/** Which leads of the tenant it is for; an empty list is no limit. */
export interface LeadAudience {
  statuses: readonly LeadStatus[]
  sources: readonly LeadSource[]
  tag: string | null
}

/** Mails of a campaign that each contact gets one after the other. */
export const CampaignSequence = defineEntity({
  name: 'CampaignSequence',
  tableName: 'campaign_sequences',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn(),
    kind: p.string().$type<SequenceKind>(),
    channel: p.string().$type<SequenceChannel>().default('email'),
    /** Of a mailing: the activity whose text it is, and the SHA-256 of that text. */
    activityId: refColumn().strictNullable(),
    contentHash: p.string().length(64).strictNullable(),
    /** How many steps may go out; null is all of them. */
    released: p.integer().strictNullable(),
    name: p.string(),
    triggerType: p.string().$type<TriggerType>(),
    /** Of `on_date`; null until it is known. */
    startsAt: instantColumn().strictNullable(),
    audience: p.json().$type<LeadAudience>(),
    status: p.string().$type<SequenceStatus>(),
    /** The place in the list of leads up to which contacts were taken in, and the last that will be; null: all that come. */
    leadsRead: p.integer(),
    lastLead: p.integer().strictNullable(),
    /** Contacts by their status. */
    waiting: p.integer(),
    done: p.integer(),
    stopped: p.integer(),
    activatedOn: instantColumn().strictNullable(),
    /** Of the e-mail platform by which its mails go; null where this server sends them. */
    channelId: refColumn().strictNullable(),
    /** The platform takes no mails until then, and why; null while it does. */
    heldUntil: instantColumn().strictNullable(),
    heldReason: p.text().strictNullable(),
    /** When it is looked at next; null while nothing is to be done. */
    nextAt: instantColumn().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  indexes: [
    { name: 'campaign_sequences_by_campaign', properties: ['campaignId', 'id'] },
    { name: 'campaign_sequences_by_tenant', properties: ['tenantId', 'id'] },
    {
      name: 'campaign_sequences_by_activity',
      properties: ['activityId'],
      where: 'activity_id is not null',
    },
    // Of the calendar.
    {
      name: 'campaign_sequences_dated',
      properties: ['tenantId', 'startsAt', 'id'],
      where: 'starts_at is not null',
    },
    {
      name: 'campaign_sequences_at_once',
      properties: ['tenantId', 'createdOn', 'id'],
      where: "kind = 'mailing' and starts_at is null",
    },
    { name: 'campaign_sequences_due', properties: ['nextAt'], where: 'next_at is not null' },
  ],
  filters: ownedByTenant,
})
export type SequenceRow = InferEntity<typeof CampaignSequence>

/** One mail of a sequence. */
export const SequenceStep = defineEntity({
  name: 'SequenceStep',
  tableName: 'sequence_steps',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    sequenceId: refColumn(),
    /** The first is 0. */
    position: p.integer(),
    subject: p.string(),
    body: p.text(),
    /** Days after the step before; of the first one, after the contact was taken in. */
    delayDays: p.integer(),
    /** SHA-256 of the text that a person has approved: no other text is sent. */
    approvedHash: p.string().length(64).strictNullable(),
    approvedById: p.string().strictNullable(),
    approvedByName: p.string().strictNullable(),
    /** Mails of it by what became of them. */
    sent: p.integer(),
    failed: p.integer(),
    unknown: p.integer(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'sequence_steps_position', properties: ['sequenceId', 'position'] }],
  indexes: [{ name: 'sequence_steps_by_tenant', properties: ['tenantId', 'id'] }],
  filters: ownedByTenant,
})
export type StepRow = InferEntity<typeof SequenceStep>

/** Why a contact gets no more. */
export const stopReasons = [
  'answered',
  'unsubscribed',
  'declined',
  'suppressed',
  'converted',
  'unqualified',
  'removed',
  'changed',
] as const
export type StopReason = (typeof stopReasons)[number]

/** A lead in a sequence. */
export const SequenceContact = defineEntity({
  name: 'SequenceContact',
  tableName: 'sequence_contacts',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    sequenceId: refColumn(),
    leadId: refColumn(),
    /** The address under which it was taken in, see `addressFor`. */
    address: p.string(),
    status: p.string().$type<'waiting' | 'done' | 'stopped'>(),
    stopReason: p.string().$type<StopReason>().strictNullable(),
    /** The position of the step that is next. */
    nextPosition: p.integer(),
    nextAt: instantColumn().strictNullable(),
    /** In the link by which it unsubscribes: nobody else can know it. */
    linkKey: p.string().length(32),
    createdOn: instantColumn(),
  },
  uniques: [
    { name: 'sequence_contacts_once', properties: ['sequenceId', 'address'] },
    { name: 'sequence_contacts_link', properties: ['linkKey'] },
  ],
  indexes: [
    {
      name: 'sequence_contacts_due',
      properties: ['sequenceId', 'nextAt', 'id'],
      where: "status = 'waiting'",
    },
    { name: 'sequence_contacts_by_tenant', properties: ['tenantId', 'address'] },
  ],
  filters: ownedByTenant,
})
export type ContactRow = InferEntity<typeof SequenceContact>

/** The intent to send one step to one contact, written before it is handed over. */
export const SequenceMail = defineEntity({
  name: 'SequenceMail',
  tableName: 'sequence_mails',
  properties: {
    /** Of the mail as well. */
    id: idColumn(),
    tenantId: refColumn(),
    sequenceId: refColumn(),
    stepId: refColumn(),
    contactId: refColumn(),
    contentHash: p.string().length(64),
    status: p.string().$type<(typeof mailStatuses)[number]>(),
    attempts: p.integer(),
    /** While it is `sending`: until when that counts as alive. While it is `waiting`: when it is tried again. */
    until: instantColumn().strictNullable(),
    error: p.text().strictNullable(),
    /** The `Message-ID` that a platform has given it; null where this server sends it, under its id. */
    messageId: p.text().strictNullable(),
    at: instantColumn(),
  },
  uniques: [{ name: 'sequence_mails_once', properties: ['contactId', 'stepId'] }],
  indexes: [
    { name: 'sequence_mails_open', properties: ['sequenceId', 'until'], where: 'until is not null' },
    { name: 'sequence_mails_by_tenant', properties: ['tenantId', 'id'] },
    {
      name: 'sequence_mails_by_message_id',
      properties: ['messageId'],
      where: 'message_id is not null',
    },
  ],
  filters: ownedByTenant,
})
export type SequenceMailRow = InferEntity<typeof SequenceMail>

export const sequenceEntities = [CampaignSequence, SequenceStep, SequenceContact, SequenceMail]
