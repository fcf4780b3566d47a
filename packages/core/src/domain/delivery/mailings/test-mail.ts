import type { Ctx } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { Unretryable } from '../../../platform/jobs/jobs.ts'
import { MailError } from '../../../platform/mail/mail.ts'
import { User } from '../../accounts/identity/entities.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { queueMail } from '../../people/mail/jobs.ts'
import { handOverMail } from '../../people/mail/send-email.ts'
import { Activity } from '../../work/activities/entities.ts'
import { newsletterOf } from '../../work/content/newsletter.ts'
import { userOf } from '../../work/content/pictures.ts'
import { latestOutput } from '../../work/content/versions.ts'
import { composeNewsletter, wordNewsletter } from '../mailing/newsletter.ts'
import { requireMailable } from '../mailing/pictures.ts'
import { assetsOf } from '../publishing/assets.ts'
import { linkTagsFor } from '../publishing/link-tags/setting.ts'
import { testMailJob } from './jobs.ts'
import { requireSendable } from './policy.ts'
import type { TestMail } from './schemas.ts'

/**
 * Mails the newest text of a newsletter to the one who asks, as leads would get it, approved or not. Serves
 * `POST /dashboard/v1/activities/:activityId/test-mail`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` for what is no newsletter or has no text, and for callers without an address
 */
export function sendTestMail(ctx: Ctx, activityId: string): Promise<TestMail> {
  return transact(ctx, async (txn) => {
    const activity = await txn.em.findOne(Activity, { id: activityId })
    if (!activity) throw notFound('activity')
    if (activity.deliverableType !== 'email_newsletter')
      throw new DomainError('UNPROCESSABLE', 'Only newsletters can be mailed')
    const output = await latestOutput(txn, activityId)
    if (!output) throw new DomainError('UNPROCESSABLE', 'This activity has no text yet')
    requireSendable(output.text)
    await requireMailable(txn, output.text, userOf(output))
    const user = await txn.em.findOne(User, { id: txn.actor.id })
    if (!user)
      throw new DomainError('UNPROCESSABLE', 'A test goes to the address of a person, and you have none')
    const { tenantId } = activity
    queueMail(txn, testMailJob, {
      tenantId,
      payload: { activityId, userId: user.id },
      // Asked for twice before it has gone out, it goes out once.
      uniqueKey: `${testMailJob.kind}:${activityId}:${user.id}`,
    })
    txn.audit({
      tenantId,
      resourceType: 'activity',
      resourceId: activityId,
      after: { testMailTo: user.email, contentHash: output.sha256 },
    })
    return { to: user.email, subject: newsletterOf(output.text).subject, contentHash: output.sha256 }
  })
}

/** Writes and sends the mail: the job `mailing.test`. A mail too many harms no one. @throws MailError when another try may do */
export async function mailTest(
  ctx: Ctx,
  { mailId, activityId, userId }: { mailId: string; activityId: string; userId: string },
  signal: AbortSignal,
): Promise<void> {
  const found = await transact(ctx, async (txn) => {
    const activity = await txn.em.findOne(Activity, { id: activityId })
    const output = activity && (await latestOutput(txn, activityId))
    const user = await txn.em.findOne(User, { id: userId, status: 'active' })
    const tenant = activity && (await txn.em.findOne(Tenant, { id: activity.tenantId }))
    if (!output || !user || !tenant) return undefined
    return { output, user, tenant, linkTags: await linkTagsFor(txn, activity, 'leads') }
  })
  if (!found) return
  const { output, user, tenant, linkTags } = found
  const { text } = output
  const [firstName = '', ...rest] = user.name.split(' ')
  const body = `${text}\n\n*This is a test that only you get: the link below leads nowhere.*`
  const assets = await assetsOf(ctx, text, userOf(output))
  const written = { subject: newsletterOf(text).subject, body }
  const newsletter = await composeNewsletter(ctx, written, { linkTags, assets })
  const { headers: _, ...worded } = wordNewsletter(newsletter, {
    values: { firstName, lastName: rest.join(' '), company: tenant.name },
    from: tenant.name,
    // Each lead gets a link of its own.
    link: `${ctx.services.settings.baseUrl}/forms/v1/unsubscribe/test`,
  })
  const mail = { id: mailId, to: user.email, ...worded, subject: `[Test] ${worded.subject}` }
  try {
    await handOverMail(ctx, mail, tenant.id, signal)
  } catch (error) {
    if (error instanceof MailError && error.final) throw new Unretryable(error.message, { cause: error })
    throw error
  }
}
