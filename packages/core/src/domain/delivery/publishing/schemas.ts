import { z } from 'zod'
import { isoDate, page, pageQuery, ulid } from '../../../platform/wire.ts'
import { channelTypes } from '../../accounts/channels/entities.ts'
import { failureKinds } from '../../accounts/channels/platform-error.ts'
import { changeStatuses, holdReasons, publicationStatuses } from './entities.ts'

/** A newer text that is to take the place of the one that is out. */
const PublicationChange = z.object({
  /** `failed` and `held`: a person has to see to it. */
  status: z.enum(changeStatuses),
  /** SHA-256 of the newer text. */
  contentHash: z.string(),
  holdReason: z.enum(holdReasons).nullable(),
  /** What went wrong, in words for people. */
  error: z.string().nullable(),
  /** When it is tried next. */
  nextAt: isoDate.nullable(),
})

/** One piece on its way to one channel. */
export const PublicationItem = z.object({
  id: ulid,
  activityId: ulid,
  title: z.string(),
  channelId: ulid,
  channelType: z.enum(channelTypes),
  status: z.enum(publicationStatuses),
  /** SHA-256 of the text that goes out; no other does. */
  contentHash: z.string(),
  scheduledFor: isoDate,
  /** When it is tried, or the platform is asked, next. */
  nextAt: isoDate.nullable(),
  /** Why it is held. */
  holdReason: z.enum(holdReasons).nullable(),
  errorKind: z.enum(failureKinds).nullable(),
  /** What went wrong, in words for people. */
  error: z.string().nullable(),
  /** Only a person can tell what has become of it: say so by `reconcile`. */
  needsAnswer: z.boolean(),
  url: z.string().nullable(),
  publishedAt: isoDate.nullable(),
  /** When a newer text last took the place of the one that was out. */
  changedAt: isoDate.nullable(),
  /** A newer text that waits to do so; null where none does. */
  change: PublicationChange.nullable(),
  requestedByName: z.string(),
  createdOn: isoDate,
})
export type PublicationItem = z.output<typeof PublicationItem>
export const PublicationPage = page(PublicationItem)

export const PublicationQuery = pageQuery.extend({
  'filter.status': z.enum(publicationStatuses).optional(),
  'filter.channelId': ulid.optional(),
  'filter.activityId': ulid.optional(),
})
export type PublicationQuery = z.output<typeof PublicationQuery>

export const NewPublication = z.object({
  activityId: ulid,
  channelId: ulid,
  /** Default, and for what lies in the past: at once. */
  scheduleFor: isoDate.optional(),
})
export type NewPublication = z.output<typeof NewPublication>

/** One of the pages or sites that a consent opens. */
const ChannelAccountItem = z.object({ id: z.string(), name: z.string(), chosen: z.boolean() })
export const ChannelAccountList = z.object({ data: z.array(ChannelAccountItem) })
export type ChannelAccountList = z.output<typeof ChannelAccountList>

export const AccountChoice = z.object({
  /** The `id` of one of them. */
  account: z.string().min(1).max(100),
})
export type AccountChoice = z.output<typeof AccountChoice>

/** How a text would look on one kind of channel. */
const Preview = z.object({
  channelType: z.enum(channelTypes),
  /** Null where none was ever connected. */
  channelId: ulid.nullable(),
  connected: z.boolean(),
  /** `article`: title and HTML; `post`: plain text with pictures. */
  takes: z.enum(['article', 'post']),
  title: z.string(),
  /** HTML or plain text; the first 20,000 characters. */
  text: z.string(),
  excerpt: z.string(),
  /** Each length that the platform has a limit for, counted as it counts. */
  measures: z.array(z.object({ unit: z.string(), count: z.int(), max: z.int() })),
  pictures: z.array(z.object({ url: z.string(), alt: z.string() })),
  /** Why the channel cannot take it; empty when it can. */
  problems: z.array(z.string()),
})
export const PreviewQuery = z.object({
  /** `check` opens the links of the text, which takes up to 15 seconds. */
  links: z.enum(['check']).optional(),
})
export type PreviewQuery = z.output<typeof PreviewQuery>

const LinkState = z.object({
  url: z.string(),
  /** `unclear`: a server that answers programs otherwise than people, or not now; `unchecked`: beyond the first twenty. */
  state: z.enum(['ok', 'broken', 'unclear', 'unchecked']),
  /** Why it is not `ok`. */
  words: z.string().nullable(),
})
export type LinkState = z.output<typeof LinkState>

export const PreviewList = z.object({
  activityId: ulid,
  /** SHA-256 of the text. */
  contentHash: z.string(),
  /** Whether a verdict covers it, so that it can be published. */
  approved: z.boolean(),
  data: z.array(Preview),
  /** The links of the text in its order; absent where they were not to be checked. */
  links: z.array(LinkState).optional(),
})
export type PreviewList = z.output<typeof PreviewList>

export const ReconcileInput = z.object({
  /** What a person has seen at the platform. Left out, the platform is asked once more. */
  outcome: z.enum(['published', 'not_published']).optional(),
  /** Where it is. */
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional(),
})
export type ReconcileInput = z.output<typeof ReconcileInput>
