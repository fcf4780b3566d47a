import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { Activity } from '../../work/activities/entities.ts'
import { isApproved } from '../../work/approvals/pending.ts'
import type { OutputRow } from '../../work/content/entities.ts'
import { latestOutput } from '../../work/content/versions.ts'
import { noChange, planChange } from './change/plan.ts'
import type { PublicationRow } from './entities.ts'
import { removeJob } from './jobs.ts'
import { lockPublication, lookAt } from './lock.ts'
import { isKnownOut } from './policy.ts'
import { getPublication } from './queries.ts'
import { goOn, withText } from './renew-text.ts'
import type { PublicationItem, ReconcileInput } from './schemas.ts'
import { rested, settlePublished } from './settle.ts'

/**
 * Lets an intent go on that has failed or is held, or the change of one that is out: with the newest text, which a verdict has to cover. Serves
 * `POST /dashboard/v1/publications/:publicationId/retry`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` in any other status; `UNPROCESSABLE` when no verdict covers the newest text
 */
export function retryPublication(ctx: Ctx, id: string): Promise<PublicationItem> {
  return actOn(ctx, id, async (txn, publication) => {
    const { status, changeStatus, activityId } = publication
    const isStopped = (one: typeof status | typeof changeStatus) => one === 'failed' || one === 'held'
    const isChange = status === 'published' && isStopped(changeStatus)
    if (!isStopped(status) && !isChange)
      throw new DomainError('CONFLICT', `This publication is ${status}: there is nothing to retry`)
    const output = await approvedOutput(txn, activityId)
    if (isChange) return planChange(txn, publication, output)
    const isNewer = output.sha256 !== publication.contentHash
    if (isNewer && isKnownOut(txn, publication)) {
      planChange(txn, publication, output)
      goOn(txn, publication, {})
    } else goOn(txn, publication, withText(txn, publication, output))
  })
}

/** The newest text of an activity. @throws DomainError `UNPROCESSABLE` when no verdict covers it */
export async function approvedOutput(txn: Transaction, activityId: string): Promise<OutputRow> {
  const activity = await txn.em.findOneOrFail(Activity, { id: activityId })
  const output = await latestOutput(txn, activityId)
  if (output && (await isApproved(txn, activity, output))) return output
  throw new DomainError('UNPROCESSABLE', 'No verdict covers the newest text of this activity')
}

/**
 * Settles an intent of which no one knows what has become: a person says that it is there, or that it is not, upon which it is sent;
 * without a word the platform is asked once more. Serves `POST /dashboard/v1/publications/:publicationId/reconcile`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` in any other status; `VALIDATION_ERROR` on `url` where it is not asked for
 */
export function reconcilePublication(
  ctx: Ctx,
  id: string,
  { outcome, url }: ReconcileInput,
): Promise<PublicationItem> {
  if (url !== undefined && outcome !== 'published')
    throw invalid('url', 'Only what was published has an address')
  return actOn(ctx, id, async (txn, publication) => {
    if (publication.status !== 'unknown')
      throw new DomainError(
        'CONFLICT',
        `This publication is ${publication.status}: there is no doubt about it`,
      )
    if (outcome === 'published')
      return settlePublished(txn, publication, { externalId: publication.externalId ?? '', url: url ?? null })
    if (outcome === 'not_published') return goOn(txn, publication, { progress: {} })
    Object.assign(publication, { asked: false, checks: 0 })
    lookAt(txn, publication, txn.clock.date())
  })
}

/**
 * Withdraws an intent, or takes back what is out where the platform can; the latter is done by a job, and a newer text that waits is dropped. Serves
 * `POST /dashboard/v1/publications/:publicationId/cancel`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` while it is being sent or in doubt, and where it is withdrawn already;
 *   `UNPROCESSABLE` when the platform takes nothing back
 */
export function cancelPublication(ctx: Ctx, id: string): Promise<PublicationItem> {
  return actOn(ctx, id, async (txn, publication) => {
    const { status, tenantId, channelType, externalId } = publication
    if (status === 'published') {
      if (!txn.services.connectors.get(channelType)?.remove || !externalId)
        throw new DomainError('UNPROCESSABLE', 'The platform takes nothing back: delete the post there')
      txn.enqueue(removeJob, {
        tenantId,
        payload: { publicationId: id },
        uniqueKey: `${removeJob.kind}:${id}`,
      })
      return void Object.assign(publication, noChange)
    }
    if (status !== 'scheduled' && status !== 'held' && status !== 'failed')
      throw new DomainError('CONFLICT', `This publication is ${status}: it cannot be withdrawn`)
    if (publication.touched) throw new DomainError('CONFLICT', 'It may be out already: reconcile it first')
    Object.assign(publication, rested, noChange, { status: 'cancelled' })
  })
}

/** A person's act on an intent, with its audit row. */
export async function actOn(
  ctx: Ctx,
  id: string,
  work: (txn: Transaction, publication: PublicationRow) => Promise<void>,
): Promise<PublicationItem> {
  await transact(ctx, async (txn) => {
    const publication = await lockPublication(txn, id)
    const before = stateOf(publication)
    await work(txn, publication)
    publication.updatedOn = txn.clock.date()
    txn.audit({
      tenantId: publication.tenantId,
      resourceType: 'publication',
      resourceId: id,
      before,
      after: stateOf(publication),
    })
  })
  return getPublication(ctx, id)
}

const stateOf = ({ status, contentHash, changeStatus, changeHash }: PublicationRow) => ({
  status,
  contentHash,
  ...(changeStatus && { changeStatus, changeHash }),
})
