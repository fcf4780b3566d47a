import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { settled } from '../mailing/hand-over.ts'
import { holdAtPlatform, type PlatformOutcome } from './by-platform.ts'
import { type ClaimedMail, claimMail } from './claim.ts'
import { SequenceContact, SequenceMail, SequenceStep } from './entities.ts'
import { createHandOver } from './hand-over.ts'
import { countUnknown, tellSent } from './mailing-progress.ts'
import { lookMs, perTurn, turnMs } from './policy.ts'
import { overdueSequences } from './queries.ts'
import { lockSequence, lookAtSequence } from './sequences.ts'
import { stopContact } from './stop.ts'

/** How long after its time a sequence counts as forgotten, milliseconds. */
const forgottenMs = 5 * 60_000

/**
 * One turn of a sequence: the job `sequence.turn`. New contacts are taken in, and at most a hundred mails that are due go out, within a minute. Each is written
 * down before it is handed over; what was being handed over by a process that died is in doubt, and never sent again.
 */
export async function sequenceTurn(
  ctx: Ctx,
  { sequenceId }: { sequenceId: string },
  signal: AbortSignal,
): Promise<void> {
  await giveUpDoubtful(ctx, sequenceId)
  const handOver = createHandOver(ctx, sequenceId)
  let sent = 0
  // At a mail server that does not answer a hundred mails would take an hour, and those of others wait for that.
  const endsAt = ctx.clock.now() + turnMs
  while (sent < perTurn && ctx.clock.now() < endsAt && !signal.aborted) {
    const claim = await claimMail(ctx, sequenceId)
    if (claim === 'stop') return
    if (claim === 'rest') break
    if (claim === 'again') continue
    const outcome = await handOver(claim)
    await transact(ctx, (txn) => settle(txn, sequenceId, claim, outcome))
    sent += 1
  }
  await transact(ctx, (txn) => planNext(txn, sequenceId, sent === perTurn))
}

async function settle(
  txn: Transaction,
  sequenceId: string,
  { id, stepId, contactId, channelId, doubtSince }: ClaimedMail,
  told: PlatformOutcome,
): Promise<void> {
  const sequence = await lockSequence(txn, sequenceId)
  const mail = await txn.em.findOne(SequenceMail, { id })
  // Its campaign is gone, or it was given up as doubtful meanwhile.
  if (!sequence || mail?.status !== 'sending') return
  // Another way, chosen meanwhile, does not know what this one may have taken.
  const isSameWay = sequence.channelId === channelId
  const isOver = !isSameWay && mayBeTaken(told, doubtSince)
  const outcome = isOver ? { status: 'unknown' as const, error: told.error } : told
  if (outcome.status === 'held') {
    // It was not taken, for a reason that is not its own: this was no try.
    const { until, error } = outcome
    const at = doubtSince ?? txn.clock.date()
    const attempts = mail.attempts - 1
    Object.assign(mail, { status: doubtSince ? 'doubtful' : 'waiting', attempts, until, error, at })
    return isSameWay ? holdAtPlatform(txn, sequence, outcome) : undefined
  }
  const step = await txn.em.findOneOrFail(SequenceStep, { id: stepId })
  const after = settled(outcome, { attempts: mail.attempts, doubtSince }, txn.clock.date())
  const { status } = after
  Object.assign(mail, after, 'messageId' in outcome && { messageId: outcome.messageId })
  if (status === 'sent') Object.assign(sequence, { heldUntil: null, heldReason: null })
  // While a platform is in trouble, one mail is in doubt, and not a hundred.
  if (channelId !== null && isSameWay && after.until !== null)
    Object.assign(sequence, { heldUntil: after.until, heldReason: after.error })
  if (status === 'sent') step.sent += 1
  if (status === 'failed') step.failed += 1
  if (status === 'suppressed') {
    const contact = await txn.em.findOne(SequenceContact, { id: contactId })
    if (contact) stopContact(sequence, contact, 'suppressed')
  }
  if (status === 'unknown') await countUnknown(txn, sequence, step)
}

type Unsettled = Extract<PlatformOutcome, { status: 'waiting' | 'doubtful' | 'held' }>

/** Whether a mail that would be tried again may have been taken, this time or before. */
const mayBeTaken = (outcome: PlatformOutcome, doubtSince: Date | null): outcome is Unsettled =>
  outcome.status === 'doubtful' ||
  (doubtSince !== null && (outcome.status === 'waiting' || outcome.status === 'held'))

/** What a process that died was handing over may have arrived. */
async function giveUpDoubtful(ctx: Ctx, sequenceId: string): Promise<void> {
  await transact(ctx, async (txn) => {
    const sequence = await lockSequence(txn, sequenceId)
    if (!sequence) return
    const until = { $lte: txn.clock.date() }
    const mails = await txn.em.find(
      SequenceMail,
      { sequenceId, status: 'sending', until },
      { limit: perTurn },
    )
    for (const mail of mails) {
      const step = await txn.em.findOneOrFail(SequenceStep, { id: mail.stepId })
      Object.assign(mail, {
        status: 'unknown',
        until: null,
        error: 'The server ended while it was handed over',
      })
      await countUnknown(txn, sequence, step)
    }
  })
}

/** Says when there is something to do again; a sequence with nothing left has come to its end. */
async function planNext(txn: Transaction, sequenceId: string, isFull: boolean): Promise<void> {
  const sequence = await lockSequence(txn, sequenceId)
  if (sequence?.status !== 'active') return
  const { triggerType, startsAt, leadsRead, lastLead, heldUntil } = sequence
  const now = txn.clock.now()
  const [contact] = await txn.em.find(
    SequenceContact,
    { sequenceId, status: 'waiting', nextAt: { $ne: null } },
    { orderBy: { nextAt: 'asc', id: 'asc' }, limit: 1 },
  )
  const [mail] = await txn.em.find(
    SequenceMail,
    { sequenceId, until: { $ne: null } },
    { orderBy: { until: 'asc' }, limit: 1 },
  )
  const isAhead = startsAt !== null && startsAt.getTime() > now
  const times = [contact?.nextAt, mail?.until, isAhead ? startsAt : null].flatMap((at) => at?.getTime() ?? [])
  if (triggerType === 'on_subscribe') times.push(now + lookMs)
  // The process was told to stop before it had read the list of leads to its end.
  else if (!isAhead && (lastLead === null || leadsRead < lastLead)) times.push(now)
  sequence.updatedOn = txn.clock.date()
  if (times.length === 0 && sequence.released !== null && sequence.waiting > 0) {
    sequence.nextAt = null
    return
  }
  if (times.length === 0) {
    Object.assign(sequence, { status: 'completed', nextAt: null })
    if (sequence.kind !== 'mailing') return
    return tellSent(txn, sequence, await txn.em.findOneOrFail(SequenceStep, { sequenceId, position: 0 }))
  }
  lookAtSequence(
    txn,
    sequence,
    new Date(Math.max(Math.min(...times), isFull ? now + turnMs : now, heldUntil?.getTime() ?? 0)),
  )
}

/** Looks at sequences again whose job was lost: the job `sequence.sweep`. */
export async function sweepSequences(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.clock.now() - forgottenMs)
  for (const id of await overdueSequences(ctx, before))
    await transact(ctx, async (txn) => {
      const sequence = await lockSequence(txn, id)
      if (sequence?.nextAt && sequence.nextAt < before) lookAtSequence(txn, sequence, txn.clock.date())
    })
}
