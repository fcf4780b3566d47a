import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { isShut } from '../../accounts/tenants/shut.ts'
import { Campaign } from '../../work/campaigns/entities.ts'
import { Lead, type LeadRow } from '../leads/entities.ts'
import { isStillApproved } from '../mailing/approved.ts'
import { doubtOf, forgottenWords, handOverMs, idleMs, isForgotten } from '../mailing/hand-over.ts'
import { keptBack, pauseWithoutPlatform, repeatableAtPlatform } from './by-platform.ts'
import { takeInLeads } from './contacts.ts'
import {
  type ContactRow,
  SequenceContact,
  SequenceMail,
  type SequenceMailRow,
  type SequenceRow,
  SequenceStep,
  type StepRow,
} from './entities.ts'
import { countUnknown, tellStopped } from './mailing-progress.ts'
import { daysLater, hashOf } from './policy.ts'
import { lockSequence, lookAtSequence } from './sequences.ts'
import { reasonToStop, stopContact } from './stop.ts'

/** A mail that is to be handed over now. */
export interface ClaimedMail {
  id: string
  kind: SequenceRow['kind']
  channel: SequenceRow['channel']
  /** Of the e-mail platform by which it goes. */
  channelId: string | null
  tenantId: string
  campaignId: string
  contactId: string
  stepId: string
  /** As it is written in the sequence. */
  subject: string
  body: string
  to: string
  linkKey: string
  values: { firstName: string; lastName: string; company: string }
  from: string
  /** See `doubtOf`. */
  doubtSince: Date | null
}

/** What a claim has found: a mail; `again` where something else was done; `rest` where nothing is due now; `stop` where nothing may go out. */
export type Claim = ClaimedMail | 'again' | 'rest' | 'stop'

/**
 * Takes the next mail of a sequence that is due. Its intent is written, and its contact moves on to the next step, before anything is
 * handed over: what happens afterwards can lose a mail, but not send it twice.
 */
export function claimMail(ctx: Ctx, sequenceId: string): Promise<Claim> {
  return transact(ctx, async (txn) => {
    const sequence = await lockSequence(txn, sequenceId)
    if (sequence?.status !== 'active') return 'stop'
    const { startsAt } = sequence
    if (startsAt && startsAt > txn.clock.date()) return 'rest'
    const kept = await keptBack(txn, sequence)
    if (kept === 'gone') await pauseWithoutPlatform(txn, sequence)
    if (kept === 'gone') return 'stop'
    if (kept === 'rest') return 'rest'
    if (kept === 'idle' || (await standsStill(txn, sequence))) {
      lookAtSequence(txn, sequence, new Date(txn.clock.now() + idleMs))
      return 'stop'
    }
    if (await takeInLeads(txn, sequence)) return 'again'
    const now = txn.clock.date()
    const failed = await txn.em.findOne(
      SequenceMail,
      { sequenceId, status: { $in: ['waiting', 'doubtful'] }, until: { $lte: now } },
      { orderBy: { until: 'asc' } },
    )
    if (failed) return retry(txn, sequence, failed)
    const contact = await txn.em.findOne(
      SequenceContact,
      { sequenceId, status: 'waiting', nextAt: { $lte: now } },
      { orderBy: { nextAt: 'asc', id: 'asc' } },
    )
    return contact ? begin(txn, sequence, contact) : 'rest'
  })
}

/** A newsletter goes out after its campaign has ended as well: its approval counts. */
async function standsStill(txn: Transaction, { tenantId, campaignId, kind }: SequenceRow): Promise<boolean> {
  const campaign = await txn.em.findOne(Campaign, { id: campaignId })
  const { status } = campaign ?? {}
  const runs = kind === 'mailing' ? status !== 'paused' && status !== 'archived' : status === 'active'
  return !campaign || !runs || isShut(txn, tenantId)
}

/** The text is what was approved: of a mailing, no newer one has been written, and no one has taken the verdict back. */
async function isText(
  txn: Transaction,
  { activityId, contentHash }: SequenceRow,
  step: StepRow,
): Promise<boolean> {
  if (step.approvedHash !== hashOf(step)) return false
  return activityId === null || contentHash === null || isStillApproved(txn, activityId, contentHash)
}

async function begin(txn: Transaction, sequence: SequenceRow, contact: ContactRow): Promise<Claim> {
  const { id: sequenceId, tenantId } = sequence
  const steps = await txn.em.find(SequenceStep, { sequenceId }, { orderBy: { position: 'asc' } })
  const step = steps[contact.nextPosition]
  const lead = await txn.em.findOne(Lead, { id: contact.leadId })
  const reason = await reasonToStop(txn, sequence, contact, lead)
  if (reason !== undefined) {
    stopContact(sequence, contact, reason)
    return 'again'
  }
  // A change of a sequence has paused it already; this is the last look before a text leaves.
  if (!step || !(await isText(txn, sequence, step))) {
    Object.assign(sequence, { status: 'paused', nextAt: null })
    if (sequence.kind === 'mailing') await tellStopped(txn, sequence)
    return 'stop'
  }
  const now = txn.clock.date()
  const mail = txn.em.create(SequenceMail, {
    id: txn.newId(),
    tenantId,
    sequenceId,
    stepId: step.id,
    contactId: contact.id,
    contentHash: hashOf(step),
    status: 'sending',
    attempts: 1,
    until: new Date(now.getTime() + handOverMs),
    error: null,
    messageId: null,
    at: now,
  })
  const tenant = await txn.em.findOneOrFail(Tenant, { id: tenantId })
  const next = steps[contact.nextPosition + 1]
  contact.nextPosition += 1
  contact.nextAt = next ? nextTime(sequence, next, now, tenant.timezone) : null
  if (!next) {
    contact.status = 'done'
    sequence.waiting -= 1
    sequence.done += 1
  }
  return { ...claimed(sequence, mail, step, contact, lead as LeadRow), from: tenant.name, doubtSince: null }
}

/** Null where people have not let the step go yet. */
function nextTime({ released }: SequenceRow, step: StepRow, now: Date, timeZone: string): Date | null {
  if (released === null) return daysLater(now, step.delayDays, timeZone)
  return step.position < released ? now : null
}

/** Once more what was certainly not taken, or would not be taken twice. */
async function retry(txn: Transaction, sequence: SequenceRow, mail: SequenceMailRow): Promise<Claim> {
  const [step, contact, tenant] = await Promise.all([
    txn.em.findOneOrFail(SequenceStep, { id: mail.stepId }),
    txn.em.findOneOrFail(SequenceContact, { id: mail.contactId }),
    txn.em.findOneOrFail(Tenant, { id: mail.tenantId }),
  ])
  const lead = await txn.em.findOne(Lead, { id: contact.leadId })
  const reason =
    contact.status === 'stopped' ? contact.stopReason : await reasonToStop(txn, sequence, contact, lead)
  if (reason || !lead || mail.contentHash !== hashOf(step) || !(await isText(txn, sequence, step))) {
    if (reason) stopContact(sequence, contact, reason)
    return giveUp(
      txn,
      sequence,
      mail,
      step,
      reason ? `The contact is ${reason}` : 'The text has changed since',
    )
  }
  const doubtSince = doubtOf(mail)
  const repeatableMs = await repeatableAtPlatform(txn, sequence)
  if (doubtSince && isForgotten(doubtSince, txn.clock.date(), repeatableMs))
    return giveUp(txn, sequence, mail, step, forgottenWords)
  mail.status = 'sending'
  mail.attempts += 1
  mail.until = new Date(txn.clock.now() + handOverMs)
  return { ...claimed(sequence, mail, step, contact, lead), from: tenant.name, doubtSince }
}

/** Ends a mail that waits: it has failed, unless it may have gone out. */
async function giveUp(
  txn: Transaction,
  sequence: SequenceRow,
  mail: SequenceMailRow,
  step: StepRow,
  error: string,
): Promise<Claim> {
  const status = doubtOf(mail) ? 'unknown' : 'failed'
  Object.assign(mail, { status, until: null, error })
  if (status === 'failed') step.failed += 1
  else await countUnknown(txn, sequence, step)
  return 'again'
}

function claimed(
  { kind, channel, channelId, campaignId }: SequenceRow,
  { id, tenantId }: SequenceMailRow,
  { id: stepId, subject, body }: StepRow,
  { id: contactId, linkKey, address }: ContactRow,
  { email, firstName, lastName, company }: LeadRow,
): Omit<ClaimedMail, 'from' | 'doubtSince'> {
  const values = { firstName, lastName, company: company ?? '' }
  return {
    id,
    kind,
    channel,
    channelId,
    tenantId,
    campaignId,
    contactId,
    stepId,
    subject,
    body,
    to: channel === 'sms' ? address : (email ?? ''),
    linkKey,
    values,
  }
}
