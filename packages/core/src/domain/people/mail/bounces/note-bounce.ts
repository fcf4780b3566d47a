import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { Setting } from '../../../../kernel/entities.ts'
import { transact } from '../../../../kernel/transact.ts'
import { type Bounce, type BounceKind, bounceKinds } from '../../../../platform/mail/bounce-report.ts'
import { notify } from '../../notifications/notify.ts'
import { queueMail } from '../jobs.ts'
import { SentMail, type SentMailRow, type SuppressionReason } from './entities.ts'
import { mailSuppressedJob } from './jobs.ts'
import { activeOperators, mailsUntilBounce, suppress, tenantOfUser } from './queries.ts'

/** So many mails in a row that came back softly turn an address off. */
const softLimit = 3

/** Operators that are told; more do not get more mails. */
const mostOperators = 20

/** What became of a report: it is about no mail of ours, changed nothing more, or turned the address off. */
export type BounceOutcome = 'unknown' | 'noted' | 'suppressed'

/** Notes that a mail came back, and turns its address off where that says that it takes none. The same report changes nothing again. */
export function noteBounce(ctx: Ctx, { mailId, kind, detail }: Bounce): Promise<BounceOutcome> {
  return transact({ ...ctx, scope: 'all' }, async (txn) => {
    const mail = await txn.em.findOne(SentMail, { id: mailId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!mail) return 'unknown'
    if (mail.bounce === null || rank(kind) > rank(mail.bounce)) mail.bounce = kind
    await txn.em.flush()
    const reason = await reasonFor(txn, mail, kind)
    return reason && (await turnOff(txn, mail, reason, detail)) ? 'suppressed' : 'noted'
  })
}

const rank = (kind: BounceKind) => bounceKinds.indexOf(kind)

async function reasonFor(
  txn: Transaction,
  { address }: SentMailRow,
  kind: BounceKind,
): Promise<SuppressionReason | undefined> {
  if (kind === 'complaint') return 'complaint'
  if (kind === 'hard') return 'hard_bounce'
  const last = await mailsUntilBounce(txn.tx, address, softLimit)
  return last.length === softLimit && last.every(({ bounce }) => bounce !== null) ? 'soft_bounces' : undefined
}

/** @returns false when it is off already, so that those concerned are told once */
async function turnOff(
  txn: Transaction,
  { id: mailId, address, tenantId: ofMail }: SentMailRow,
  reason: SuppressionReason,
  detail: string,
): Promise<boolean> {
  const tenantId = (await tenantOfUser(txn.tx, address)) ?? ofMail
  const id = txn.newId()
  const row = { id, address, reason, detail, mailId, tenantId, createdOn: txn.clock.date() }
  if (!(await suppress(txn.tx, row))) return false
  txn.log.warn('an e-mail address takes no mails and is turned off', { suppressionId: id, reason })
  txn.audit({
    tenantId,
    resourceType: 'mail_address',
    resourceId: id,
    before: { isOff: false },
    after: { isOff: true, address, reason, detail, mailId },
    action: 'mail.suppressed',
  })
  if (tenantId !== null)
    await notify(txn, {
      tenantId,
      to: 'admins',
      type: 'campaign_update',
      title: `No more e-mails go to ${address}`,
      body: `${reasonInWords[reason]}: ${detail} If the address is right and works again, ask the people who run your Copydesk to turn it on.`,
      subjectKind: 'home',
      subjectId: tenantId,
    })
  await tellOperators(txn, address, detail)
  return true
}

const reasonInWords: Record<SuppressionReason, string> = {
  hard_bounce: 'The mail server says that it does not exist',
  soft_bounces: `The last ${softLimit} e-mails to it came back`,
  complaint: 'Its reader has marked an e-mail as unwanted',
}

/** At most one mail a day (UTC) to each, however many addresses are off: it says where the others are listed. */
async function tellOperators(txn: Transaction, address: string, detail: string): Promise<void> {
  const name = 'mail.suppressed_told'
  const value = txn.clock.date().toISOString().slice(0, 10)
  const known = await txn.em.findOne(Setting, { name }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (known?.value === value) return
  if (known) known.value = value
  else txn.em.create(Setting, { name, value })
  for (const { id: userId } of await activeOperators(txn.tx, mostOperators))
    queueMail(txn, mailSuppressedJob, { tenantId: null, payload: { userId, address, detail } })
}
