import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { isStillApproved } from '../mailing/approved.ts'
import { handOverMs } from '../mailing/hand-over.ts'
import type { SequenceRow, SequenceStatus } from '../sequences/entities.ts'
import { sequenceJob } from '../sequences/jobs.ts'
import { lockSequence, lookAtSequence } from '../sequences/sequences.ts'
import { getMailing } from './queries.ts'
import type { MailingItem } from './schemas.ts'

/**
 * Stops a mailing where it is; the mail that is being handed over ends by itself. Serves `POST /dashboard/v1/mailings/:mailingId/pause`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` unless it is under way or waits for its time
 */
export const pauseMailing = (ctx: Ctx, id: string): Promise<MailingItem> =>
  change(ctx, id, 'paused', (txn, mailing) => {
    require(mailing, ['active'])
    stop(txn, mailing)
  })

/**
 * Goes on where a mailing was paused: nobody gets it twice. Serves `POST /dashboard/v1/mailings/:mailingId/resume`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` unless it is paused; `UNPROCESSABLE` when its text is not the approved one any more
 */
export const resumeMailing = (ctx: Ctx, id: string): Promise<MailingItem> =>
  change(ctx, id, 'active', async (txn, mailing) => {
    require(mailing, ['paused'])
    const { activityId, contentHash, startsAt } = mailing
    if (!activityId || !contentHash || !(await isStillApproved(txn, activityId, contentHash)))
      throw new DomainError(
        'UNPROCESSABLE',
        'The text has changed since, or is not approved any more: this mailing can only be cancelled',
      )
    const now = txn.clock.date()
    lookAtSequence(txn, mailing, startsAt && startsAt > now ? startsAt : now)
  })

/**
 * Ends a mailing for good: who has not got it does not get it. Serves `POST /dashboard/v1/mailings/:mailingId/cancel`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it has ended
 */
export const cancelMailing = (ctx: Ctx, id: string): Promise<MailingItem> =>
  change(ctx, id, 'cancelled', (txn, mailing) => {
    require(mailing, ['active', 'paused'])
    stop(txn, mailing)
  })

function change(
  ctx: Ctx,
  id: string,
  status: SequenceStatus,
  act: (txn: Transaction, mailing: SequenceRow) => Promise<void> | void,
): Promise<MailingItem> {
  return transact(ctx, async (txn) => {
    const mailing = await lockSequence(txn, id)
    if (mailing?.kind !== 'mailing') throw notFound('mailing')
    const { tenantId, status: before } = mailing
    await act(txn, mailing)
    Object.assign(mailing, { status, updatedOn: txn.clock.date() })
    txn.audit({
      tenantId,
      resourceType: 'mailing',
      resourceId: id,
      before: { status: before },
      after: { status },
    })
    await txn.em.flush()
    return getMailing(txn, id)
  })
}

/** @throws DomainError `CONFLICT` */
function require({ status }: SequenceRow, among: readonly SequenceStatus[]): void {
  if (among.includes(status)) return
  const words = { active: 'is under way', completed: 'has been sent', draft: 'is a draft' }
  const state = status in words ? words[status as keyof typeof words] : `is ${status}`
  throw new DomainError('CONFLICT', `The mailing ${state}`, { details: { status } })
}

/** Nothing goes out from now on. What a process that has died was handing over is still looked at once. */
function stop(txn: Transaction, mailing: SequenceRow): void {
  const { id, tenantId } = mailing
  mailing.nextAt = null
  txn.enqueue(sequenceJob, {
    tenantId,
    payload: { sequenceId: id },
    runAt: new Date(txn.clock.now() + handOverMs),
    uniqueKey: `${sequenceJob.kind}:${id}:stopped`,
  })
}
