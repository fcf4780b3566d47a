import { z } from 'zod'
import { isoDate, offsetQuery, ulid } from '../../../platform/wire.ts'
import { ActivitySummary } from '../activities/schemas.ts'
import { deliverableTypes } from './entities.ts'
import { progresses } from './policy.ts'
import { shownStatus } from './schemas.ts'

export const MobileCampaignQuery = offsetQuery(20).extend({ 'filter.status': shownStatus.optional() })
export type MobileCampaignQuery = z.output<typeof MobileCampaignQuery>

export const MobileCampaignPage = z.object({
  data: z.array(
    z.object({
      id: ulid,
      name: z.string(),
      status: shownStatus,
      pendingApprovals: z.int(),
      activitiesInProgress: z.int(),
      spentUsd: z.number(),
      budgetCapUsd: z.number().nullable(),
      updatedOn: isoDate,
    }),
  ),
  total: z.int(),
})
export type MobileCampaignPage = z.output<typeof MobileCampaignPage>

export const MobileCampaign = z.object({
  id: ulid,
  name: z.string(),
  status: shownStatus,
  brief: z.string(),
  spentUsd: z.number(),
  budgetCapUsd: z.number().nullable(),
  pendingApprovals: z.int(),
  deliverables: z.array(
    z.object({
      id: ulid,
      type: z.enum(deliverableTypes),
      quantity: z.int(),
      /** Of the present period. */
      completed: z.int(),
      inProgress: z.int(),
      status: z.enum(progresses),
    }),
  ),
  recentActivities: z.array(
    ActivitySummary.pick({ id: true, title: true, status: true, agentRole: true, updatedOn: true }),
  ),
})
export type MobileCampaign = z.output<typeof MobileCampaign>
