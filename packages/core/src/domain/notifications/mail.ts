import { oneLine } from '../../platform/mail/letter.ts'
import { preview } from '../content/preview.ts'
import type { Ctx } from '../context.ts'
import { type MailPayload, mailJob, post } from '../mail/post.ts'
import { dueNow } from './due.ts'

const kind = 'mail.notification'

/** Mails a notification to the person that it is for, unless it has been read. The job `mail.notification`. */
export async function mailNotification(
  ctx: Ctx,
  payload: MailPayload & { notificationId: string },
  signal: AbortSignal,
): Promise<void> {
  const due = await dueNow(ctx, payload.notificationId, 'mail')
  if (due.state === 'later')
    return ctx.services.jobs.add([mailJob(kind, { ...payload, tenantId: due.tenantId }, due.at)])
  if (due.state === 'moot') return
  const { name, email, title, body } = due.found
  const letter = {
    greeting: `Hello ${name},`,
    paragraphs: [title, preview(body, 2_000)],
    link: { label: 'Open Copydesk', url: ctx.services.settings.links },
    closing: ['You get this mail because your notification preferences say so.'],
  }
  await post(ctx, payload, { to: email, subject: oneLine(title), letter }, signal)
}
