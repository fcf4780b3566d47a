import type { Transaction } from '../../../kernel/context.ts'
import { notify } from '../../people/notifications/notify.ts'
import { logActivity } from '../../work/activities/state.ts'
import type { SequenceRow, StepRow } from './entities.ts'

/** Counts mails that may have gone out and are not sent again. The admins are told once for each step. */
export async function countUnknown(
  txn: Transaction,
  { tenantId, campaignId, name }: SequenceRow,
  step: StepRow,
  mails = 1,
): Promise<void> {
  step.unknown += mails
  if (step.unknown > mails) return
  await notify(txn, {
    tenantId,
    to: 'admins',
    type: 'activity_failed',
    title: `Perhaps not sent: step ${step.position + 1} of ${name}`,
    body: 'A mail was on its way when the connection or the server broke off. It may have arrived, so it is not sent again.',
    subjectKind: 'campaigns',
    subjectId: campaignId,
  })
}

/** Says that a mailing waits for a person, because its text is not the approved one any more. */
export async function tellStopped(txn: Transaction, mailing: SequenceRow): Promise<void> {
  const why = 'its text has changed since, or is not approved any more'
  await tell(txn, mailing, `Paused: the mailing “${mailing.name}”`, `No more mails of it go out: ${why}.`)
}

/** Says that a mailing has come to its end, and what became of its mails. */
export async function tellSent(txn: Transaction, mailing: SequenceRow, step: StepRow): Promise<void> {
  const { sent, failed, unknown } = step
  const parts = [
    `${sent === 1 ? '1 mail was' : `${sent} mails were`} sent`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unknown > 0 ? [`of ${unknown} no one can tell`] : []),
  ]
  await tell(txn, mailing, `Sent: the mailing “${mailing.name}”`, `${parts.join(', ')}.`)
}

async function tell(
  txn: Transaction,
  { id, tenantId, activityId }: SequenceRow,
  title: string,
  body: string,
): Promise<void> {
  if (activityId === null) return
  logActivity(
    txn,
    { id: activityId, tenantId },
    { kind: 'publishing', message: `${title}. ${body}`, data: { mailingId: id } },
  )
  await notify(txn, {
    tenantId,
    to: 'admins',
    type: 'campaign_update',
    title,
    body,
    subjectKind: 'activities',
    subjectId: activityId,
  })
}
