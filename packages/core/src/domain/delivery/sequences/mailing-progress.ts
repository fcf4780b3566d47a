import type { Transaction } from '../../../kernel/context.ts'
import { notify } from '../../people/notifications/notify.ts'
import { logActivity } from '../../work/activities/state.ts'
import type { SequenceRow, StepRow } from './entities.ts'

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
