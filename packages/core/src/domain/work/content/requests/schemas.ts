import { z } from 'zod'
import { isoDate, page, pageQuery, queryInt, ulid } from '../../../../platform/wire.ts'
import { activityStatuses } from '../../activities/entities.ts'
import { assignees, operatorStatuses, requestStatuses, socialPlatforms } from './entities.ts'

const topic = z.string().trim().min(1).max(200)
const brief = z.string().trim().min(1).max(20_000)
const priority = z.enum(['normal', 'high'])

export const NewBlogRequest = z.object({
  topic,
  targetKeyword: z.string().trim().min(1).max(200).optional(),
  brief: brief.optional(),
  /** A website that the tenant has connected. */
  channelId: ulid.optional(),
  priority: priority.default('normal'),
})
export type NewBlogRequest = z.output<typeof NewBlogRequest>

export const NewSocialRequest = z.object({
  topic,
  platforms: z.array(z.enum(socialPlatforms)).min(1).max(socialPlatforms.length),
  brief: brief.optional(),
  /** When it is to go out; what is approved later goes out at once. It is made in the week before. */
  scheduleFor: isoDate.optional(),
  priority: priority.default('normal'),
})
export type NewSocialRequest = z.output<typeof NewSocialRequest>

const status = z.enum(requestStatuses)

export const BlogRequest = z.object({
  id: ulid,
  topic: z.string(),
  targetKeyword: z.string().optional(),
  channelId: ulid.optional(),
  channelName: z.string().optional(),
  status,
  blogPostId: ulid.optional(),
  createdBy: z.string(),
  createdOn: isoDate,
})
export type BlogRequest = z.output<typeof BlogRequest>
export const BlogRequestPage = page(BlogRequest)

export const SocialRequest = z.object({
  id: ulid,
  topic: z.string(),
  platforms: z.array(z.enum(socialPlatforms)),
  brief: z.string().optional(),
  scheduleFor: isoDate.optional(),
  priority,
  status,
  createdBy: z.string(),
  createdOn: isoDate,
})
export type SocialRequest = z.output<typeof SocialRequest>
export const SocialRequestPage = page(SocialRequest)

export const BlogRequestQuery = pageQuery.extend({ 'filter.status': status.optional() })
export type BlogRequestQuery = z.output<typeof BlogRequestQuery>
export const SocialRequestQuery = BlogRequestQuery.extend({
  'filter.platform': z.enum(socialPlatforms).optional(),
})
export type SocialRequestQuery = z.output<typeof SocialRequestQuery>

const operatorStatus = z.enum(operatorStatuses)

export const BlogRequestRow = z.object({
  id: ulid,
  tenantId: ulid,
  tenantName: z.string(),
  title: z.string(),
  status: operatorStatus,
  requestedBy: z.string(),
  assignee: z.enum(assignees),
  createdOn: isoDate,
  dueDate: z.string().nullable(),
})
export type BlogRequestRow = z.output<typeof BlogRequestRow>
export const BlogRequestRowPage = page(BlogRequestRow)

export const BlogRequestDetail = BlogRequestRow.extend({
  targetKeyword: z.string().nullable(),
  brief: z.string().nullable(),
  channelId: z.string().nullable(),
  priority,
  notes: z.string().nullable(),
  blogPostId: z.string().nullable(),
  /** Oldest first. */
  assignments: z.array(z.object({ assignee: z.enum(assignees), by: z.string(), at: isoDate })),
  /** The final step of the piece that is made for it. */
  activity: z.object({ id: ulid, title: z.string(), status: z.enum(activityStatuses) }).nullable(),
})
export type BlogRequestDetail = z.output<typeof BlogRequestDetail>

export const BlogRequestRowQuery = pageQuery.omit({ order: true }).extend({
  limit: queryInt(1, 100).default(50),
  'filter.tenantId': ulid.optional(),
  'filter.status': operatorStatus.optional(),
  'filter.assignee': z.enum(assignees).optional(),
})
export type BlogRequestRowQuery = z.output<typeof BlogRequestRowQuery>

export const BlogRequestChange = z.object({
  status: operatorStatus.optional(),
  assignee: z.enum(['ai', 'human']).optional(),
  notes: z.string().max(10_000).optional(),
})
export type BlogRequestChange = z.output<typeof BlogRequestChange>
