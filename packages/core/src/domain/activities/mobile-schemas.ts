import { z } from 'zod'
import { isoDate, offsetQuery, ulid } from '../../platform/wire.ts'
import { activityStatuses } from './entities.ts'
import { ActivityDetail, ActivitySummary } from './schemas.ts'

export const MobileActivityQuery = offsetQuery(20).extend({
  'filter.status': z.enum(activityStatuses).optional(),
  'filter.campaignId': ulid.optional(),
})
export type MobileActivityQuery = z.output<typeof MobileActivityQuery>

const { campaign, approval, outputPreview, outputRef } = ActivityDetail.shape

export const MobileActivityPage = z.object({
  data: z.array(
    ActivitySummary.pick({ id: true, title: true, status: true, agentRole: true, updatedOn: true }).extend({
      campaign,
    }),
  ),
  total: z.int(),
})
export type MobileActivityPage = z.output<typeof MobileActivityPage>

export const MobileActivity = ActivitySummary.pick({
  id: true,
  title: true,
  type: true,
  status: true,
  agentRole: true,
  costUsd: true,
  createdOn: true,
}).extend({ campaign, approval, outputPreview, outputRef, lastRunAt: isoDate.optional() })
export type MobileActivity = z.output<typeof MobileActivity>
