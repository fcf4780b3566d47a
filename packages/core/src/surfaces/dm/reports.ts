import { deliverReport } from '../../domain/reports/deliver.ts'
import { getForReview } from '../../domain/reports/detail.ts'
import { orderReport, writeAgain } from '../../domain/reports/order.ts'
import { listForReview } from '../../domain/reports/queries.ts'
import {
  Delivered,
  Delivery,
  NewReport,
  ReportReceipt,
  ReviewerReportDetail,
  ReviewerReportPage,
  ReviewerReportQuery,
} from '../../domain/reports/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { reviewers } from './access.ts'

export const list = endpoint({
  id: 'dm.reports.list',
  route: 'GET /reports',
  summary: 'Reports of all assigned tenants, newest first',
  access: reviewers,
  query: ReviewerReportQuery,
  reply: { 200: ReviewerReportPage },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listForReview(ctx, query))

export const order = endpoint({
  id: 'dm.reports.create',
  route: 'POST /reports',
  summary: 'Order a report on a time at one tenant; it is written right after',
  access: reviewers,
  body: NewReport,
  reply: { 202: ReportReceipt },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  audit: 'report.create',
}).handle((ctx, { body }) => orderReport(ctx, body))

export const detail = endpoint({
  id: 'dm.reports.get',
  route: 'GET /reports/:reportId',
  summary: 'One report with a link to its PDF that works for an hour',
  access: reviewers,
  reply: { 200: ReviewerReportDetail },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params }) => getForReview(ctx, params.reportId))

export const deliver = endpoint({
  id: 'dm.reports.deliver',
  route: 'POST /reports/:reportId/deliver',
  summary: 'Mail the PDF to the tenant’s admins and others who work for it, each address once',
  description:
    '`to` names active people of the tenant and reviewers who are assigned to it; anybody else is refused. Subject and message stand in the mail as words of who delivers it.',
  access: reviewers,
  body: Delivery,
  reply: { 200: Delivered },
  errors: ['NOT_FOUND', 'UNPROCESSABLE'],
  audit: 'report.deliver',
}).handle((ctx, { params, body }) => deliverReport(ctx, params.reportId, body))

export const retry = endpoint({
  id: 'dm.reports.retry',
  route: 'POST /reports/:reportId/retry',
  summary: 'Have a report written that has failed, as it was ordered',
  access: reviewers,
  reply: { 202: ReportReceipt },
  errors: ['NOT_FOUND', 'UNPROCESSABLE'],
  audit: 'report.retry',
}).handle((ctx, { params }) => writeAgain(ctx, params.reportId))
