import { actorName, type Transaction } from '../../../../kernel/context.ts'
import type { MappingRow } from '../entities.ts'
import { NegativeKeyword } from '../keywords/entities.ts'
import type { Draft } from './draft.ts'
import { AdChangeSet, type ChangeItem, type ChangeSetRow } from './entities.ts'
import type { ChangeOrder } from './plan.ts'
import { digestOf } from './policy.ts'
import { follow } from './settle.ts'

/** Writes a plan down, with our rows of the negative keywords that it adds. */
export async function keepPlan(
  txn: Transaction,
  mapping: MappingRow,
  { order, items, drafts }: { order: ChangeOrder; items: ChangeItem[]; drafts: readonly Draft[] },
): Promise<ChangeSetRow> {
  const { id: mappingId, tenantId, campaignId, accountId, currency } = mapping
  const now = txn.clock.date()
  const isOpen = items.some(({ state }) => state === 'planned')
  const isDone = !isOpen && items.some(({ state }) => state === 'applied')
  const row = txn.em.create(AdChangeSet, {
    id: txn.newId(),
    tenantId,
    campaignId,
    mappingId,
    accountId,
    currency,
    title: order.title,
    source: order.source,
    status: isOpen ? 'planned' : isDone ? 'applied' : 'refused',
    digest: digestOf(mapping, items),
    items: items.map((item, i) => withNegative(txn, mapping, order, item, drafts[i]?.adGroupId ?? null)),
    undoOfId: order.undo?.id ?? null,
    attempt: 0,
    leaseUntil: null,
    nextAt: null,
    touched: false,
    failures: 0,
    error: null,
    requestedById: txn.actor.id,
    requestedByName: actorName(txn),
    approvedById: null,
    approvedByName: null,
    approvedOn: null,
    appliedOn: isDone ? now : null,
    outcomes: null,
    outcomeAt: null,
    createdOn: now,
    updatedOn: now,
  })
  await txn.em.flush()
  for (const item of row.items) if (item.state === 'applied') await follow(txn, row, mapping, item)
  const { id, digest, status } = row
  txn.audit({
    tenantId,
    resourceType: 'ad_change_set',
    resourceId: id,
    after: { campaignId, status, digest, items: items.map(({ label, reason }) => reason ?? label) },
  })
  return row
}

/** A negative keyword is ours before it is the platform's. */
function withNegative(
  txn: Transaction,
  { tenantId, campaignId }: MappingRow,
  { negativeSource = 'manual' }: ChangeOrder,
  item: ChangeItem,
  adGroupId: string | null,
): ChangeItem {
  const { kind, after, state, text, matchType } = item
  const isNew = kind === 'negative_keyword' && after !== null && state !== 'refused'
  if (!isNew || text === null || matchType === null) return item
  const id = txn.newId()
  const now = txn.clock.date()
  txn.em.create(NegativeKeyword, {
    id,
    tenantId,
    campaignId,
    adGroupId,
    text,
    matchType,
    source: negativeSource,
    status: 'pending_push',
    externalCriterionId: null,
    createdOn: now,
    updatedOn: now,
  })
  return { ...item, subjectId: id }
}
