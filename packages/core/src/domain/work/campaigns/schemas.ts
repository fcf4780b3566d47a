import { z } from 'zod'
import { usdAmount } from '../../../kernel/money.ts'
import { isoDate, isoDay, page, pageQuery, ulid } from '../../../platform/wire.ts'
import { ActivitySummary } from '../activities/schemas.ts'
import { deliverableTypes } from './entities.ts'
import { progresses } from './policy.ts'

const dashboardStatuses = ['draft', 'active', 'paused', 'completed', 'archived'] as const
export const shownStatus = z.enum(dashboardStatuses)
export const campaignName = z.string().trim().min(1).max(200)
export const campaignBrief = z.string().trim().min(1).max(100_000)

export const NewCampaign = z
  .object({
    name: campaignName,
    brief: campaignBrief,
    deliverables: z
      .array(
        z.object({
          type: z.enum(deliverableTypes),
          /** Pieces per period. */
          quantity: z.int().min(1).max(200),
          platformIds: z.array(z.string().min(1).max(100)).max(20).optional(),
          templateId: ulid.optional(),
        }),
      )
      .min(1)
      .max(50),
    budgetCapUsd: usdAmount.optional(),
    startDate: isoDay.optional(),
    endDate: isoDay.optional(),
    attachments: z.array(z.string().min(1).max(2_000)).max(50).optional(),
  })
  .refine(({ startDate, endDate }) => !startDate || !endDate || startDate <= endDate, {
    path: ['endDate'],
    message: 'endDate must not be before startDate',
  })
export type NewCampaign = z.output<typeof NewCampaign>

export const CampaignReceipt = z.object({ id: ulid, name: z.string(), status: z.literal('draft') })

export const CampaignChange = z.object({
  name: campaignName.optional(),
  brief: campaignBrief.optional(),
  budgetCapUsd: usdAmount.nullable().optional(),
  status: z.enum(['paused', 'active']).optional(),
})
export type CampaignChange = z.output<typeof CampaignChange>

export const CampaignItem = z.object({
  id: ulid,
  name: z.string(),
  status: shownStatus,
  budgetCapUsd: z.number().nullable(),
  spentUsd: z.number(),
  deliverableCount: z.int(),
  activityCount: z.object({ total: z.int(), inProgress: z.int(), pending: z.int(), done: z.int() }),
  pendingApprovals: z.int(),
  createdBy: z.string(),
  createdOn: isoDate,
  startDate: z.string().nullable(),
  endDate: z.string().nullable(),
})
export type CampaignItem = z.output<typeof CampaignItem>
export const CampaignPage = page(CampaignItem)

export const CampaignQuery = pageQuery.extend({ 'filter.status': shownStatus.optional() })
export type CampaignQuery = z.output<typeof CampaignQuery>

const progress = z.object({
  periodStart: z.string(),
  periodEnd: z.string(),
  target: z.int(),
  completed: z.int(),
  inProgress: z.int(),
  status: z.enum(progresses),
})

export const CampaignDetail = z.object({
  id: ulid,
  name: z.string(),
  status: shownStatus,
  brief: z.string(),
  budgetCapUsd: z.number().nullable(),
  spentUsd: z.number(),
  startDate: z.string().nullable(),
  endDate: z.string().nullable(),
  createdBy: z.object({ id: z.string(), name: z.string() }),
  createdOn: isoDate,
  deliverables: z.array(
    z.object({
      id: ulid,
      type: z.enum(deliverableTypes),
      quantity: z.int(),
      platforms: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() })),
      currentPeriod: progress.optional(),
    }),
  ),
  recentActivities: z.array(ActivitySummary),
  pendingApprovals: z.int(),
  costByAgent: z.array(z.object({ agentRole: z.string(), costUsd: z.number() })),
})
export type CampaignDetail = z.output<typeof CampaignDetail>

export const DeliverableList = z.object({
  data: z.array(
    z.object({
      id: ulid,
      type: z.enum(deliverableTypes),
      quantity: z.int(),
      periods: z.array(progress.extend({ id: ulid })),
    }),
  ),
})
export type DeliverableList = z.output<typeof DeliverableList>
