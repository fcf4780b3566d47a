import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../../kernel/context.ts'
import type { ChangeSetRow } from '../changes/entities.ts'
import { type AdviceRow, CampaignRecommendation } from './entities.ts'

/** A recommendation is followed once something of its change set was done, also long after the request that asked for it. */
export async function followSet(
  txn: Transaction,
  { id: changeSetId, campaignId, source }: ChangeSetRow,
): Promise<void> {
  if (source !== 'recommendation') return
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const row = await txn.em.findOne(CampaignRecommendation, { campaignId, changeSetId }, { lockMode })
  if (row && row.status !== 'applied') markApplied(txn, row, changeSetId)
}

/** @param changeSetId null where it was done otherwise */
export function markApplied(txn: Transaction, row: AdviceRow, changeSetId: string | null): void {
  const now = txn.clock.date()
  const { id, tenantId, status } = row
  Object.assign(row, { status: 'applied', changeSetId, appliedAt: now, updatedOn: now })
  txn.audit({
    tenantId,
    resourceType: 'recommendation',
    resourceId: id,
    before: { status },
    after: { status: 'applied', changeSetId },
  })
}
