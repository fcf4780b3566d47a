import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { isShut } from '../../accounts/tenants/shut.ts'
import { notify } from '../../people/notifications/notify.ts'
import { logActivity } from '../../work/activities/state.ts'
import { Campaign } from '../../work/campaigns/entities.ts'
import {
  doubtOf,
  forgottenWords,
  handOverMs,
  idleMs,
  isForgotten,
  type Outcome,
  settled,
  tryMail,
} from '../mailing/hand-over.ts'
import { wordMail } from '../mailing/word-mail.ts'
import { OutreachMail, type OutreachMailRow } from './entities.ts'
import { overdueMails } from './queries.ts'
import { lookAtMail, whyNot } from './send.ts'

/** How long after its time a mail counts as forgotten, milliseconds. */
const forgottenMs = 5 * 60_000

/**
 * Sends one mail: the job `outreach.send`. It is written down before it is handed over; what was being handed over by a process that died is
 * in doubt, and never sent again.
 */
export async function outreachTurn(ctx: Ctx, { mailId }: { mailId: string }): Promise<void> {
  const claim = await transact(ctx, (txn) => claimMail(txn, mailId))
  if (!claim) return
  const { mail, from, doubtSince } = claim
  const { id, tenantId, recipient, linkKey, replyTo, attempts } = mail
  const link = `${ctx.services.settings.baseUrl}/forms/v1/unsubscribe/${linkKey}`
  const worded = wordMail(mail, { values: { firstName: '', lastName: '', company: '' }, from, link })
  const headers = { ...worded.headers, ...(replyTo !== null && { 'Reply-To': replyTo }) }
  const outcome = await tryMail(ctx, { id, to: recipient, ...worded, headers }, tenantId)
  await transact(ctx, (txn) => settle(txn, id, { attempts, doubtSince }, outcome))
}

const lockMail = (txn: Transaction, id: string) =>
  txn.em.findOne(OutreachMail, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })

/** The mail with the name of its tenant, if it is to be handed over now. */
async function claimMail(
  txn: Transaction,
  id: string,
): Promise<{ mail: OutreachMailRow; from: string; doubtSince: Date | null } | undefined> {
  const mail = await lockMail(txn, id)
  const now = txn.clock.date()
  if (!mail?.until || mail.until > now) return undefined
  if (mail.status === 'sending') {
    await end(txn, mail, 'unknown', 'The server ended while it was handed over')
    return undefined
  }
  const { tenantId, campaignId } = mail
  const doubtSince = doubtOf(mail)
  const stopped = doubtSince ? 'unknown' : 'stopped'
  const campaign = await txn.em.findOne(Campaign, { id: campaignId })
  if (!campaign || campaign.status === 'archived') {
    await end(txn, mail, stopped, 'The campaign is archived')
    return undefined
  }
  if (campaign.status !== 'active' || (await isShut(txn, tenantId))) {
    lookAtMail(txn, mail, new Date(now.getTime() + idleMs))
    return undefined
  }
  const reason = await whyNot(txn, mail)
  if (reason !== undefined) {
    const why = reason === 'unsubscribed' ? 'Unsubscribed' : 'The text is not the approved one any more'
    await end(txn, mail, stopped, why)
    return undefined
  }
  if (doubtSince && isForgotten(doubtSince, now)) {
    await end(txn, mail, 'unknown', forgottenWords)
    return undefined
  }
  mail.attempts += 1
  lookAtMail(txn, mail, new Date(now.getTime() + handOverMs), 'sending')
  const { name } = await txn.em.findOneOrFail(Tenant, { id: tenantId })
  return { mail, from: name, doubtSince }
}

async function settle(
  txn: Transaction,
  id: string,
  tried: { attempts: number; doubtSince: Date | null },
  outcome: Outcome,
): Promise<void> {
  const mail = await lockMail(txn, id)
  // It was given up as doubtful meanwhile.
  if (mail?.status !== 'sending' || mail.attempts !== tried.attempts) return
  const { status, until, error, at } = settled(outcome, tried, txn.clock.date())
  if (until) {
    Object.assign(mail, { error, at })
    lookAtMail(txn, mail, until, status)
  } else await end(txn, mail, status, error)
}

/** Writes down what has become of a mail, where people look for it; what did not go well is told to the one who sent it, too. */
async function end(
  txn: Transaction,
  mail: OutreachMailRow,
  status: OutreachMailRow['status'],
  error: string | null,
): Promise<void> {
  const { id, tenantId, activityId, recipient, subject, sentById } = mail
  Object.assign(mail, { status, until: null, error, at: txn.clock.date() })
  const what = results[status] ?? status
  const message = `${what}: “${subject}” to ${recipient}${error === null ? '' : ` (${error})`}`
  logActivity(txn, { id: activityId, tenantId }, { kind: 'publishing', message, data: { mailId: id } })
  if (status === 'sent') return
  await notify(txn, {
    tenantId,
    to: sentById === null ? 'admins' : [sentById],
    type: 'activity_failed',
    title: `${what}: outreach to ${recipient}`,
    body: advice[status] ?? error ?? '',
    subjectKind: 'activities',
    subjectId: activityId,
  })
}

const results: Partial<Record<OutreachMailRow['status'], string>> = {
  sent: 'Sent',
  unknown: 'Perhaps not sent',
  failed: 'Not sent',
  stopped: 'Not sent',
  suppressed: 'Not sent',
}

const advice: Partial<Record<OutreachMailRow['status'], string>> = {
  unknown:
    'The mail was on its way when the connection or the server broke off. It may have arrived, so it is not sent again.',
  suppressed: 'No mail goes to this address any more: earlier ones came back, or its owner has complained.',
}

/** Looks at mails again whose job was lost: the job `outreach.sweep`. */
export async function sweepOutreach(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.clock.now() - forgottenMs)
  for (const id of await overdueMails(ctx, before))
    await transact(ctx, async (txn) => {
      const mail = await lockMail(txn, id)
      if (!mail?.until || mail.until >= before) return
      if (mail.status === 'sending')
        await end(txn, mail, 'unknown', 'The server ended while it was handed over')
      else lookAtMail(txn, mail, txn.clock.date())
    })
}
