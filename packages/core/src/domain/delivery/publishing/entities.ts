import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import type { ChannelType } from '../../accounts/channels/entities.ts'
import type { FailureKind } from '../../accounts/channels/platform-error.ts'
import type { Progress } from './connector.ts'
import type { LinkTags } from './link-tags/tags.ts'

export const publicationStatuses = [
  'scheduled',
  'sending',
  'published',
  'failed',
  'unknown',
  'held',
  'cancelled',
  'removed',
] as const
export type PublicationStatus = (typeof publicationStatuses)[number]

/** Why an intent is held: nothing is sent until a person has seen to it. */
export const holdReasons = [
  'content_changed',
  'not_approved',
  'channel_disconnected',
  'account_choice',
  'campaign_stopped',
] as const
export type HoldReason = (typeof holdReasons)[number]

/** How a newer text stands that is to take the place of the one that is out. */
export const changeStatuses = ['waiting', 'sending', 'failed', 'held'] as const
export type ChangeStatus = (typeof changeStatuses)[number]

/** The intent to publish one approved text to one channel, written before the platform is asked for anything. */
export const Publication = defineEntity({
  name: 'Publication',
  tableName: 'publications',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    /** The piece, by the activity whose text it is. */
    activityId: refColumn(),
    title: p.string(),
    /** The version that goes out, and its SHA-256: nothing else does. */
    outputId: refColumn(),
    contentHash: p.string().length(64),
    /** What its links are given; settled when it is planned, so that all attempts send the same. */
    linkTags: p.json().$type<LinkTags>().strictNullable(),
    channelId: refColumn(),
    channelType: p.string().$type<ChannelType>(),
    /** Of the account that it was last sent to; null before, and where the channel has one only. */
    accountKey: p.string().strictNullable(),
    status: p.string().$type<PublicationStatus>(),
    holdReason: p.string().$type<HoldReason>().strictNullable(),
    /** When people want it to go out. */
    scheduledFor: instantColumn(),
    /** When it is looked at next; null once nothing more happens by itself. */
    nextAt: instantColumn().strictNullable(),
    /** Counts the turns; what an older one says is refused. */
    attempt: p.integer(),
    /** Until then the present turn counts as alive. */
    leaseUntil: instantColumn().strictNullable(),
    /** A request that must not be repeated may have gone out, and what came of it is not known. */
    touched: p.boolean(),
    progress: p.json().$type<Progress>(),
    /** Turns in a row that have failed in a way that another may fix. */
    failures: p.integer(),
    /** How often the platform was asked what has become of it. */
    checks: p.integer(),
    /** A person has been asked what has become of it. */
    asked: p.boolean(),
    errorKind: p.string().$type<FailureKind>().strictNullable(),
    error: p.text().strictNullable(),
    externalId: p.text().strictNullable(),
    url: p.text().strictNullable(),
    publishedAt: instantColumn().strictNullable(),
    /** When a newer text last took the place of the one that was out. */
    changedAt: instantColumn().strictNullable(),
    /** The newer text that waits to do so, and its SHA-256; null, as all of its columns, where none does. */
    changeOutputId: refColumn().strictNullable(),
    changeHash: p.string().length(64).strictNullable(),
    changeStatus: p.string().$type<ChangeStatus>().strictNullable(),
    changeHoldReason: p.string().$type<HoldReason>().strictNullable(),
    /** When it is looked at next; null once nothing more happens by itself. */
    changeNextAt: instantColumn().strictNullable(),
    /** Turns in a row that have failed in a way that another may fix. */
    changeFailures: p.integer().default(0),
    changeErrorKind: p.string().$type<FailureKind>().strictNullable(),
    changeError: p.text().strictNullable(),
    requestedById: p.string(),
    requestedByName: p.string(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [
    {
      name: 'publications_once',
      properties: ['activityId', 'channelId'],
      where: "status <> 'cancelled' and status <> 'removed'",
    },
  ],
  indexes: [
    { name: 'publications_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'publications_by_status', properties: ['tenantId', 'status', 'id'] },
    { name: 'publications_by_channel', properties: ['channelId', 'status', 'publishedAt'] },
    {
      name: 'publications_ahead',
      properties: ['tenantId', 'scheduledFor', 'id'],
      where: "published_at is null and status <> 'cancelled'",
    },
    {
      name: 'publications_out',
      properties: ['tenantId', 'publishedAt', 'id'],
      where: "status = 'published'",
    },
    { name: 'publications_slots', properties: ['channelId', 'scheduledFor'], where: 'published_at is null' },
    { name: 'publications_due', properties: ['nextAt'], where: 'next_at is not null' },
    {
      name: 'publications_changes_due',
      properties: ['changeNextAt'],
      where: 'change_next_at is not null',
    },
    {
      name: 'publications_changes_held',
      properties: ['channelId', 'id'],
      where: 'change_hold_reason is not null',
    },
  ],
  filters: ownedByTenant,
})

export type PublicationRow = InferEntity<typeof Publication>
