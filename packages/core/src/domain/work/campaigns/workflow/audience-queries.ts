import type { Ctx } from '../../../../kernel/context.ts'
import { within } from '../../../../kernel/scope.ts'
import { pick, select, table } from '../../../../platform/database/read.ts'
import type { AudienceSegment } from './audience-schemas.ts'
import { CampaignAudience } from './entities.ts'

const a = table(CampaignAudience, 'a')
const segment = select({
  ...pick(a, 'id', 'campaignId', 'name', 'segmentType', 'filters', 'estimatedSize', 'platformAudienceId'),
  ...pick(a, 'source', 'createdOn', 'updatedOn'),
})

/** The segments of a campaign, oldest first. There are few. */
export async function segmentsOf(ctx: Ctx, campaignId: string): Promise<AudienceSegment[]> {
  const scope = within(ctx.scope, 'a.tenant_id')
  return segment.all(ctx.sql, `from ${a} where a.campaign_id = ? and ${scope.sql} order by a.id`, [
    campaignId,
    ...scope.params,
  ])
}
