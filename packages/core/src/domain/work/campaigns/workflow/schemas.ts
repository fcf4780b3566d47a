import { z } from 'zod'
import { usdAmount } from '../../../../kernel/money.ts'
import { isoDate, isoDay, numberedPage, numberedQuery, shownDay, ulid } from '../../../../platform/wire.ts'
import { ActivitySummary } from '../../activities/schemas.ts'
import { campaignSources, campaignStatuses, campaignTypes } from '../entities.ts'
import { AdFigures } from '../metrics/schemas.ts'
import { campaignBrief, campaignName } from '../schemas.ts'
import { AudienceSegment } from './audience-schemas.ts'
import { primaryMetrics } from './policy.ts'

const goal = z.string().trim().min(1).max(100)
/** A place where it runs: a channel type such as `search_ads`, or `email`, `sms`. */
const channel = z.string().regex(/^[a-z][a-z0-9_]{0,49}$/, 'Must be a word such as search_ads or email')
const currency = z.string().regex(/^[A-Z]{3}$/, 'Must be a currency such as USD')
/** An amount of the budget's currency. */
const budget = usdAmount

export const NewWorkflowCampaign = z
  .object({
    name: campaignName,
    type: z.enum(campaignTypes),
    channel: z.array(channel).max(20),
    goal,
    budget: budget.optional(),
    budgetCurrency: currency.optional(),
    startDate: isoDay.optional(),
    endDate: isoDay.optional(),
    deliverablePeriodId: ulid.optional(),
  })
  .refine(({ startDate, endDate }) => !startDate || !endDate || startDate <= endDate, {
    path: ['endDate'],
    message: 'endDate must not be before startDate',
  })
export type NewWorkflowCampaign = z.output<typeof NewWorkflowCampaign>

export const WorkflowChange = z.object({
  name: campaignName.optional(),
  budget: budget.nullable().optional(),
  budgetCurrency: currency.optional(),
  startDate: isoDay.nullable().optional(),
  endDate: isoDay.nullable().optional(),
  brief: campaignBrief.optional(),
  autoPilotEnabled: z.boolean().optional(),
  deliverablePeriodId: ulid.nullable().optional(),
})
export type WorkflowChange = z.output<typeof WorkflowChange>

const note = z.string().trim().max(10_000)

export const StatusChange = z.object({ status: z.enum(campaignStatuses), note: note.optional() })
export type StatusChange = z.output<typeof StatusChange>

export const ClientVerdict = z.object({ approved: z.boolean(), note: note.optional() })
export type ClientVerdict = z.output<typeof ClientVerdict>

export const WorkflowQuery = numberedQuery.extend({
  tenantId: ulid.optional(),
  type: z.enum(campaignTypes).optional(),
  channel: channel.optional(),
  status: z.enum(campaignStatuses).optional(),
  goal: goal.optional(),
  deliverablePeriodId: ulid.optional(),
})
export type WorkflowQuery = z.output<typeof WorkflowQuery>

export const WorkflowItem = z.object({
  id: ulid,
  name: z.string(),
  type: z.enum(campaignTypes),
  source: z.enum(campaignSources),
  channel: z.array(z.string()),
  status: z.enum(campaignStatuses),
  /** Null for a campaign of the dashboard. */
  goal: z.string().nullable(),
  budget: z.number().nullable(),
  budgetCurrency: z.string().nullable(),
  startDate: shownDay.nullable(),
  endDate: shownDay.nullable(),
  /** What campaigns of its type are measured by; the value is null as long as nothing is measured. */
  primaryMetric: z.object({ name: z.enum(primaryMetrics), value: z.number().nullable() }),
  autoPilotEnabled: z.boolean(),
  deliverablePeriodId: ulid.nullable(),
  createdBy: z.object({ id: z.string(), name: z.string() }),
  createdOn: isoDate,
  updatedOn: isoDate,
})
export type WorkflowItem = z.output<typeof WorkflowItem>
export const WorkflowPage = numberedPage(WorkflowItem)
export type WorkflowPage = z.output<typeof WorkflowPage>

export const WorkflowCampaign = WorkflowItem.extend({
  /** Null until it is written. */
  brief: z.string().nullable(),
  /** What was said when the status was last set by a person. */
  statusNote: z.string().nullable(),
  audience: z.array(AudienceSegment),
  /** The latest day of each channel. */
  metrics: z.array(AdFigures.extend({ channel: z.string(), date: shownDay })),
  /** The newest fifty. */
  activities: z.array(ActivitySummary),
  sequences: z.array(z.object({ id: ulid, name: z.string() })),
})
export type WorkflowCampaign = z.output<typeof WorkflowCampaign>

/** As reviewers of several tenants see it. */
const ofTenant = { tenantId: ulid, tenantName: z.string() }
export const ReviewerWorkflowPage = numberedPage(WorkflowItem.extend(ofTenant))
export type ReviewerWorkflowPage = z.output<typeof ReviewerWorkflowPage>
export const ReviewerWorkflowCampaign = WorkflowCampaign.extend(ofTenant)
export type ReviewerWorkflowCampaign = z.output<typeof ReviewerWorkflowCampaign>
