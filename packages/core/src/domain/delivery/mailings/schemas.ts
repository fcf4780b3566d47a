import { z } from 'zod'

import { isoDate, page, pageQuery, ulid } from '../../../platform/wire.ts'
import { AudienceInput, AudienceItem } from '../sequences/schemas.ts'

/** `sending`: mails go out, at most a hundred a minute. */
export const mailingStatuses = ['scheduled', 'sending', 'paused', 'sent', 'cancelled'] as const
export type MailingStatus = (typeof mailingStatuses)[number]

export const MailingItem = z.object({
  id: ulid,
  campaignId: ulid,
  activityId: ulid,
  /** The title of the text. */
  subject: z.string(),
  /** SHA-256 of the approved text. */
  contentHash: z.string(),
  audience: AudienceItem,
  status: z.enum(mailingStatuses),
  /** Null: at once. */
  scheduledFor: isoDate.nullable(),
  /** Leads taken in until now; `stopped` get nothing, such as those that have unsubscribed. */
  recipients: z.object({ waiting: z.int(), done: z.int(), stopped: z.int() }),
  /** `unknown`: may have gone out; never sent again. */
  mails: z.object({ sent: z.int(), failed: z.int(), unknown: z.int() }),
  approvedBy: z.string().nullable(),
  createdOn: isoDate,
  updatedOn: isoDate,
})
export type MailingItem = z.output<typeof MailingItem>
export const MailingPage = page(MailingItem)

export const MailingQuery = pageQuery.extend({
  'filter.campaignId': ulid.optional(),
  'filter.activityId': ulid.optional(),
})
export type MailingQuery = z.output<typeof MailingQuery>

export const NewMailing = z.object({
  /** A newsletter whose newest text is approved. */
  activityId: ulid,
  /** Which leads; without it all that have an e-mail address. */
  audience: AudienceInput.optional(),
  /** Default, and for what lies in the past: at once. Whom it goes to is settled then. */
  scheduleFor: isoDate.optional(),
})
export type NewMailing = z.output<typeof NewMailing>

export const TestMail = z.object({
  /** The address of the one who asks. */
  to: z.string(),
  subject: z.string(),
  /** SHA-256 of the text in it. */
  contentHash: z.string(),
})
export type TestMail = z.output<typeof TestMail>
