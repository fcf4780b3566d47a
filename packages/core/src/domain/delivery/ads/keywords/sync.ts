import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { addDays, dayIn } from '../../../../kernel/periods.ts'
import { transact } from '../../../../kernel/transact.ts'
import { platformOf } from '../ask.ts'
import type { MappingRow } from '../entities.ts'
import { syncKeywordsJob } from '../jobs.ts'
import { lockMapping } from '../mapping.ts'
import type { SyncStarted } from '../schemas.ts'
import { requireMappings, withMapping } from '../sync.ts'
import { recordGroups, recordKeywords, recordNegatives } from './write-queries.ts'

/** What keywords are shown with, days. */
const figureDays = 30

/**
 * The mapping of a campaign whose platform has keywords.
 * @throws DomainError `NOT_FOUND`; `BAD_REQUEST` when it runs at no such platform
 */
export async function requireSearchMapping(txn: Transaction, campaignId: string): Promise<MappingRow> {
  const mappings = await requireMappings(txn, campaignId)
  const found = mappings.find(({ platform }) => platformOf(txn, platform).search !== undefined)
  if (!found) throw new DomainError('BAD_REQUEST', 'The campaign runs at no platform that has keywords')
  return found
}

/**
 * Has ad groups, keywords and negative keywords fetched. Serves `POST /tenant/v1/campaigns/:campaignId/keywords/sync`.
 * @throws DomainError as `requireSearchMapping`
 */
export function startKeywordSync(ctx: Ctx, campaignId: string): Promise<SyncStarted> {
  return transact(ctx, async (txn) => {
    const mapping = await requireSearchMapping(txn, campaignId)
    requestKeywordSync(txn, mapping)
    return { queued: 1 }
  })
}

export function requestKeywordSync(
  txn: Transaction,
  { id, tenantId }: Pick<MappingRow, 'id' | 'tenantId'>,
): void {
  txn.enqueue(syncKeywordsJob, {
    tenantId,
    payload: { mappingId: id },
    uniqueKey: `${syncKeywordsJob.kind}:${id}`,
  })
}

/** The job `ads.keywords`. @throws PlatformError `transient` when another try may do */
export async function syncKeywords(
  ctx: Ctx,
  { mappingId }: { mappingId: string },
  signal: AbortSignal,
): Promise<void> {
  await withMapping(ctx, mappingId, syncKeywordsJob, signal, async (platform, call, mapping, address) => {
    if (!platform.search) return
    const to = dayIn(ctx.clock.date(), mapping.timezone)
    const found = await platform.search.keywords(call, address, { from: addDays(to, 1 - figureDays), to })
    await transact(ctx, async (txn) => {
      const row = await lockMapping(txn, mappingId)
      if (!row) return
      const groups = await recordGroups(txn, row, found.groups)
      await recordKeywords(txn, row, groups, found.keywords)
      await recordNegatives(txn, row, groups, found.negatives)
      const now = txn.clock.date()
      Object.assign(row, { keywordsSyncedAt: now, lastSyncedAt: now, syncError: null, updatedOn: now })
    })
  })
}
