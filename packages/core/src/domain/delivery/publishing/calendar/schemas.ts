import { z } from 'zod'
import { isoDate, spanEnd, ulid } from '../../../../platform/wire.ts'
import { channelTypes } from '../../../accounts/channels/entities.ts'
import { requestStatuses } from '../../../work/content/requests/entities.ts'
import { mailingStatuses } from '../../mailings/schemas.ts'
import { sequenceStatuses } from '../../sequences/entities.ts'
import { publicationStatuses } from '../entities.ts'

/** How many days a calendar shows at most. */
export const mostDays = 93
/** How many entries it has at most. */
export const mostEntries = 500

export const CalendarQuery = z.object({
  /** A day of the tenant's zone, or an instant. Default: today. */
  from: spanEnd.optional(),
  /** A day counts to its end, an instant is not contained. Default: 31 days from `from` on. */
  to: spanEnd.optional(),
  /** `nextFromId` of the page before: entries at the very instant `from` whose ids come before it are left out. */
  fromId: ulid.optional(),
  /** Only what goes to this channel; mails to leads have none. */
  channelId: ulid.optional(),
})
export type CalendarQuery = z.output<typeof CalendarQuery>

/** Something that goes out, or is out. */
const PlannedEntry = z.object({
  /** Of the publication, the mailing, the sequence, or the request, which has an entry for each of its networks. */
  id: ulid,
  /** `mailing`: a newsletter to leads. `sequence`: mails to leads that begin at a date. */
  kind: z.enum(['publication', 'request', 'mailing', 'sequence']),
  /** When it is to go out, or begins to; of a publication that is out, when it did. */
  at: isoDate,
  /** The same by the clock of the tenant's zone, `YYYY-MM-DDTHH:MM`. */
  local: z.string(),
  /** Of a mailing, its subject. */
  title: z.string(),
  /** Null for mails to leads, and for a request while no such channel is connected. */
  channelId: ulid.nullable(),
  /** Null for mails to leads. */
  channelType: z.enum(channelTypes).nullable(),
  /** Of the publication, the request, the mailing or the sequence. */
  status: z.enum([...publicationStatuses, ...requestStatuses, ...mailingStatuses, ...sequenceStatuses]),
  /** Of mails to leads. */
  campaignId: ulid.optional(),
  activityId: ulid.optional(),
  /** What people have to decide before it can go out. */
  approvalId: ulid.optional(),
  url: z.string().optional(),
})
export type PlannedEntry = z.output<typeof PlannedEntry>

export const PublishingCalendar = z.object({
  /** In the order of `at`; at most 500. */
  data: z.array(PlannedEntry),
  timezone: z.string(),
  /** Where to go on when there are more, or may be; null when there are not. */
  nextFrom: isoDate.nullable(),
  /** Where to go on within that instant, as `fromId`; null when nothing of it was shown. */
  nextFromId: ulid.nullable(),
})
export type PublishingCalendar = z.output<typeof PublishingCalendar>
