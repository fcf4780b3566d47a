import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { dateColumn, idColumn, instantColumn, refColumn } from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'

export const requestStatuses = ['draft', 'approved', 'in_production', 'completed', 'rejected'] as const
export type RequestStatus = (typeof requestStatuses)[number]

export const assignees = ['ai', 'human', 'unassigned'] as const
export type RequestAssignee = (typeof assignees)[number]

export const socialPlatforms = [
  'professional_network',
  'social_network_a',
  'photo_network',
  'short_video_network',
] as const
export type SocialPlatform = (typeof socialPlatforms)[number]

export const operatorStatuses = ['pending', 'approved', 'in_progress', 'published', 'rejected'] as const
export type OperatorStatus = (typeof operatorStatuses)[number]

/** One status, as operators call it and as it is stored and shown to tenants. */
const stored: Record<OperatorStatus, RequestStatus> = {
  pending: 'draft',
  approved: 'approved',
  in_progress: 'in_production',
  published: 'completed',
  rejected: 'rejected',
}

export function fromOperator(status: OperatorStatus): RequestStatus {
  return stored[status]
}

export function toOperator(status: RequestStatus): OperatorStatus {
  return operatorStatuses.find((word) => stored[word] === status) as OperatorStatus
}

/** A piece that a tenant's people have asked for, beside what their campaigns promise. */
export const ContentRequest = defineEntity({
  name: 'ContentRequest',
  tableName: 'content_requests',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    kind: p.string().$type<'blog' | 'social'>(),
    topic: p.string(),
    targetKeyword: p.string().strictNullable(),
    brief: p.text().strictNullable(),
    /** The website that a blog post is for. */
    channelId: refColumn().strictNullable(),
    /** Where a social post goes; empty for a blog post. */
    platforms: p.json().$type<SocialPlatform[]>(),
    priority: p.string().$type<'normal' | 'high'>(),
    /** When it is to go out; null is as soon as it is approved. */
    scheduleFor: instantColumn().strictNullable(),
    status: p.string().$type<RequestStatus>(),
    assignee: p.string().$type<RequestAssignee>(),
    notes: p.text().strictNullable(),
    /** Last day of the period that it is made in; null until then. */
    dueDate: dateColumn().strictNullable(),
    /** The question to the tenant's admins whether it shall be made; null when no one had to be asked. */
    approvalId: refColumn().strictNullable(),
    /** Id of the blog post, from the start of production on; the post itself is there with its first version. */
    blogPostId: refColumn().strictNullable(),
    createdById: refColumn(),
    createdByName: p.string(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  indexes: [
    { name: 'content_requests_by_tenant', properties: ['tenantId', 'kind', 'id'] },
    { name: 'content_requests_by_tenant_status', properties: ['tenantId', 'kind', 'status', 'id'] },
    { name: 'content_requests_by_kind', properties: ['kind', 'id'] },
    { name: 'content_requests_by_status', properties: ['kind', 'status', 'id'] },
    { name: 'content_requests_by_assignee', properties: ['kind', 'assignee', 'id'] },
    { name: 'content_requests_by_approval', properties: ['approvalId'] },
    {
      name: 'content_requests_by_time',
      properties: ['tenantId', 'scheduleFor', 'id'],
      where: 'schedule_for is not null',
    },
  ],
  filters: ownedByTenant,
})

/** One piece that is made for a request: an extra one of a campaign's period. */
export const RequestPiece = defineEntity({
  name: 'RequestPiece',
  tableName: 'request_pieces',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    requestId: refColumn(),
    periodId: refColumn(),
    /** Its number in the period, which its activities carry. */
    piece: p.integer(),
    /** Where a social post goes; null for a blog post. */
    platform: p.string().$type<SocialPlatform>().strictNullable(),
    /** Its final step. */
    activityId: refColumn(),
    done: p.boolean(),
    createdOn: instantColumn(),
  },
  uniques: [{ name: 'request_pieces_once', properties: ['periodId', 'piece'] }],
  indexes: [{ name: 'request_pieces_by_request', properties: ['requestId'] }],
  filters: ownedByTenant,
})

/** Who was to make what was asked for, and since when. */
export const RequestAssignment = defineEntity({
  name: 'RequestAssignment',
  tableName: 'request_assignments',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    requestId: refColumn(),
    assignee: p.string().$type<RequestAssignee>(),
    byId: p.string(),
    byName: p.string(),
    at: instantColumn(),
  },
  indexes: [{ name: 'request_assignments_by_request', properties: ['requestId', 'id'] }],
  filters: ownedByTenant,
})

export type RequestRow = InferEntity<typeof ContentRequest>

export const requestEntities = [ContentRequest, RequestPiece, RequestAssignment]
