import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { warningMs } from '../../work/approvals/policy.ts'
import { isDismissable, longestSnoozeMs } from './policy.ts'
import { type FeedRows, findItem, saveMark } from './queries.ts'
import type { Dismissal } from './schemas.ts'

/**
 * Takes an item out of the caller's feed until something new happens to its subject; what expires is back when it is about
 * to. No one else's feed changes. Serves `POST …/feed/:itemId/dismiss`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` for an approval of high risk
 */
export function dismissItem(ctx: Ctx, itemId: string): Promise<Dismissal> {
  return transact(ctx, async (txn) => {
    const found = await itemOf(txn, itemId)
    if (!isDismissable({ riskLevel: found.item.riskLevel ?? null }))
      throw new DomainError('UNPROCESSABLE', 'What is of high risk can be snoozed, not dismissed')
    return putAside(txn, found, warningOf(txn, found))
  })
}

/**
 * Takes an item out of the caller's feed for a while, or until something new happens to its subject; what expires is back
 * when it is about to. Serves `POST …/feed/:itemId/snooze`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` when `until` is not ahead, after the deadline, or later than 30 days
 */
export function snoozeItem(ctx: Ctx, itemId: string, { until }: { until: Date }): Promise<Dismissal> {
  return transact(ctx, async (txn) => {
    const found = await itemOf(txn, itemId)
    const { deadline } = found.item
    const now = txn.clock.now()
    if (until.getTime() <= now) throw invalid('until', 'Name an instant that is still to come')
    if (until.getTime() > now + longestSnoozeMs)
      throw invalid('until', 'Nothing can be snoozed for more than 30 days')
    if (deadline && until >= deadline)
      throw invalid('until', `It has to be decided by ${deadline.toISOString()}`)
    const warning = warningOf(txn, found)
    return putAside(txn, found, warning && warning < until ? warning : until)
  })
}

async function itemOf(txn: Transaction, itemId: string): Promise<FeedRows> {
  const found = await findItem(txn, txn.tx, itemId)
  if (!found) throw notFound('item of the feed')
  return found
}

/** When people are warned of the deadline, as long as they were not. */
function warningOf(txn: Transaction, { item: { deadline } }: FeedRows): Date | null {
  const warning = deadline && new Date(deadline.getTime() - warningMs)
  return warning && warning.getTime() > txn.clock.now() ? warning : null
}

async function putAside(
  txn: Transaction,
  { item, news }: FeedRows,
  returnsAt: Date | null,
): Promise<Dismissal> {
  await saveMark(txn.tx, {
    userId: txn.actor.id,
    itemId: item.id,
    tenantId: item.tenantId,
    seenNews: news,
    returnsAt,
    markedOn: txn.clock.date(),
  })
  txn.audit({
    tenantId: item.tenantId,
    resourceType: 'feed_item',
    resourceId: item.id,
    after: { kind: item.kind, hiddenUntil: returnsAt?.toISOString() ?? null },
  })
  return { itemId: item.id, hiddenUntil: returnsAt }
}
