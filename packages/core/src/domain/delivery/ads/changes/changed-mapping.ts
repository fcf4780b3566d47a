import type { Transaction } from '../../../../kernel/context.ts'
import { DomainError, invalid } from '../../../../kernel/errors.ts'
import { platformOf } from '../ask.ts'
import type { AdPlatformName, MappingRow } from '../entities.ts'
import { requireSearchMapping } from '../keywords/sync.ts'
import { requireMappings } from '../sync.ts'
import type { PlannedChange } from './schemas.ts'

const isOfCampaign = ({ kind }: PlannedChange): boolean =>
  kind === 'daily_budget' || kind === 'campaign_status'

/**
 * Where changes are made: at the platform that is named, at the one that has keywords where they are about these or about ads, and else at
 * the only one that the campaign runs at.
 * @throws DomainError `NOT_FOUND`; `BAD_REQUEST` when it runs at no such platform; `VALIDATION_ERROR` on `platform` where it has to be
 *   named, or has no keywords
 */
export async function changedMapping(
  txn: Transaction,
  campaignId: string,
  { platform: name, changes }: { platform?: AdPlatformName | undefined; changes: readonly PlannedChange[] },
): Promise<MappingRow> {
  const aboutKeywords = !changes.every(isOfCampaign)
  if (name === undefined && aboutKeywords) return requireSearchMapping(txn, campaignId)
  const mappings = await requireMappings(txn, campaignId)
  const [found, other] = mappings.filter(({ platform }) => name === undefined || platform === name)
  if (!found) throw new DomainError('BAD_REQUEST', `The campaign does not run at ${name}`)
  if (other) {
    const names = mappings.map(({ platform }) => platform).join(' and ')
    throw invalid('platform', `The campaign runs at ${names}: name one of them`)
  }
  if (aboutKeywords && !platformOf(txn, found.platform).search)
    throw invalid('platform', `${found.platform} has no keywords, and no ads are made there`)
  return found
}
