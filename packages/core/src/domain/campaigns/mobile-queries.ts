import type { Row } from '../../platform/database/database.ts'
import { asInstant, asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { toUsd } from '../money.ts'
import { readOffset, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import { countsOf, uncounted } from './count-queries.ts'
import type { CampaignStatus } from './entities.ts'
import type { MobileCampaign, MobileCampaignPage, MobileCampaignQuery } from './mobile-schemas.ts'
import { dashboardStatus } from './policy.ts'
import { getCampaign, shownAs } from './queries.ts'

/** A tenant's campaigns in few words, newest first. Serves `GET /mobile/v1/campaigns`. */
export async function listForApp(ctx: Ctx, query: MobileCampaignQuery): Promise<MobileCampaignPage> {
  const { data: heads, total } = await readOffset(
    ctx.sql,
    {
      select: 'select c.id, c.name, c.status, c.budget_cap_micros, c.updated_on from campaigns c',
      from: 'campaigns c',
      condition: where(within(ctx.scope, 'c.tenant_id'), shownAs(query['filter.status'])),
      orderBy: 'c.id desc',
      request: query,
    },
    (row: Row) => ({
      id: row.id as string,
      name: row.name as string,
      status: dashboardStatus(row.status as CampaignStatus),
      budgetCapUsd: row.budget_cap_micros === null ? null : toUsd(asNumber(row.budget_cap_micros)),
      updatedOn: asInstant(row.updated_on),
    }),
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
export async function getForApp(ctx: Ctx, id: string): Promise<MobileCampaign> {
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
