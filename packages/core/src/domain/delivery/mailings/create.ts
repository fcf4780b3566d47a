import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { useNamedAssets } from '../../media/uses.ts'
import type { ActivityRow } from '../../work/activities/entities.ts'
import { lockActivity, logActivity } from '../../work/activities/state.ts'
import { approvalOf } from '../../work/approvals/pending.ts'
import { newsletterOf } from '../../work/content/newsletter.ts'
import { userOf } from '../../work/content/pictures.ts'
import { latestOutput } from '../../work/content/versions.ts'
import { requireMailable } from '../mailing/pictures.ts'
import { CampaignSequence, type SequenceRow, SequenceStep } from '../sequences/entities.ts'
import { hashOf } from '../sequences/policy.ts'
import { lastLeadOf } from '../sequences/queries.ts'
import { lookAtSequence } from '../sequences/sequences.ts'
import { requireSendable } from './policy.ts'
import { getMailing, hasHandedOver } from './queries.ts'
import type { MailingItem, NewMailing } from './schemas.ts'

/**
 * Sends an approved newsletter to the tenant's leads, at once or at an instant, each of them once. It is the one step of a sequence: leads
 * are taken in, and mails go out, as in any other. Serves `POST /dashboard/v1/mailings`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` for what is no newsletter of a campaign, when no verdict covers its newest text, when it
 *   is too long or has a placeholder that there is not, and when readers cannot see a picture; `CONFLICT` when it goes to leads already
 */
export function createMailing(
  ctx: Ctx,
  { activityId, audience, scheduleFor }: NewMailing,
): Promise<MailingItem> {
  return transact(ctx, async (txn) => {
    const activity = await lockActivity(txn, activityId)
    const { tenantId } = activity
    const campaignId = newsletterCampaign(activity)
    const output = await latestOutput(txn, activityId)
    const approval = output && (await approvalOf(txn, activity, output))
    if (!output || !approval)
      throw new DomainError('UNPROCESSABLE', 'No verdict covers the newest text of this activity')
    const text = { subject: newsletterOf(output.text).subject, body: output.text }
    requireSendable(text.body)
    await requireMailable(txn, text.body, userOf(output))
    await requireFirst(txn, activityId)
    const now = txn.clock.date()
    const startsAt = scheduleFor && scheduleFor > now ? scheduleFor : null
    const mailing = txn.em.create(CampaignSequence, {
      id: txn.newId(),
      tenantId,
      campaignId,
      kind: 'mailing',
      activityId,
      contentHash: output.sha256,
      released: null,
      name: text.subject,
      triggerType: startsAt ? 'on_date' : 'manual',
      startsAt,
      audience: audience ?? { statuses: [], sources: [], tag: null },
      status: 'active',
      leadsRead: 0,
      lastLead: startsAt ? null : await lastLeadOf(txn, tenantId),
      waiting: 0,
      done: 0,
      stopped: 0,
      activatedOn: now,
      channelId: null,
      heldUntil: null,
      heldReason: null,
      nextAt: null,
      createdOn: now,
      updatedOn: now,
    })
    txn.em.create(SequenceStep, {
      id: txn.newId(),
      tenantId,
      sequenceId: mailing.id,
      position: 0,
      ...text,
      delayDays: 0,
      approvedHash: hashOf(text),
      approvedById: approval.resolvedById,
      approvedByName: approval.resolvedByName,
      sent: 0,
      failed: 0,
      unknown: 0,
      updatedOn: now,
    })
    // What mails show, readers see for as long as they keep them.
    await useNamedAssets(txn, text.body, { tenantId, type: 'mailing', id: mailing.id }, userOf(output))
    lookAtSequence(txn, mailing, startsAt ?? now)
    record(txn, mailing)
    await txn.em.flush()
    return getMailing(txn, mailing.id)
  })
}

/** @throws DomainError `UNPROCESSABLE` */
function newsletterCampaign({ deliverableType, isFinalStep, campaignId }: ActivityRow): string {
  if (deliverableType === 'email_newsletter' && isFinalStep && campaignId !== null) return campaignId
  throw new DomainError('UNPROCESSABLE', 'Only finished newsletters of a campaign go to leads')
}

/** Two mailings of one newsletter could reach a lead twice. @throws DomainError `CONFLICT` */
async function requireFirst(txn: Transaction, activityId: string): Promise<void> {
  const former = await txn.em.find(CampaignSequence, { activityId, kind: 'mailing' })
  for (const { id, status } of former)
    if (status !== 'cancelled' || (await hasHandedOver(txn, id)))
      throw new DomainError('CONFLICT', 'This newsletter goes to leads already, or has gone to some', {
        details: { mailingId: id },
      })
}

function record(txn: Transaction, { id, tenantId, campaignId, ...mailing }: SequenceRow): void {
  const { activityId, contentHash, audience, startsAt, name } = mailing
  txn.audit({
    tenantId,
    resourceType: 'mailing',
    resourceId: id,
    after: { campaignId, activityId, contentHash, audience, scheduledFor: startsAt },
  })
  if (activityId === null) return
  const when = startsAt ? `at ${startsAt.toISOString()}` : 'now'
  logActivity(
    txn,
    { id: activityId, tenantId },
    { kind: 'publishing', message: `Goes to leads ${when}: “${name}”`, data: { mailingId: id } },
  )
}
