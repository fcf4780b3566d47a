import type { Ctx } from '../../../kernel/context.ts'
import { toNewJob } from '../../../kernel/jobs.ts'
import { shownName } from '../../../kernel/names.ts'
import { preview } from '../../../kernel/text.ts'
import { oneLine } from '../../../platform/mail/text.ts'
import type { MailPayload } from '../mail/jobs.ts'
import { sendEmail } from '../mail/send-email.ts'
import type { EmailCategory } from '../mail/templates/entities.ts'
import { defineMail, type MailKind, mailOf } from '../mail/templates/kinds.ts'
import type { NotificationType } from './entities.ts'
import { mailNotificationJob } from './jobs.ts'
import { dueNow } from './preferences.ts'

const variables = {
  name: { description: 'Name of the person who gets the mail', required: true },
  title: { description: 'What stands in the inbox', required: true },
  text: { description: 'The rest of it', required: true, hasParagraphs: true },
  url: { description: 'Where Copydesk is opened', required: true },
} as const

/** Titles hold what tenants and agents have written, so they are not subjects of ours. */
const kindOf = (slug: string, name: string, category: EmailCategory, subject: string) =>
  defineMail({
    slug,
    name,
    category,
    variables,
    subject,
    message: {
      greeting: 'Hello {{ name }},',
      paragraphs: [],
      quote: { from: 'This stands in your inbox:', paragraphs: ['{{ title }}', '{{ text | quoted }}'] },
      link: { label: 'Open Copydesk', url: '{{ url }}' },
      closing: ['You get this mail because your notification preferences say so.'],
    },
  })

/** What is mailed of each type of notification. */
export const notificationMails = {
  approval_created: kindOf(
    'approval-created',
    'Approval pending',
    'approval',
    'Copydesk: an approval is pending',
  ),
  approval_expiring: kindOf(
    'approval-expiring',
    'Approval running out of time',
    'approval',
    'Copydesk: an approval is running out of time',
  ),
  activity_completed: kindOf(
    'activity-completed',
    'Activity complete',
    'alert',
    'Copydesk: an activity is complete',
  ),
  activity_failed: kindOf(
    'activity-failed',
    'Activity needs a person',
    'alert',
    'Copydesk: an activity needs a person',
  ),
  budget_alert: kindOf('budget-alert', 'Budget running out', 'alert', 'Copydesk: a budget is running out'),
  campaign_update: kindOf('campaign-update', 'News of a campaign', 'alert', 'Copydesk: news of a campaign'),
} as const satisfies Record<NotificationType, MailKind>

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
  const { name, email, tenantId, type, title, body } = due.found
  const mail = mailOf(notificationMails[type], {
    name: shownName(name),
    title,
    text: oneLine(preview(body, 2_000)),
    url: ctx.services.settings.links,
  })
  await sendEmail(ctx, payload, { to: email, tenantId, mail }, signal)
}
