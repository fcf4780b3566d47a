import { z } from 'zod'
import { isoDate, isoDay, page, pageQuery, ulid } from '../../../platform/wire.ts'
import { Email } from '../../accounts/identity/schemas.ts'
import { orderedTypes, reportStatuses, reportTypes } from './entities.ts'

export const NewReport = z
  .object({
    tenantId: ulid,
    type: z.enum(orderedTypes),
    periodStart: isoDay,
    periodEnd: isoDay,
    campaignIds: z.array(ulid).min(1).max(50).optional(),
    title: z.string().trim().min(1).max(200).optional(),
    /** Stands in the report, after the figures. */
    notes: z.string().trim().min(1).max(10_000).optional(),
  })
  .refine(({ periodStart, periodEnd }) => periodStart <= periodEnd, {
    path: ['periodEnd'],
    message: 'periodEnd must not be before periodStart',
  })
export type NewReport = z.output<typeof NewReport>
export const ReportReceipt = z.object({ reportId: ulid, status: z.literal('generating') })

const tenantStatuses = ['draft', 'ready', 'delivered', 'archived'] as const

const fields = {
  id: ulid,
  title: z.string(),
  type: z.enum(reportTypes),
  periodStart: z.string(),
  periodEnd: z.string(),
  campaignId: z.string().nullable(),
  deliveredAt: isoDate.nullable(),
  createdOn: isoDate,
}

/** What is still generated, or has failed and is with the reviewers, is a draft to the tenant. */
export const TenantReport = z.object({ ...fields, status: z.enum(tenantStatuses) })
export type TenantReport = z.output<typeof TenantReport>
export const TenantReportPage = page(TenantReport)

export const TenantReportDetail = TenantReport.extend({
  activityId: z.string().nullable(),
  /** Markdown; null until it is written. */
  content: z.string().nullable(),
  deliveredBy: z.string().nullable(),
  deliveryChannel: z.string().nullable(),
})
export type TenantReportDetail = z.output<typeof TenantReportDetail>

export const TenantReportQuery = pageQuery.extend({
  'filter.status': z.enum(tenantStatuses).optional(),
  'filter.campaignId': ulid.optional(),
  'filter.type': z
    .enum(['monthly_performance', 'quarterly_review', 'ad_audit', 'seo_audit', 'custom'])
    .optional(),
  /** Reports whose period touches these days. */
  'filter.startDate': isoDay.optional(),
  'filter.endDate': isoDay.optional(),
})
export type TenantReportQuery = z.output<typeof TenantReportQuery>

export const ReviewerReport = z.object({
  ...fields,
  tenantId: ulid,
  tenantName: z.string(),
  status: z.enum(reportStatuses),
  /** Why it is not there; null unless it has failed. */
  failureReason: z.string().nullable(),
  createdBy: z.string(),
})
export type ReviewerReport = z.output<typeof ReviewerReport>
export const ReviewerReportPage = page(ReviewerReport)

export const ReviewerReportDetail = z.object({
  id: ulid,
  tenantId: ulid,
  tenantName: z.string(),
  type: z.enum(reportTypes),
  status: z.enum(reportStatuses),
  title: z.string(),
  /** Why it is not there, when it has failed. */
  failureReason: z.string().optional(),
  /** Opens the PDF without a login for an hour. */
  pdfUrl: z.string().optional(),
  deliveredAt: isoDate.optional(),
  deliveredTo: z.array(z.string()).optional(),
  /** What became of each mail; `unknown` may have arrived and is not sent again. */
  deliveries: z
    .array(z.object({ to: z.string(), status: z.enum(['pending', 'sending', 'sent', 'refused', 'unknown']) }))
    .optional(),
  createdBy: z.string(),
  createdOn: isoDate,
})
export type ReviewerReportDetail = z.output<typeof ReviewerReportDetail>

export const ReviewerReportQuery = pageQuery.extend({
  tenantId: ulid.optional(),
  'filter.status': z.enum(reportStatuses).optional(),
  'filter.type': z.enum(orderedTypes).optional(),
})
export type ReviewerReportQuery = z.output<typeof ReviewerReportQuery>

export const DeliverReport = z.object({
  /** People of the tenant and its reviewers, beside the tenant's admins, who always get it. */
  to: z.array(Email).max(50),
  /** Stands above the message, as words of who delivers it; the mail has a subject of ours. */
  subject: z.string().trim().min(1).max(200).optional(),
  message: z.string().trim().min(1).max(5_000).optional(),
})
export type DeliverReport = z.output<typeof DeliverReport>
export const Delivered = z.object({ delivered: z.literal(true), sentTo: z.array(z.string()) })
export type Delivered = z.output<typeof Delivered>
