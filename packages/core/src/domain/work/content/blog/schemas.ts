import { z } from 'zod'
import { isoDate, page, pageQuery, queryInt, spanEnd, ulid } from '../../../../platform/wire.ts'
import { deliverableTypes } from '../../campaigns/entities.ts'
import { postStatuses } from './entities.ts'

export const BlogPostItem = z.object({
  id: ulid,
  title: z.string(),
  slug: z.string(),
  status: z.enum(postStatuses),
  version: z.int(),
  wordCount: z.int(),
  metaDescription: z.string().nullable(),
  dmApprovedBy: z.string().nullable(),
  dmApprovedAt: isoDate.nullable(),
  clientApprovedBy: z.string().nullable(),
  clientApprovedAt: isoDate.nullable(),
  dmRejectionNote: z.string().nullable(),
  createdAt: isoDate,
  updatedAt: isoDate,
  activity: z
    .object({ id: ulid, label: z.string(), deliverableType: z.enum(deliverableTypes).nullable() })
    .nullable(),
})
export type BlogPostItem = z.output<typeof BlogPostItem>

export const BlogPostDetail = BlogPostItem.extend({
  /** Markdown. */
  content: z.string(),
  /** SHA-256 of the content: who approves may name what was seen. */
  contentHash: z.string(),
})
export type BlogPostDetail = z.output<typeof BlogPostDetail>

export const BlogPostList = z.object({
  data: z.array(BlogPostItem),
  total: z.int(),
  page: z.int(),
  limit: z.int(),
  pages: z.int(),
})
export type BlogPostList = z.output<typeof BlogPostList>

export const BlogPostQuery = z.object({
  tenantId: ulid,
  status: z.enum(postStatuses).optional(),
  page: queryInt(1, 1_000_000).default(1),
  limit: queryInt(1, 100).default(20),
  /** Part of the title, in any case and with or without accents. */
  q: z.string().max(200).optional(),
})
export type BlogPostQuery = z.output<typeof BlogPostQuery>

export const PostApproval = z.object({
  /** SHA-256 of the content that the reviewer saw. */
  contentHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256 in lower-case hex')
    .optional(),
})
export type PostApproval = z.output<typeof PostApproval>
export const PostApproved = z.object({ ok: z.literal(true), status: z.literal('client_review') })

export const PostRejection = z.object({ feedback: z.string().trim().min(1).max(10_000) })
export type PostRejection = z.output<typeof PostRejection>
export const PostRejected = z.object({
  ok: z.literal(true),
  status: z.literal('rejected'),
  /** The run that writes the next version; null when no one can be woken, which people are told of. */
  jobId: ulid.nullable(),
})

export const operatorPostStatuses = ['draft', 'approved', 'published', 'archived'] as const

export const BlogRow = z.object({
  id: ulid,
  tenantId: ulid,
  tenantName: z.string(),
  title: z.string(),
  status: z.enum(operatorPostStatuses),
  wordCount: z.int(),
  publishedAt: isoDate.nullable(),
  createdOn: isoDate,
})
export type BlogRow = z.output<typeof BlogRow>
export const BlogRowPage = page(BlogRow)

export const BlogRowQuery = pageQuery.omit({ order: true }).extend({
  limit: queryInt(1, 100).default(50),
  'filter.tenantId': ulid.optional(),
  'filter.status': z.enum(operatorPostStatuses).optional(),
  /** Days in UTC, or instants, of their first version. */
  'filter.startDate': spanEnd.optional(),
  'filter.endDate': spanEnd.optional(),
})
export type BlogRowQuery = z.output<typeof BlogRowQuery>
