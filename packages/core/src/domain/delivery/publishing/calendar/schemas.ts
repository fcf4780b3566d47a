import { z } from 'zod'
import { isoDate, spanEnd, ulid } from '../../../../platform/wire.ts'
import { channelTypes } from '../../../accounts/channels/entities.ts'
import { requestStatuses } from '../../../work/content/requests/entities.ts'
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
  channelId: ulid.optional(),
})
export type CalendarQuery = z.output<typeof CalendarQuery>

/** Something that goes out, or is out. */
const PlannedEntry = z.object({
  /** Of the publication, or of the request, which has an entry for each of its networks. */
  id: ulid,
  kind: z.enum(['publication', 'request']),
  /** When it is to go out; of what is out, when it did. */
  at: isoDate,
  /** The same by the clock of the tenant's zone, `YYYY-MM-DDTHH:MM`. */
  local: z.string(),
  title: z.string(),
  /** Null for a request while no such channel is connected. */
  channelId: ulid.nullable(),
  channelType: z.enum(channelTypes),
  /** Of the publication, or of the request. */
  status: z.enum([...publicationStatuses, ...requestStatuses]),
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
  /** Where to go on when there are more; null when there are not. */
  nextFrom: isoDate.nullable(),
})
export type PublishingCalendar = z.output<typeof PublishingCalendar>
