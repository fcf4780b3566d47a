import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import type { AssetUser } from '../../media/entities.ts'
import { useNamedAssets } from '../../media/uses.ts'
import { type CampaignRow, lockCampaign } from '../../work/campaigns/change.ts'
import { CampaignSequence, type SequenceRow, SequenceStep, type StepRow } from './entities.ts'
import { sequenceJob } from './jobs.ts'
import { getSequence } from './queries.ts'
import type { NewSequence, SequenceItem, SequenceStepChange } from './schemas.ts'

/** The most sequences of one campaign. */
const mostSequences = 20
const usualSteps = [0, 3, 7].map((delay) => ({ subject: '', body: '', delay }))

/** Where a sequence stands. */
export interface SequencePlace {
  campaignId: string
  sequenceId: string
}

/**
 * Adds a sequence as a draft: it sends nothing. Serves `POST /tenant/v1/campaigns/:campaignId/sequences`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` unless it is a campaign by e-mail that is not archived, with fewer than 20
 */
export function createSequence(ctx: Ctx, campaignId: string, input: NewSequence): Promise<SequenceItem> {
  return transact(ctx, async (txn) => {
    const campaign = await lockCampaign(txn, campaignId)
    const { tenantId, type } = campaign
    if (type !== 'email_marketing')
      throw new DomainError('UNPROCESSABLE', 'Only campaigns of the type email_marketing have sequences')
    requireOpen(campaign)
    if ((await txn.em.count(CampaignSequence, { campaignId, kind: { $ne: 'mailing' } })) >= mostSequences)
      throw new DomainError('UNPROCESSABLE', `A campaign has at most ${mostSequences} sequences`)
    const now = txn.clock.date()
    const sequence = txn.em.create(CampaignSequence, {
      id: txn.newId(),
      tenantId,
      campaignId,
      kind: 'email',
      activityId: null,
      contentHash: null,
      released: null,
      name: input.name,
      triggerType: input.triggerType,
      startsAt: input.startsAt ?? null,
      audience: input.audience ?? { statuses: [], sources: [], tag: null },
      status: 'draft',
      leadsRead: 0,
      lastLead: null,
      waiting: 0,
      done: 0,
      stopped: 0,
      activatedOn: null,
      channelId: null,
      heldUntil: null,
      heldReason: null,
      nextAt: null,
      createdOn: now,
      updatedOn: now,
    })
    for (const [position, { delay, ...text }] of (input.steps ?? usualSteps).entries()) {
      const id = txn.newId()
      await useNamedAssets(txn, text.body, stepUser({ id, tenantId }))
      txn.em.create(SequenceStep, {
        id,
        tenantId,
        sequenceId: sequence.id,
        position,
        ...text,
        delayDays: delay,
        approvedHash: null,
        approvedById: null,
        approvedByName: null,
        sent: 0,
        failed: 0,
        unknown: 0,
        updatedOn: now,
      })
    }
    await txn.em.flush()
    const item = await getSequence(txn, sequence.id)
    txn.audit({
      tenantId,
      resourceType: 'campaign_sequence',
      resourceId: sequence.id,
      after: { ...item, campaignId },
    })
    return item
  })
}

/**
 * Changes one mail of a sequence. A sequence that is active is paused by it, until a person has activated it again: what goes out is what
 * was approved. Serves `PATCH /tenant/v1/campaigns/:campaignId/sequences/:sequenceId/steps/:stepId`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when the campaign is archived, or the sequence has come to its end
 */
export function changeStep(
  ctx: Ctx,
  { stepId, ...place }: SequencePlace & { stepId: string },
  { subject, body, delay }: SequenceStepChange,
): Promise<SequenceItem> {
  return transact(ctx, async (txn) => {
    const { sequence } = await lockPlace(txn, place)
    requireByMail(sequence)
    const { id: sequenceId, tenantId } = sequence
    if (sequence.status === 'completed')
      throw new DomainError('UNPROCESSABLE', 'The sequence has come to its end')
    const step = await txn.em.findOne(SequenceStep, { id: stepId, sequenceId })
    if (!step) throw notFound('step')
    const before = view(step)
    if (subject !== undefined) step.subject = subject
    if (body !== undefined) step.body = body
    if (delay !== undefined) step.delayDays = delay
    // What it has shown stays for those who have got the mail.
    if (body !== undefined) await useNamedAssets(txn, body, stepUser(step))
    const after = view(step)
    const now = txn.clock.date()
    step.updatedOn = now
    if (sequence.status === 'active' && JSON.stringify(before) !== JSON.stringify(after))
      Object.assign(sequence, { status: 'paused', nextAt: null })
    sequence.updatedOn = now
    txn.audit({ tenantId, resourceType: 'campaign_sequence', resourceId: sequenceId, before, after })
    await txn.em.flush()
    return getSequence(txn, sequenceId)
  })
}

/** A step as something that uses assets. */
export const stepUser = ({ id, tenantId }: Pick<StepRow, 'id' | 'tenantId'>): AssetUser => ({
  tenantId,
  type: 'sequence_step',
  id,
})

const view = ({ id, position, subject, body, delayDays }: StepRow) => ({
  stepId: id,
  position,
  subject,
  body,
  delay: delayDays,
})

/** The campaign and the sequence of a request, both locked. @throws DomainError as `changeStep` */
export async function lockPlace(txn: Transaction, { campaignId, sequenceId }: SequencePlace) {
  const campaign = await lockCampaign(txn, campaignId)
  const sequence = await lockSequence(txn, sequenceId)
  if (sequence?.campaignId !== campaignId || sequence.kind === 'mailing') throw notFound('sequence')
  requireOpen(campaign)
  return { campaign, sequence }
}

/** @throws DomainError `UNPROCESSABLE` for review requests, which are approved and let go in a way of their own */
export function requireByMail({ kind }: SequenceRow): void {
  if (kind === 'review')
    throw new DomainError(
      'UNPROCESSABLE',
      'Review requests are ordered by review-sequence and sent by review-sequence/send',
    )
}

function requireOpen({ status }: CampaignRow): void {
  if (status === 'archived')
    throw new DomainError('UNPROCESSABLE', 'The campaign is archived and cannot be changed')
}

/** Loads a sequence and locks it until the command ends. */
export function lockSequence(txn: Transaction, id: string): Promise<SequenceRow | null> {
  return txn.em.findOne(CampaignSequence, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
}

/** Says when a sequence is looked at next, in the transaction that changes it. */
export function lookAtSequence(txn: Transaction, sequence: SequenceRow, at: Date): void {
  const { id, tenantId } = sequence
  sequence.nextAt = at
  txn.enqueue(sequenceJob, {
    tenantId,
    payload: { sequenceId: id },
    runAt: at,
    // Another job than the one that asks for it, into which it would fold.
    uniqueKey: `${sequenceJob.kind}:${id}:${at.getTime()}`,
  })
}
