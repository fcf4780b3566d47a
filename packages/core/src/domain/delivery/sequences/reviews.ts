import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { releaseNamedAssets, useNamedAssets } from '../../media/uses.ts'
import { logActivity } from '../../work/activities/state.ts'
import { approvalOf } from '../../work/approvals/pending.ts'
import { lockCampaign } from '../../work/campaigns/change.ts'
import { orderOf } from '../../work/campaigns/workflow/material.ts'
import { userOf } from '../../work/content/pictures.ts'
import type { TenantPublishing } from '../../work/content/publishing-port.ts'
import { requireMailable } from '../mailing/pictures.ts'
import { mailSections } from '../mailing/sections.ts'
import { unknownPlaceholders } from '../mailing/word-mail.ts'
import { longestSms } from './channels.ts'
import {
  CampaignSequence,
  SequenceContact,
  type SequenceRow,
  SequenceStep,
  type StepRow,
} from './entities.ts'
import { hashOf } from './policy.ts'
import { lastLeadOf } from './queries.ts'
import { releaseContacts } from './release-queries.ts'
import type { StepReleased, StepToRelease } from './schemas.ts'
import { lockSequence, lookAtSequence, stepUser } from './sequences.ts'

/** For how long after a step no other one is let go by a request that does not say which it means, milliseconds. */
const doubleClickMs = 60_000

/** The most mails of one text. */
const mostMails = 10

/**
 * Makes the review requests of a campaign out of a text that a person has approved, in the transaction of the verdict: what goes out are
 * the mails in it, and nothing else. Everything that was not ordered as review requests is left alone.
 */
export const takeReviewMails: TenantPublishing['takePiece'] = async (txn, activity, output) => {
  const order = await orderOf(txn, activity)
  if (order?.kind !== 'review') return
  const approval = await approvalOf(txn, activity, output)
  if (!approval) return
  const leave = (why: string) =>
    logActivity(txn, activity, { kind: 'status', message: `Not taken as review requests: ${why}` })
  const channel = order.input['channel'] === 'sms' ? 'sms' : 'email'
  const isTooLongFor = (body: string) => channel === 'sms' && body.length > longestSms
  const found = mailSections(output.text)
  // One that was left out would be missing from what people have approved.
  if (found.some(({ body }) => isTooLongFor(body)))
    return leave(`a text message has at most ${longestSms} characters`)
  const mails = found
    .filter(({ subject, body, isTooLong }) => !isTooLong && unknownPlaceholders(subject + body).length === 0)
    .map(({ subject, body }) => ({ subject, body }))
    .slice(0, mostMails)
  if (mails.length === 0) return leave('there is no mail in a section of its own')
  const { campaignId, tenantId } = order
  const former = await txn.em.findOne(CampaignSequence, { campaignId, kind: 'review' })
  const begun = former && (await lockSequence(txn, former.id))
  if (begun && begun.released !== 0) return leave('the campaign’s requests are on their way already')
  const sequence = begun ?? create(txn, campaignId, tenantId)
  for (const step of await txn.em.find(SequenceStep, { sequenceId: sequence.id }))
    await releaseNamedAssets(txn, step.body, stepUser(step))
  await txn.em.nativeDelete(SequenceStep, { sequenceId: sequence.id })
  const now = txn.clock.date()
  for (const [position, mail] of mails.entries()) {
    const id = txn.newId()
    await useNamedAssets(txn, mail.body, stepUser({ id, tenantId }), userOf(output))
    txn.em.create(SequenceStep, {
      id,
      tenantId,
      sequenceId: sequence.id,
      position,
      ...mail,
      delayDays: 0,
      approvedHash: hashOf(mail),
      approvedById: approval.resolvedById,
      approvedByName: approval.resolvedByName,
      sent: 0,
      failed: 0,
      unknown: 0,
      updatedOn: now,
    })
  }
  Object.assign(sequence, { channel, updatedOn: now })
  txn.audit({
    tenantId,
    resourceType: 'campaign_sequence',
    resourceId: sequence.id,
    action: 'campaign_sequence.create',
    after: { campaignId, activityId: activity.id, contentHash: output.sha256, mails: mails.length, channel },
  })
}

function create(txn: Transaction, campaignId: string, tenantId: string): SequenceRow {
  const now = txn.clock.date()
  return txn.em.create(CampaignSequence, {
    id: txn.newId(),
    tenantId,
    campaignId,
    kind: 'review',
    activityId: null,
    contentHash: null,
    released: 0,
    name: 'Review requests',
    triggerType: 'manual',
    startsAt: null,
    audience: { statuses: ['converted'], sources: [], tag: null },
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
}

/**
 * Lets the next review request go out to the customers, who are those that were won when the first one went out. Of two requests at once
 * one lets a step go: the next one can be let go when the step before has gone out. Serves
 * `POST /tenant/v1/campaigns/:campaignId/review-sequence/send`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when all have been let go, the step before is still going out or was let go within the last minute, or `step` is not the next one;
 *   `UNPROCESSABLE` when no one has approved any, and when the campaign is not active or readers cannot see a picture
 */
export function sendReviewStep(
  ctx: Ctx,
  campaignId: string,
  { step: meant }: StepToRelease = {},
): Promise<StepReleased> {
  return transact(ctx, async (txn) => {
    const campaign = await lockCampaign(txn, campaignId)
    const known = await txn.em.findOne(CampaignSequence, { campaignId, kind: 'review' })
    const sequence = known && (await lockSequence(txn, known.id))
    if (!sequence)
      throw new DomainError('UNPROCESSABLE', 'No review requests have been written and approved yet')
    if (campaign.status !== 'active')
      throw new DomainError('UNPROCESSABLE', 'The campaign is not active: nothing goes out for it')
    const { id: sequenceId, tenantId } = sequence
    const position = sequence.released ?? 0
    const steps = await txn.em.find(SequenceStep, { sequenceId }, { orderBy: { position: 'asc' } })
    const step = steps[position]
    requireNext(meant, position)
    if (!step) throw new DomainError('CONFLICT', 'All review requests have been let go')
    await requireGone(txn, sequence, position)
    const now = txn.clock.date()
    const former = steps[position - 1]
    if (former && meant === undefined) requireLater(former, now)
    await requireMailable(txn, step.body, stepUser(step))
    if (position === 0)
      Object.assign(sequence, { lastLead: await lastLeadOf(txn, tenantId), activatedOn: now })
    Object.assign(sequence, { status: 'active', released: position + 1, updatedOn: now })
    step.updatedOn = now
    await releaseContacts(txn, { sequenceId, position, at: now })
    lookAtSequence(txn, sequence, now)
    txn.audit({
      tenantId,
      resourceType: 'campaign_sequence',
      resourceId: sequenceId,
      before: { released: position },
      after: { released: position + 1, stepId: step.id, contentHash: step.approvedHash },
    })
    return { sequenceId, stepId: step.id, position, subject: step.subject, left: steps.length - position - 1 }
  })
}

/** @throws DomainError `CONFLICT` when the step that is meant, of which the first is 1, is not the next one */
function requireNext(meant: number | undefined, position: number): void {
  if (meant === undefined || meant === position + 1) return
  const why =
    meant <= position ? `has been let go already` : `comes later: the next one is step ${position + 1}`
  throw new DomainError('CONFLICT', `Step ${meant} ${why}`, { details: { released: position } })
}

/**
 * A second click must not let another mail go to everyone who is just about to get one.
 * @throws DomainError `CONFLICT` while the step that was let go last has not gone out to all
 */
async function requireGone(
  txn: Transaction,
  { id: sequenceId, leadsRead, lastLead, nextAt }: SequenceRow,
  position: number,
): Promise<void> {
  if (position === 0) return
  const isReading = lastLead !== null && leadsRead < lastLead
  const isDue = nextAt !== null && nextAt <= txn.clock.date()
  const before = { sequenceId, status: 'waiting', nextPosition: { $lt: position } } as const
  if (!isReading && !isDue && (await txn.em.count(SequenceContact, before)) === 0) return
  throw new DomainError(
    'CONFLICT',
    `Step ${position} is still going out: let the next one go when everyone has got it`,
    { details: { released: position } },
  )
}

/** @throws DomainError `CONFLICT` where this may be the second click of two: mails to a few are out at once */
function requireLater({ position, updatedOn }: StepRow, now: Date): void {
  if (now.getTime() - updatedOn.getTime() >= doubleClickMs) return
  throw new DomainError(
    'CONFLICT',
    `Step ${position + 1} was let go a moment ago: name the next one in step to let it go now`,
    { details: { released: position + 1 } },
  )
}
