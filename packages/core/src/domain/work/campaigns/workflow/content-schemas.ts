import { z } from 'zod'
import { isoDate, page, pageQuery, ulid } from '../../../../platform/wire.ts'
import { activityStatuses } from '../../activities/entities.ts'
import { postStatuses } from '../../content/blog/entities.ts'
import { deliverableTypes } from '../entities.ts'
import { freeObject } from './audience-schemas.ts'

export const BriefOrder = z.object({ targetAudienceDescription: z.string().trim().min(1).max(10_000) })

/** What was asked of an agent. */
export const OrderStarted = z.object({ activityId: ulid, runId: ulid, status: z.literal('queued') })
export type OrderStarted = z.output<typeof OrderStarted>

export const reviewTones = ['friendly', 'professional', 'casual'] as const

export const ReviewOrder = z.object({
  /** Where people write about the tenant, as they call it. */
  reviewPlatform: z.string().trim().min(1).max(100),
  reviewUrl: z.url({ protocol: /^https?$/ }).max(1_000),
  tone: z.enum(reviewTones),
  /** How many mails there are. */
  stepCount: z.int().min(1).max(5).default(3),
  channel: z.enum(['email', 'sms']),
})
export type ReviewOrder = z.output<typeof ReviewOrder>

export const ContentOrder = z.object({ deliverableType: z.enum(deliverableTypes), inputPayload: freeObject })
export type ContentOrder = z.output<typeof ContentOrder>

export const CampaignContentQuery = pageQuery.extend({ tenantId: ulid.optional() })
export type CampaignContentQuery = z.output<typeof CampaignContentQuery>

export const ContentItem = z.object({
  /** Of the activity. */
  id: ulid,
  title: z.string(),
  type: z.string(),
  deliverableType: z.enum(deliverableTypes).nullable(),
  status: z.enum(activityStatuses),
  agentRole: z.string().nullable(),
  /** The newest version of its text. */
  outputSummary: z
    .object({ version: z.int(), format: z.string(), preview: z.string(), createdOn: isoDate })
    .nullable(),
  /** What has become of the text; null where the text itself is all there is. */
  content: z
    .object({ kind: z.literal('blog_post'), id: ulid, title: z.string(), status: z.enum(postStatuses) })
    .nullable(),
  createdOn: isoDate,
  completedAt: isoDate.nullable(),
})
export type ContentItem = z.output<typeof ContentItem>
export const ContentPage = page(ContentItem)

export const ContentStarted = ContentItem.extend({ runId: ulid })
export type ContentStarted = z.output<typeof ContentStarted>
