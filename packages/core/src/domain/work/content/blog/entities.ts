import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'

export const postStatuses = [
  'dm_review',
  'client_review',
  'client_approved',
  'rejected',
  'published',
] as const
export type PostStatus = (typeof postStatuses)[number]

/** A blog post on its way to its readers: the newest version of a piece that people were asked about. */
export const BlogPost = defineEntity({
  name: 'BlogPost',
  tableName: 'blog_posts',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    /** The final step of the piece. */
    activityId: refColumn(),
    title: p.string(),
    /** The title as it is searched: without accents, in lower case. */
    titleKey: p.string(),
    slug: p.string(),
    /** Follows from the approvals of this version, and is written with them. */
    status: p.string().$type<PostStatus>(),
    /** Of the text, from 1. */
    version: p.integer(),
    /** The text itself, and its SHA-256. */
    outputId: refColumn(),
    contentHash: p.string().length(64),
    /** The reviewers' approval of this version. */
    approvalId: refColumn(),
    wordCount: p.integer(),
    metaDescription: p.text().strictNullable(),
    dmApprovedBy: p.string().strictNullable(),
    dmApprovedAt: instantColumn().strictNullable(),
    clientApprovedBy: p.string().strictNullable(),
    clientApprovedAt: instantColumn().strictNullable(),
    /** Why the last version was sent back; stays until one is approved. */
    dmRejectionNote: p.text().strictNullable(),
    publishedAt: instantColumn().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [
    { name: 'blog_posts_activity', properties: ['activityId'] },
    { name: 'blog_posts_slug', properties: ['tenantId', 'slug'] },
  ],
  indexes: [
    { name: 'blog_posts_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'blog_posts_by_tenant_status', properties: ['tenantId', 'status', 'id'] },
    { name: 'blog_posts_by_status', properties: ['status', 'id'] },
  ],
  filters: ownedByTenant,
})

export type PostRow = InferEntity<typeof BlogPost>
