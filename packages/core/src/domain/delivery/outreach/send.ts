import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { User } from '../../accounts/identity/entities.ts'
import { lockCampaign } from '../../work/campaigns/change.ts'
import { isStillApproved } from '../mailing/approved.ts'
import { MailOptOut } from '../mailing/entities.ts'
import { OutreachMail, type OutreachMailRow } from './entities.ts'
import { outreachJob } from './jobs.ts'
import type { OutreachSent } from './schemas.ts'

/** How many mails one request lets go, and how far apart they leave, milliseconds: mail servers take many at once for spam. */
const perRequest = 100
const apartMs = 600

/**
 * Lets the approved outreach mails of a campaign go out, each once. What was sent or is on its way is left alone, so that asking again sends
 * what was approved meanwhile. Answers go to the address of the one who asks. Serves `POST /dm/v1/campaigns/:campaignId/send`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when the campaign is not active, and when no outreach of it was approved
 */
export function sendOutreach(ctx: Ctx, campaignId: string): Promise<OutreachSent> {
  return transact(ctx, async (txn) => {
    const { tenantId, status } = await lockCampaign(txn, campaignId)
    if (status !== 'active')
      throw new DomainError('UNPROCESSABLE', 'The campaign is not active: nothing goes out for it')
    if ((await txn.em.count(OutreachMail, { campaignId })) === 0)
      throw new DomainError(
        'UNPROCESSABLE',
        'No outreach mail of this campaign was approved: it is a section of an approved text with a line “To:” and a line “Subject:”',
      )
    const { queued, skipped } = await chooseMails(txn, campaignId)
    const sender = await txn.em.findOne(User, { id: txn.actor.id })
    const now = txn.clock.now()
    for (const [n, mail] of queued.entries()) {
      Object.assign(mail, { sentById: txn.actor.id, replyTo: sender?.email ?? null })
      lookAtMail(txn, mail, new Date(now + n * apartMs))
    }
    txn.audit({
      tenantId,
      resourceType: 'campaign',
      resourceId: campaignId,
      after: {
        mails: queued.map(({ id, recipient, contentHash }) => ({ id, to: recipient, contentHash })),
        skipped,
      },
    })
    return { queued: queued.length, skipped }
  })
}

/** The next mails to be sent. Those that are not approved any more stay where they are, and are no obstacle for those behind them. */
async function chooseMails(
  txn: Transaction,
  campaignId: string,
): Promise<{ queued: OutreachMailRow[]; skipped: OutreachSent['skipped'] }> {
  const skipped: OutreachSent['skipped'] = []
  const queued: OutreachMailRow[] = []
  // A text has up to fifty mails.
  const known = new Map<string, boolean>()
  for (let after = ''; ; ) {
    const mails = await txn.em.find(
      OutreachMail,
      { campaignId, status: 'approved', id: { $gt: after } },
      { orderBy: { id: 'asc' }, limit: perRequest },
    )
    for (const mail of mails) {
      const reason = await whyNot(txn, mail, known)
      if (reason === undefined) queued.push(mail)
      else skipped.push({ activityId: mail.activityId, to: mail.recipient, reason })
      if (reason === 'unsubscribed') Object.assign(mail, { status: 'stopped', error: 'Unsubscribed' })
      if (queued.length === perRequest) return { queued, skipped }
    }
    const last = mails.at(-1)
    if (!last || mails.length < perRequest) return { queued, skipped }
    after = last.id
  }
}

/**
 * Asked when a mail is let go, and again right before it leaves.
 * @param known which texts are still approved; what is found out is added
 */
export async function whyNot(
  txn: Transaction,
  { tenantId, activityId, address, contentHash }: OutreachMailRow,
  known = new Map<string, boolean>(),
): Promise<'changed' | 'unsubscribed' | undefined> {
  if ((await txn.em.count(MailOptOut, { tenantId, address })) > 0) return 'unsubscribed'
  const text = `${activityId} ${contentHash}`
  const isApproved = known.get(text) ?? (await isStillApproved(txn, activityId, contentHash))
  known.set(text, isApproved)
  return isApproved ? undefined : 'changed'
}

/**
 * Says until when a mail waits, or when its handing over counts as dead, in the transaction that changes it; then it is looked at. What is in
 * doubt stays so while it waits.
 */
export function lookAtMail(
  txn: Transaction,
  mail: OutreachMailRow,
  at: Date,
  status: 'waiting' | 'doubtful' | 'sending' = mail.status === 'doubtful' ? 'doubtful' : 'waiting',
): void {
  const { id, tenantId } = mail
  Object.assign(mail, { status, until: at })
  txn.enqueue(outreachJob, {
    tenantId,
    payload: { mailId: id },
    runAt: at,
    // Another job than the one that asks for it, into which it would fold.
    uniqueKey: `${outreachJob.kind}:${id}:${at.getTime()}`,
  })
}
