import { defineEntity, p } from '@mikro-orm/core'
import {
  dateColumn,
  idColumn,
  instantColumn,
  microsColumn,
  refColumn,
} from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import type { ApprovalType } from '../approvals/entities.ts'

export const campaignStatuses = [
  'draft',
  'dm_review',
  'client_review',
  'client_approved',
  'active',
  'paused',
  'completed',
  'archived',
] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

export const campaignTypes = [
  'content_marketing',
  'paid_ads',
  'email_marketing',
  'review_generation',
  'social_media',
  'seo',
  'backlink_outreach',
] as const
export type CampaignType = (typeof campaignTypes)[number]

export const campaignSources = ['manual', 'imported'] as const
export type CampaignSource = (typeof campaignSources)[number]

export const deliverableTypes = [
  'blog_post',
  'social_post',
  'gbp_post',
  'ad_copy',
  'email_newsletter',
  'backlink',
  'website_audit',
  'performance_report',
] as const
export type DeliverableType = (typeof deliverableTypes)[number]

export const Campaign = defineEntity({
  name: 'Campaign',
  tableName: 'campaigns',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    name: p.string(),
    /** Markdown. */
    brief: p.text(),
    status: p.string().$type<CampaignStatus>(),
    budgetCapMicros: microsColumn().strictNullable(),
    startDate: dateColumn().strictNullable(),
    endDate: dateColumn().strictNullable(),
    attachments: p.json().$type<string[]>(),
    type: p.string().$type<CampaignType>().default('content_marketing'),
    source: p.string().$type<CampaignSource>().default('manual'),
    /** Where it runs, such as `search_ads`; null is nowhere in particular. */
    channels: p.json().$type<string[]>().strictNullable(),
    goal: p.string().strictNullable(),
    /** What it may cost outside of Copydesk, in millionths of its currency. */
    budgetMicros: microsColumn().strictNullable(),
    budgetCurrency: p.string().length(3).strictNullable(),
    /** The period of a promise that it is made for. */
    deliverablePeriodId: refColumn().strictNullable(),
    autoPilotEnabled: p.boolean().default(false),
    /** A draft of the dashboard, which its planning makes active; one of the workflow waits for people. */
    startsWhenPlanned: p.boolean().default(true),
    /** What was said when the status was last set by a person. */
    statusNote: p.text().strictNullable(),
    createdById: refColumn(),
    createdByName: p.string(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  indexes: [
    { name: 'campaigns_by_tenant', properties: ['tenantId', 'id'] },
    // For what waits for people, in the order of their feed.
    { name: 'campaigns_by_status', properties: ['tenantId', 'status', 'updatedOn', 'id'] },
  ],
  filters: ownedByTenant,
})

/** A promise of a campaign: so many pieces of one type in each period. */
export const Deliverable = defineEntity({
  name: 'Deliverable',
  tableName: 'deliverables',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    campaignId: refColumn(),
    position: p.integer(),
    type: p.string().$type<DeliverableType>(),
    /** Pieces per period. */
    quantity: p.integer(),
    platformIds: p.json().$type<string[]>(),
    templateId: refColumn().strictNullable(),
    /** What it is made by, from its first planning on: later changes of the template are for others. */
    plannedTemplateId: refColumn().strictNullable(),
    plannedVersion: p.integer().strictNullable(),
    createdOn: instantColumn(),
  },
  uniques: [{ name: 'deliverables_position', properties: ['campaignId', 'position'] }],
  filters: ownedByTenant,
})

/** A calendar month of the tenant's zone, cut to the campaign's dates. Both days are part of it. */
export const Period = defineEntity({
  name: 'Period',
  tableName: 'periods',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    deliverableId: refColumn(),
    periodStart: dateColumn(),
    periodEnd: dateColumn(),
    target: p.integer(),
    createdOn: instantColumn(),
  },
  indexes: [
    { name: 'periods_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'periods_by_start', properties: ['periodStart'] },
  ],
  uniques: [{ name: 'periods_start', properties: ['deliverableId', 'periodStart'] }],
  filters: ownedByTenant,
})

export const stepTypes = ['research', 'outline', 'draft', 'edit', 'audit', 'report', 'outreach'] as const
export type StepType = (typeof stepTypes)[number]

export const templateStatuses = ['active', 'draft', 'archived'] as const
export type TemplateStatus = (typeof templateStatuses)[number]

export interface TemplateStep {
  stepNumber: number
  title: string
  agentRole: string
  type: StepType
  approvalRequired: boolean
  approvalType?: ApprovalType
  /** Step numbers that must be done first. */
  dependsOn?: number[]
  estimatedCostUsd?: number
}

/** How a piece of one deliverable type is made, step by step. Global: tenants share it. */
export const ActivityTemplate = defineEntity({
  name: 'ActivityTemplate',
  tableName: 'activity_templates',
  properties: {
    id: idColumn(),
    name: p.string(),
    deliverableType: p.string().$type<DeliverableType>(),
    status: p.string().$type<TemplateStatus>(),
    version: p.integer(),
    isDefault: p.boolean(),
    steps: p.json().$type<TemplateStep[]>(),
    createdBy: p.string(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [
    { name: 'activity_templates_default', properties: ['deliverableType'], where: { isDefault: true } },
  ],
})
