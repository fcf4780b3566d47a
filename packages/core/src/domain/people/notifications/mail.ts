import type { Ctx } from '../../../kernel/context.ts'
import { toNewJob } from '../../../kernel/jobs.ts'
import { shownName } from '../../../kernel/names.ts'
import { preview } from '../../../kernel/text.ts'
import type { MailPayload } from '../mail/jobs.ts'
import { sendEmail } from '../mail/send-email.ts'
import type { NotificationType } from './entities.ts'
import { mailNotificationJob } from './jobs.ts'
import { dueNow } from './preferences.ts'

/** Titles hold what tenants and agents have written, so they are not subjects of ours. */
const subjects: Record<NotificationType, string> = {
  approval_created: 'Copydesk: an approval is pending',
  approval_expiring: 'Copydesk: an approval is running out of time',
  activity_completed: 'Copydesk: an activity is complete',
  activity_failed: 'Copydesk: an activity needs a person',
  budget_alert: 'Copydesk: a budget is running out',
  campaign_update: 'Copydesk: news of a campaign',
}

/** Mails a notification to the person that it is for, unless it has been read. The job `mail.notification`. */
export async function mailNotification(
  ctx: Ctx,
  payload: MailPayload & { notificationId: string },
  signal: AbortSignal,
): Promise<void> {
  const due = await dueNow(ctx, payload.notificationId, 'mail')
  if (due.state === 'later')
    return ctx.services.jobs.add([
      toNewJob(mailNotificationJob, { tenantId: due.tenantId, payload, runAt: due.at }),
    ])
  if (due.state === 'moot') return
  const { name, email, type, title, body } = due.found
  const letter = {
    greeting: `Hello ${shownName(name)},`,
    paragraphs: [],
    quote: { from: 'This stands in your inbox:', paragraphs: [title, preview(body, 2_000)] },
    link: { label: 'Open Copydesk', url: ctx.services.settings.links },
    closing: ['You get this mail because your notification preferences say so.'],
  }
  await sendEmail(ctx, payload, { to: email, subject: subjects[type], letter }, signal)
}
