import { z } from 'zod'
import { isoDate, offsetQuery, page, pageQuery, queryBool, ulid } from '../../../platform/wire.ts'
import { type NotificationType, notificationTypes } from './entities.ts'

export const NotificationItem = z.object({
  id: ulid,
  type: z.enum(notificationTypes),
  title: z.string(),
  body: z.string(),
  read: z.boolean(),
  /** Where the mobile app opens on it. */
  deepLink: z.string(),
  createdOn: isoDate,
})
export type NotificationItem = z.output<typeof NotificationItem>

/** What the stream of the inbox tells. */
export const inboxStream = { notification: NotificationItem, resync: z.object({}) }

export const MobileInboxQuery = offsetQuery(50).extend({ 'filter.read': queryBool.optional() })
export type MobileInboxQuery = z.output<typeof MobileInboxQuery>

export const MobileInbox = z.object({
  data: z.array(NotificationItem),
  /** Of the whole inbox, whatever was asked for. */
  unreadCount: z.int(),
})
export type MobileInbox = z.output<typeof MobileInbox>

export const ReadMark = z.object({
  /** Without them all are meant. Those of others, and such as are gone, are passed over. */
  ids: z.array(ulid).max(500).optional(),
  markAll: z.boolean().optional(),
})
export type ReadMark = z.output<typeof ReadMark>

/** How many were unread until now. */
export const ReadReceipt = z.object({ marked: z.int() })
export type ReadReceipt = z.output<typeof ReadReceipt>

const ways = z.object({ inbox: z.boolean(), push: z.boolean(), mail: z.boolean() })
const wallTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'Must be a time of day such as 22:00')

const byType = Object.fromEntries(notificationTypes.map((type) => [type, ways.optional()])) as Record<
  NotificationType,
  z.ZodOptional<typeof ways>
>

export const Preferences = z.object({
  /** By type of notification; one that is left out is told in the usual ways. */
  ways: z.object(byType),
  /** Push and mail wait until they are over; what is of high risk does not. */
  quietHours: z
    .object({
      from: wallTime,
      to: wallTime,
      /** Of the person; without it the tenant's. */
      timezone: z.string().max(100).refine(isZone, 'Must be an IANA time zone').optional(),
    })
    .refine(({ from, to }) => from !== to, { path: ['to'], message: 'Must differ from the beginning' })
    .nullable(),
})
export type Preferences = z.output<typeof Preferences>

function isZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

export const InboxQuery = pageQuery.omit({ order: true }).extend({ 'filter.read': queryBool.optional() })
export type InboxQuery = z.output<typeof InboxQuery>

export const InboxPage = page(NotificationItem).extend({ unreadCount: z.int() })
export type InboxPage = z.output<typeof InboxPage>

export const ReviewerInboxQuery = InboxQuery.extend({ tenantId: ulid.optional() })
const ReviewerNotification = NotificationItem.extend({ tenantId: ulid, tenantName: z.string() })
export const ReviewerInboxPage = page(ReviewerNotification).extend({ unreadCount: z.int() })
export type ReviewerInboxPage = z.output<typeof ReviewerInboxPage>
