import type { Ctx } from '../../../kernel/context.ts'
import { readOffset, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { pick, select, table } from '../../../platform/database/read.ts'
import { countsOf, uncounted } from './count-queries.ts'
import { Campaign } from './entities.ts'
import type { MobileCampaign, MobileCampaignPage, MobileCampaignQuery } from './mobile-schemas.ts'
import { getCampaign, shown, shownAs } from './queries.ts'

const c = table(Campaign, 'c')
const head = select(pick(c, 'id', 'name', 'status', 'budgetCapMicros', 'updatedOn'))

/** A tenant's campaigns in few words, newest first. Serves `GET /mobile/v1/campaigns`. */
export async function listCampaignsForApp(ctx: Ctx, query: MobileCampaignQuery): Promise<MobileCampaignPage> {
  const { data: heads, total } = await readOffset(
    ctx.sql,
    {
      select: head,
      from: 'campaigns c',
      condition: where(within(ctx.scope, 'c.tenant_id'), shownAs(query['filter.status'])),
      orderBy: 'c.id desc',
      request: query,
    },
    shown,
  )
  const counts = await countsOf(
    ctx.sql,
    ctx.scope,
    heads.map(({ id }) => id),
  )
  const data = heads.map((head) => {
    const { pendingApprovals, activityCount, spentUsd } = counts.get(head.id) ?? uncounted
    return { ...head, pendingApprovals, activitiesInProgress: activityCount.inProgress, spentUsd }
  })
  return { data, total }
}

/**
 * A campaign with how its promises stand today; one whose promise has no period today has nothing done and is on track.
 * Serves `GET /mobile/v1/campaigns/:campaignId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getCampaignForApp(ctx: Ctx, id: string): Promise<MobileCampaign> {
  const { deliverables, recentActivities, ...campaign } = await getCampaign(ctx, id)
  return {
    ...campaign,
    deliverables: deliverables.map(({ id, type, quantity, currentPeriod }) => {
      const { completed, inProgress, status } = currentPeriod ?? {
        completed: 0,
        inProgress: 0,
        status: 'on_track' as const,
      }
      return { id, type, quantity, completed, inProgress, status }
    }),
    recentActivities,
  }
}
