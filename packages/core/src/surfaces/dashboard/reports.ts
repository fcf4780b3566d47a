import { getReport, listReports } from '../../domain/reports/queries.ts'
import { TenantReportDetail, TenantReportPage, TenantReportQuery } from '../../domain/reports/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.reports.list',
  route: 'GET /reports',
  summary: 'Reports on what was done, newest first',
  access: team,
  query: TenantReportQuery,
  reply: { 200: TenantReportPage },
  errors: ['VALIDATION_ERROR'],
}).handle((ctx, { query }) => listReports(ctx, query))

export const detail = endpoint({
  id: 'dashboard.reports.get',
  route: 'GET /reports/:reportId',
  summary: 'One report with its Markdown',
  access: team,
  reply: { 200: TenantReportDetail },
  errors: ['NOT_FOUND'],
}).handle((ctx, { params }) => getReport(ctx, params.reportId))
