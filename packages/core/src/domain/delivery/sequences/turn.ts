import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { type Outcome, settled, tryMail } from '../mailing/hand-over.ts'
import { composeNewsletter, type Newsletter, wordNewsletter } from '../mailing/newsletter.ts'
import { mailAddresses } from '../mailing/pictures.ts'
import { type WordedMail, wordMail } from '../mailing/word-mail.ts'
import { assetsOf, type TextAssets } from '../publishing/assets.ts'
import { linkTagsFor } from '../publishing/link-tags/setting.ts'
import { trySms, wordSms } from './channels.ts'
import { type ClaimedMail, claimMail, stopContact } from './claim.ts'
import { SequenceContact, SequenceMail, SequenceStep } from './entities.ts'
import { countUnknown, tellSent } from './mailing-progress.ts'
import { lookMs, perTurn, turnMs } from './policy.ts'
import { overdueSequences } from './queries.ts'
import { lockSequence, lookAtSequence } from './sequences.ts'

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
  const word = createWording(ctx, sequenceId)
  let sent = 0
  // At a mail server that does not answer a hundred mails would take an hour, and those of others wait for that.
  const endsAt = ctx.clock.now() + turnMs
  while (sent < perTurn && ctx.clock.now() < endsAt && !signal.aborted) {
    const claim = await claimMail(ctx, sequenceId)
    if (claim === 'stop') return
    if (claim === 'rest') break
    if (claim === 'again') continue
    await send(ctx, sequenceId, claim, word)
    sent += 1
  }
  await transact(ctx, (txn) => planNext(txn, sequenceId, sent === perTurn))
}

type Wording = (claim: ClaimedMail) => Promise<WordedMail>

const linkOf = ({ services: { settings } }: Ctx, { linkKey }: ClaimedMail) =>
  `${settings.baseUrl}/forms/v1/unsubscribe/${linkKey}`

/** Words the mails of one turn. What is the same in every mail of a newsletter is made once. */
function createWording(ctx: Ctx, sequenceId: string): Wording {
  let newsletter: Promise<Newsletter> | undefined
  const shownIn = new Map<string, Promise<TextAssets>>()
  const assetsFor = ({ tenantId, kind, stepId, body }: ClaimedMail): Promise<TextAssets> => {
    const known = shownIn.get(stepId)
    if (known) return known
    const user =
      kind === 'mailing'
        ? { type: 'mailing' as const, id: sequenceId }
        : { type: 'sequence_step' as const, id: stepId }
    const found = assetsOf(ctx, body, { tenantId, ...user })
    shownIn.set(stepId, found)
    return found
  }
  return async (claim) => {
    const { kind, subject, body, values, from } = claim
    const link = linkOf(ctx, claim)
    const assets = await assetsFor(claim)
    if (kind !== 'mailing') return wordMail(claim, { values, from, link }, mailAddresses(ctx, assets))
    newsletter ??= transact(ctx, (txn) => linkTagsFor(txn, claim, 'leads')).then((linkTags) =>
      composeNewsletter(ctx, { subject, body }, { linkTags, assets }),
    )
    return wordNewsletter(await newsletter, { values, from, link })
  }
}

async function send(ctx: Ctx, sequenceId: string, claim: ClaimedMail, word: Wording): Promise<void> {
  const { id, to, tenantId } = claim
  if (claim.channel === 'sms') {
    const text = wordSms(claim.body, { ...claim, link: linkOf(ctx, claim) })
    const outcome = await trySms(ctx, { to, text })
    return transact(ctx, (txn) => settle(txn, sequenceId, claim, outcome))
  }
  const outcome = await word(claim).then(
    (worded) => tryMail(ctx, { id, to, ...worded }, tenantId),
    (error: unknown): Outcome => {
      ctx.log.error('a mail could not be written', { mailId: id, error })
      // Nobody has been handed anything: it is tried again.
      return { status: 'waiting', error: 'Something went wrong here' }
    },
  )
  await transact(ctx, (txn) => settle(txn, sequenceId, claim, outcome))
}

async function settle(
  txn: Transaction,
  sequenceId: string,
  { id, stepId, contactId, doubtSince }: ClaimedMail,
  outcome: Outcome,
): Promise<void> {
  const sequence = await lockSequence(txn, sequenceId)
  const mail = await txn.em.findOne(SequenceMail, { id })
  // Its campaign is gone, or it was given up as doubtful meanwhile.
  if (!sequence || mail?.status !== 'sending') return
  const step = await txn.em.findOneOrFail(SequenceStep, { id: stepId })
  const after = settled(outcome, { attempts: mail.attempts, doubtSince }, txn.clock.date())
  const { status } = after
  Object.assign(mail, after)
  if (status === 'sent') step.sent += 1
  if (status === 'failed') step.failed += 1
  if (status === 'suppressed') {
    const contact = await txn.em.findOne(SequenceContact, { id: contactId })
    if (contact) stopContact(sequence, contact, 'suppressed')
  }
  if (status === 'unknown') await countUnknown(txn, sequence, step)
}

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
  const { triggerType, startsAt, leadsRead, lastLead } = sequence
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
  lookAtSequence(txn, sequence, new Date(Math.max(Math.min(...times), isFull ? now + turnMs : now)))
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
