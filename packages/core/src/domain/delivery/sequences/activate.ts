import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { instantAt } from '../../../kernel/periods.ts'
import { transact } from '../../../kernel/transact.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import type { CampaignRow } from '../../work/campaigns/change.ts'
import { requireMailable } from '../mailing/pictures.ts'
import { chooseWay } from './by-platform.ts'
import { type SequenceRow, SequenceStep, type StepRow } from './entities.ts'
import { hashOf, hashOfSteps } from './policy.ts'
import { getSequence, lastLeadOf } from './queries.ts'
import type { SequenceActivation, SequenceItem } from './schemas.ts'
import { lockPlace, lookAtSequence, requireByMail, type SequencePlace, stepUser } from './sequences.ts'

/** When a sequence begins on the first day of its campaign, minutes since midnight. */
const nineOClock = 9 * 60

/**
 * Lets a sequence run: contacts get its first mail, by the tenant's e-mail platform where one is connected that takes it, and the later ones when they are due. An admin approves its texts by it; anyone else
 * can activate what an admin has approved as it is. Serves `POST /tenant/v1/campaigns/:campaignId/sequences/:sequenceId/activate`.
 * @param seen of the sequence as the caller has seen it; without one it is activated as it is
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is active already, has come to its end, or is not what was seen (`content_changed`);
 *   `UNPROCESSABLE` when its campaign is not active, a step has no text or was approved by no one, readers cannot see a picture, or no one has said when it begins
 */
export function activateSequence(
  ctx: Ctx,
  place: SequencePlace,
  { contentHash: seen }: SequenceActivation = {},
): Promise<SequenceItem> {
  return transact(ctx, async (txn) => {
    const { campaign, sequence } = await lockPlace(txn, place)
    requireByMail(sequence)
    const { id: sequenceId, tenantId, status } = sequence
    if (status === 'active') throw new DomainError('CONFLICT', 'The sequence is active already')
    if (status === 'completed') throw new DomainError('CONFLICT', 'The sequence has come to its end')
    if (campaign.status !== 'active')
      throw new DomainError('UNPROCESSABLE', 'The campaign is not active: nothing goes out for it')
    const steps = await txn.em.find(SequenceStep, { sequenceId }, { orderBy: { position: 'asc' } })
    requireSeen(steps, seen)
    for (const step of steps) {
      approve(txn, step)
      await requireMailable(txn, step.body, stepUser(step), `Step ${step.position + 1}: `)
    }
    const now = txn.clock.date()
    const first = sequence.activatedOn === null
    Object.assign(sequence, { status: 'active', activatedOn: sequence.activatedOn ?? now, updatedOn: now })
    if (first) await begin(txn, campaign, sequence)
    await chooseWay(txn, sequence)
    const { startsAt } = sequence
    lookAtSequence(txn, sequence, startsAt && startsAt > now ? startsAt : now)
    txn.audit({
      tenantId,
      resourceType: 'campaign_sequence',
      resourceId: sequenceId,
      before: { status },
      after: {
        status: 'active',
        channelId: sequence.channelId,
        steps: steps.map(({ id, approvedHash }) => ({ stepId: id, contentHash: approvedHash })),
      },
    })
    await txn.em.flush()
    return getSequence(txn, sequenceId)
  })
}

/** People approve what they have seen. */
function requireSeen(steps: readonly StepRow[], seen: string | undefined): void {
  const contentHash = hashOfSteps(steps.map(({ delayDays: delay, ...text }) => ({ ...text, delay })))
  if (seen !== undefined && seen !== contentHash)
    throw new DomainError('CONFLICT', 'The mails have been changed since', {
      details: { reason: 'content_changed', contentHash },
    })
}

function approve(txn: Transaction, step: StepRow): void {
  const number = step.position + 1
  for (const part of ['subject', 'body'] as const)
    if (step[part].trim() === '') throw new DomainError('UNPROCESSABLE', `Step ${number} has no ${part}`)
  const hash = hashOf(step)
  if (step.approvedHash === hash) return
  if (txn.actor.role !== 'admin')
    throw new DomainError(
      'UNPROCESSABLE',
      `No admin has approved the text of step ${number}: an admin has to activate the sequence`,
    )
  Object.assign(step, { approvedHash: hash, approvedById: txn.actor.id, approvedByName: actorName(txn) })
}

/** Fixes whom it is for: those who are there, or those who come from now on. */
async function begin(txn: Transaction, campaign: CampaignRow, sequence: SequenceRow): Promise<void> {
  const { tenantId, triggerType } = sequence
  if (triggerType === 'on_subscribe') sequence.leadsRead = await lastLeadOf(txn, tenantId)
  if (triggerType === 'manual') sequence.lastLead = await lastLeadOf(txn, tenantId)
  if (triggerType !== 'on_date' || sequence.startsAt) return
  if (!campaign.startDate)
    throw new DomainError('UNPROCESSABLE', 'Neither the sequence nor its campaign says when it begins')
  const { timezone } = await txn.em.findOneOrFail(Tenant, { id: tenantId })
  sequence.startsAt = instantAt(campaign.startDate, nineOClock, timezone)
}
