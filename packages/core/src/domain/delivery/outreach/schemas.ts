import { z } from 'zod'
import { ulid } from '../../../platform/wire.ts'

/** Why a mail was not sent: `changed`: its text is not the approved one any more; `unsubscribed`: its recipient wants none of this tenant. */
const skipReasons = ['changed', 'unsubscribed'] as const

/** What `POST /dm/v1/campaigns/:campaignId/send` has let go. */
export const OutreachSent = z.object({
  /** How many mails are on their way. */
  queued: z.int(),
  /** Mails that were approved and are not. */
  skipped: z.array(z.object({ activityId: ulid, to: z.string(), reason: z.enum(skipReasons) })),
})
export type OutreachSent = z.output<typeof OutreachSent>
