import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { dateColumn, idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

export const orderedTypes = ['monthly_performance', 'campaign_summary', 'custom'] as const
export const reportTypes = [
  'monthly_performance',
  'campaign_summary',
  'quarterly_review',
  'ad_audit',
  'seo_audit',
  'custom',
] as const
export type ReportType = (typeof reportTypes)[number]

export const reportStatuses = ['generating', 'failed', 'draft', 'ready', 'delivered', 'archived'] as const
export type ReportStatus = (typeof reportStatuses)[number]

/** What was done for a tenant in a time, in words and figures. */
export const Report = defineEntity({
  name: 'Report',
  tableName: 'reports',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    type: p.string().$type<ReportType>(),
    title: p.string(),
    status: p.string().$type<ReportStatus>(),
    /** Why it is not there, in words for people; null unless it has failed. */
    failureReason: p.text().strictNullable(),
    /** Days of the tenant's zone, both part of it. */
    periodStart: dateColumn(),
    periodEnd: dateColumn(),
    /** Those that it is about; empty for all. */
    campaignIds: p.json().$type<string[]>(),
    /** The campaign, when it is about one only. */
    campaignId: refColumn().strictNullable(),
    notes: p.text().strictNullable(),
    /** Markdown; null until it is written. */
    content: p.text().strictNullable(),
    /** Where the PDF lies among the blobs; null until it is there. */
    blobKey: p.string().strictNullable(),
    deliveredAt: instantColumn().strictNullable(),
    deliveredById: p.string().strictNullable(),
    deliveredByName: p.string().strictNullable(),
    deliveryChannel: p.string().$type<'email'>().strictNullable(),
    createdById: p.string(),
    createdByName: p.string(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  indexes: [
    { name: 'reports_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'reports_by_status', properties: ['tenantId', 'status', 'id'] },
    { name: 'reports_by_campaign', properties: ['campaignId', 'id'] },
    { name: 'reports_being_written', properties: ['id'], where: "status = 'generating'" },
  ],
  filters: ownedByTenant,
})

/**
 * `pending` is not sent yet; `sending` is in the hands of a mail server; `sent` was taken by it; `refused` was not and will
 * not be; `unknown` may have been taken, and is not sent again.
 */
export type ReportDeliveryStatus = 'pending' | 'sending' | 'sent' | 'refused' | 'unknown'

/** The intent to mail a report to one address, once. */
export const ReportDelivery = defineEntity({
  name: 'ReportDelivery',
  tableName: 'report_deliveries',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    reportId: refColumn(),
    address: p.string(),
    subject: p.string(),
    message: p.text().strictNullable(),
    status: p.string().$type<ReportDeliveryStatus>(),
    error: p.text().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'report_deliveries_once', properties: ['reportId', 'address'] }],
  filters: ownedByTenant,
})

export type ReportRow = InferEntity<typeof Report>

export const reportEntities = [Report, ReportDelivery]
