import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { flushOnce } from '../../../kernel/transact.ts'
import type { ConnectionRow } from '../../accounts/channels/entities.ts'
import { type AdPlatformName, CampaignMapping, type MappingRow } from './entities.ts'
import { syncMetricsJob } from './jobs.ts'
import type { PlatformCampaign } from './platform.ts'

/**
 * Joins a campaign of ours to one of a platform's, and has its figures fetched.
 * @param field what is told of the request when it is joined already
 * @throws DomainError `CONFLICT` when either is joined already
 */
export async function joinCampaign(
  txn: Transaction,
  campaign: { id: string; tenantId: string },
  channel: Pick<ConnectionRow, 'id'>,
  platform: AdPlatformName,
  there: PlatformCampaign,
): Promise<MappingRow> {
  const now = txn.clock.date()
  const { id, tenantId } = campaign
  const mapping = txn.em.create(CampaignMapping, {
    id: txn.newId(),
    tenantId,
    campaignId: id,
    channelId: channel.id,
    platform,
    accountId: there.account.id,
    loginAccountId: there.account.loginId,
    currency: there.account.currency,
    timezone: there.account.timezone,
    externalCampaignId: there.id,
    lastSyncedAt: null,
    keywordsSyncedAt: null,
    termsSyncedAt: null,
    outsideSyncedAt: null,
    syncError: null,
    createdOn: now,
    updatedOn: now,
    ...standing(there),
  })
  await flushOnce(
    txn,
    new DomainError(
      'CONFLICT',
      `“${there.name}” is imported already, or the campaign has one of ${platform}`,
    ),
  )
  requestSync(txn, mapping)
  return mapping
}

/** What a platform says of a campaign, as it is kept. */
export const standing = (there: PlatformCampaign) => ({
  externalName: there.name,
  externalStatus: there.status,
  dailyBudgetMicros: there.dailyBudgetMicros,
  budgetName: there.budgetName,
  budgetShared: there.budgetShared,
})

/** Has the figures of a mapping fetched; while that waits or runs, asking again changes nothing. */
export function requestSync(txn: Transaction, { id, tenantId }: { id: string; tenantId: string }): void {
  txn.enqueue(syncMetricsJob, {
    tenantId,
    payload: { mappingId: id },
    uniqueKey: `${syncMetricsJob.kind}:${id}`,
  })
}

/** The mapping of a job, locked; null when it is gone. */
export function lockMapping(txn: Transaction, id: string): Promise<MappingRow | null> {
  return txn.em.findOne(CampaignMapping, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
}
