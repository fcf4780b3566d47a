import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

export const approvalTypes = [
  'content_review',
  'content_direction',
  'brand_direction',
  'strategy_change',
  'budget_authorization',
  'channel_action',
] as const
export type ApprovalType = (typeof approvalTypes)[number]

export const riskLevels = ['low', 'medium', 'high'] as const
export type RiskLevel = (typeof riskLevels)[number]

export const approvalStatuses = ['pending', 'approved', 'rejected', 'expired'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

export const resolutions = ['approved', 'rejected', 'revision_requested'] as const
export type Resolution = (typeof resolutions)[number]

/** A question to people, with the work that waits for its answer. */
export const Approval = defineEntity({
  name: 'Approval',
  tableName: 'approvals',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn().strictNullable(),
    title: p.string(),
    type: p.string().$type<ApprovalType>(),
    riskLevel: p.string().$type<RiskLevel>(),
    /** 1 high, 2 medium, 3 low: to sort by. */
    riskRank: p.integer(),
    status: p.string().$type<ApprovalStatus>(),
    description: p.text().strictNullable(),
    options: p.json().$type<string[]>().strictNullable(),
    createdById: p.string(),
    createdByName: p.string(),
    createdByType: p.string().$type<'agent' | 'human'>(),
    createdOn: instantColumn(),
    expiresAt: instantColumn(),
    /** By when people are expected to decide; never after the expiry. */
    dueAt: instantColumn().strictNullable(),
    resolvedAt: instantColumn().strictNullable(),
    resolvedById: p.string().strictNullable(),
    resolvedByName: p.string().strictNullable(),
    resolution: p.string().$type<Resolution | 'voided' | 'withdrawn'>().strictNullable(),
    resolutionNote: p.text().strictNullable(),
    selectedOption: p.text().strictNullable(),
    /** The activity whose text people are asked about; null when the question is about something else. */
    contentOf: refColumn().strictNullable(),
    /** The version that is shown, and its SHA-256; null while there is none. A verdict with edits puts the new one here. */
    outputId: refColumn().strictNullable(),
    contentHash: p.string().length(64).strictNullable(),
    forwardedFrom: refColumn().strictNullable(),
    forwardedTo: refColumn().strictNullable(),
    /** True when the reviewer approved a text of their own making. */
    edited: p.boolean().default(false),
    /** The question that stands for this one since new content voided it. */
    replacedBy: refColumn().strictNullable(),
    /** Who looks at it, and until when that counts. */
    claimedById: p.string().strictNullable(),
    claimedByName: p.string().strictNullable(),
    claimedUntil: instantColumn().strictNullable(),
    updatedOn: instantColumn(),
  },
  indexes: [
    { name: 'approvals_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'approvals_by_status', properties: ['tenantId', 'status', 'id'] },
    { name: 'approvals_by_risk', properties: ['tenantId', 'riskRank', 'id'] },
    { name: 'approvals_by_status_and_risk', properties: ['tenantId', 'status', 'riskRank', 'id'] },
    { name: 'approvals_by_due', properties: ['tenantId', 'status', 'riskRank', 'dueAt', 'id'] },
    { name: 'approvals_by_verdict', properties: ['tenantId', 'resolvedAt'] },
    { name: 'approvals_by_content', properties: ['contentOf', 'id'] },
    { name: 'approvals_by_type', properties: ['tenantId', 'type', 'id'] },
    { name: 'approvals_by_type_and_risk', properties: ['tenantId', 'type', 'riskRank', 'id'] },
    { name: 'approvals_waiting_by_campaign', properties: ['campaignId'], where: "status = 'pending'" },
    {
      name: 'approvals_approved_by',
      properties: ['resolvedById', 'resolvedAt', 'id'],
      where: "status = 'approved' and content_of is not null",
    },
    { name: 'approvals_by_expiry', properties: ['status', 'expiresAt'] },
    {
      name: 'approvals_waiting_by_risk',
      properties: ['tenantId', 'riskRank', 'expiresAt', 'id'],
      where: "status = 'pending'",
    },
    {
      name: 'approvals_waiting_by_expiry',
      properties: ['tenantId', 'expiresAt', 'id'],
      where: "status = 'pending'",
    },
  ],
  filters: ownedByTenant,
})

/** An activity that waits for an approval. */
export const ApprovalLink = defineEntity({
  name: 'ApprovalLink',
  tableName: 'approval_links',
  properties: {
    approvalId: refColumn().primary(),
    activityId: refColumn().primary(),
    tenantId: refColumn(),
    /** False when the activity goes on while the question is open. */
    blocking: p.boolean(),
  },
  indexes: [{ name: 'approval_links_by_activity', properties: ['activityId'] }],
  filters: ownedByTenant,
})

/** When a tenant's people work; without a row in office hours. */
export const ReviewHours = defineEntity({
  name: 'ReviewHours',
  tableName: 'review_hours',
  properties: {
    tenantId: refColumn().primary(),
    /** 1 is Monday, 7 is Sunday. */
    days: p.json().$type<number[]>(),
    /** Minutes since midnight in the tenant's zone. */
    fromMinute: p.integer(),
    untilMinute: p.integer(),
    updatedOn: instantColumn(),
  },
  filters: ownedByTenant,
})

export type ApprovalRow = InferEntity<typeof Approval>
