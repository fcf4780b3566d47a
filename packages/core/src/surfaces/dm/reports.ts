import { deliverReport } from '../../domain/insight/reports/deliver.ts'
import { getReportForReview } from '../../domain/insight/reports/detail.ts'
import { orderReport, writeAgain } from '../../domain/insight/reports/order.ts'
import { listReportsForReview } from '../../domain/insight/reports/queries.ts'
import {
  Delivered,
  DeliverReport,
  NewReport,
  ReportReceipt,
  ReviewerReportDetail,
  ReviewerReportPage,
  ReviewerReportQuery,
} from '../../domain/insight/reports/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { reviewers } from './access.ts'

export const list = endpoint({
  id: 'dm.reports.list',
  route: 'GET /reports',
  summary: 'Reports of all assigned tenants, newest first',
  access: reviewers,
  query: ReviewerReportQuery,
  reply: { 200: ReviewerReportPage },
}).handle((ctx, { query }) => listReportsForReview(ctx, query))

export const create = endpoint({
  id: 'dm.reports.create',
  route: 'POST /reports',
  summary: 'Order a report on a time at one tenant; it is written right after',
  access: reviewers,
  body: NewReport,
  reply: { 202: ReportReceipt },
  errors: ['NOT_FOUND'],
  audit: 'report.create',
}).handle((ctx, { body }) => orderReport(ctx, body))

export const get = endpoint({
  id: 'dm.reports.get',
  route: 'GET /reports/:reportId',
  summary: 'One report with a link to its PDF that works for an hour',
  access: reviewers,
  reply: { 200: ReviewerReportDetail },
}).handle((ctx, { params }) => getReportForReview(ctx, params.reportId))

export const deliver = endpoint({
  id: 'dm.reports.deliver',
  route: 'POST /reports/:reportId/deliver',
  summary: 'Mail the PDF to the tenant’s admins and further recipients, each address once',
  description:
    '`to` names active people of the tenant and reviewers who are assigned to it; anybody else is refused. Subject and message stand in the mail as words of who delivers it.',
  access: reviewers,
  body: DeliverReport,
  reply: { 200: Delivered },
  errors: ['UNPROCESSABLE'],
  audit: 'report.deliver',
}).handle((ctx, { params, body }) => deliverReport(ctx, params.reportId, body))

export const retry = endpoint({
  id: 'dm.reports.retry',
  route: 'POST /reports/:reportId/retry',
  summary: 'Have a report written that has failed, as it was ordered',
  access: reviewers,
  reply: { 202: ReportReceipt },
  errors: ['UNPROCESSABLE'],
  audit: 'report.retry',
}).handle((ctx, { params }) => writeAgain(ctx, params.reportId))
