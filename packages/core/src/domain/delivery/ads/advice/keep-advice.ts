import type { Transaction } from '../../../../kernel/context.ts'
import type { MappingRow } from '../entities.ts'
import { CampaignRecommendation, priorities } from './entities.ts'
import type { AdAdvice } from './policy.ts'
import { isAdvised } from './queries.ts'

/** What people have skipped or followed is not suggested again for so long, milliseconds. */
const quietMs = 14 * 86_400_000

/** Keeps what was found about a campaign, but for what waits for people already. The caller holds its lock. */
export async function keepAdvice(
  txn: Transaction,
  { campaignId, tenantId, platform }: MappingRow,
  found: readonly AdAdvice[],
): Promise<void> {
  const now = txn.clock.date()
  const since = new Date(now.getTime() - quietMs)
  for (const advice of found)
    if (!(await isAdvised(txn, { campaignId, kind: advice.kind, subject: advice.subject, since })))
      txn.em.create(CampaignRecommendation, {
        id: txn.newId(),
        tenantId,
        campaignId,
        platform,
        ...advice,
        rank: priorities.indexOf(advice.priority),
        status: 'pending',
        dmNote: null,
        clientNote: null,
        changeSetId: null,
        appliedAt: null,
        createdOn: now,
        updatedOn: now,
      })
}
