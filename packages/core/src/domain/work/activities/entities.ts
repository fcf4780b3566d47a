import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, microsColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import type { ApprovalType } from '../approvals/entities.ts'
import type { DeliverableType, StepType } from '../campaigns/entities.ts'
import type { WakeReason } from '../runs/entities.ts'

export const activityStatuses = [
  'created',
  'assigned',
  'in_progress',
  'awaiting_approval',
  'awaiting_subtask',
  'awaiting_review',
  'blocked',
  'done',
  'reassigned',
  'failed',
] as const
export type ActivityStatus = (typeof activityStatuses)[number]

/** Nothing moves an activity on from these, except a retry from `failed`. */
export const closedStatuses = ['done', 'reassigned', 'failed'] as const satisfies readonly ActivityStatus[]

export const blockerTypes = [
  'channel_auth_expired',
  'missing_integration',
  'insufficient_data',
  'api_unavailable',
  'needs_human_input',
] as const
export type BlockerType = (typeof blockerTypes)[number]

/** Raised by Copydesk itself. */
export type OwnBlockerType =
  | 'budget'
  | 'approval_expired'
  | 'no_progress'
  | 'nothing_moves'
  | 'mailbox_unproved'
  | 'payment_overdue'

export interface Blocker {
  type: BlockerType | OwnBlockerType
  description: string
  channelId?: string
  resolution?: string
}

/** One step of work on one piece, done by an agent or a person. */
export const Activity = defineEntity({
  name: 'Activity',
  tableName: 'activities',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn().strictNullable(),
    deliverableId: refColumn().strictNullable(),
    deliverableType: p.string().$type<DeliverableType>().strictNullable(),
    periodId: refColumn().strictNullable(),
    /** Number of the piece in its period, from 1. */
    piece: p.integer().strictNullable(),
    stepNumber: p.integer().strictNullable(),
    /** The last step of its piece: when it is done, the piece is. */
    isFinalStep: p.boolean(),
    title: p.string(),
    type: p.string().$type<StepType>(),
    status: p.string().$type<ActivityStatus>(),
    /** When the status was reached. */
    statusSince: instantColumn(),
    agentRole: p.string().strictNullable(),
    assigneeUserId: refColumn().strictNullable(),
    parentActivityId: refColumn().strictNullable(),
    /** Asked for by a person: it may run before its campaign is active. */
    beforeStart: p.boolean().default(false),
    /** False for a subtask that its parent does not wait for. */
    blocksParent: p.boolean(),
    /** 0, or 1 for a subtask. */
    depth: p.integer(),
    /** Activities that must be done before this one starts. */
    dependsOn: p.json().$type<string[]>(),
    priority: p.integer(),
    inputPrompt: p.text(),
    approvalRequired: p.boolean(),
    approvalType: p.string().$type<ApprovalType>().strictNullable(),
    wakeReason: p.string().$type<WakeReason>().strictNullable(),
    /** `pausing` while the current turn ends, then `paused`. */
    hold: p.string().$type<'pausing' | 'paused'>().strictNullable(),
    blocker: p.json().$type<Blocker>().strictNullable(),
    failureReason: p.text().strictNullable(),
    /** Failed runs in a row since the last success or verdict. */
    failures: p.integer(),
    /** Runs in a row that have brought nothing new. */
    idleRuns: p.integer().default(0),
    costMicros: microsColumn(),
    startedAt: instantColumn().strictNullable(),
    completedAt: instantColumn().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [
    {
      name: 'activities_planned_once',
      properties: ['periodId', 'piece', 'stepNumber'],
      where: { parentActivityId: null },
    },
  ],
  indexes: [
    { name: 'activities_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'activities_by_status', properties: ['tenantId', 'status', 'id'] },
    { name: 'activities_finished', properties: ['tenantId', 'completedAt'], where: { isFinalStep: true } },
    { name: 'activities_by_type', properties: ['tenantId', 'type', 'id'] },
    { name: 'activities_by_role', properties: ['tenantId', 'agentRole', 'id'] },
    { name: 'activities_by_wake_reason', properties: ['tenantId', 'wakeReason', 'id'] },
    { name: 'activities_by_assignee', properties: ['assigneeUserId', 'status'] },
    { name: 'activities_by_campaign', properties: ['campaignId', 'id'] },
    { name: 'activities_by_deliverable', properties: ['deliverableId', 'id'] },
    { name: 'activities_by_period', properties: ['periodId'] },
    { name: 'activities_by_parent', properties: ['parentActivityId'] },
    {
      name: 'activities_blocked',
      properties: ['tenantId', 'statusSince', 'id'],
      where: "status = 'blocked'",
    },
    {
      name: 'activities_at_work',
      properties: ['tenantId', 'statusSince', 'id'],
      where: "status = 'in_progress'",
    },
    { name: 'activities_failed', properties: ['tenantId', 'statusSince', 'id'], where: "status = 'failed'" },
  ],
  filters: ownedByTenant,
})

export interface Mention {
  type: 'agent' | 'human'
  id: string
  name: string
}

export const ActivityComment = defineEntity({
  name: 'ActivityComment',
  tableName: 'activity_comments',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    activityId: refColumn(),
    text: p.text(),
    type: p.string().$type<'comment' | 'intervention_note'>(),
    authorId: p.string(),
    authorName: p.string(),
    authorType: p.string().$type<'human' | 'agent'>(),
    mentions: p.json().$type<Mention[]>(),
    createdOn: instantColumn(),
  },
  indexes: [{ name: 'activity_comments_by_activity', properties: ['activityId', 'id'] }],
  filters: ownedByTenant,
})

/** A person whom a comment names. */
export const ActivityMention = defineEntity({
  name: 'ActivityMention',
  tableName: 'activity_mentions',
  properties: {
    commentId: refColumn().primary(),
    userId: refColumn().primary(),
    tenantId: refColumn(),
    activityId: refColumn(),
    createdOn: instantColumn(),
  },
  indexes: [
    { name: 'activity_mentions_by_user', properties: ['userId', 'createdOn', 'commentId'] },
    { name: 'activity_mentions_by_activity', properties: ['userId', 'activityId', 'commentId'] },
  ],
  filters: ownedByTenant,
})

/** What happened to an activity, for people: one line a happening. */
export const ActivityLogEntry = defineEntity({
  name: 'ActivityLogEntry',
  tableName: 'activity_log',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    activityId: refColumn(),
    at: instantColumn(),
    kind: p.string(),
    actor: p.string(),
    message: p.text(),
    runId: refColumn().strictNullable(),
    data: p.json().$type<Record<string, unknown>>().strictNullable(),
  },
  indexes: [{ name: 'activity_log_by_activity', properties: ['activityId', 'id'] }],
  filters: ownedByTenant,
})

export type ActivityRow = InferEntity<typeof Activity>
export type ActivityCommentRow = InferEntity<typeof ActivityComment>
