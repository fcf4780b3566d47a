import { getReport, listReports } from '../../domain/insight/reports/queries.ts'
import {
  TenantReportDetail,
  TenantReportPage,
  TenantReportQuery,
} from '../../domain/insight/reports/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.reports.list',
  route: 'GET /reports',
  summary: 'Reports on what was done, newest first',
  access: team,
  query: TenantReportQuery,
  reply: { 200: TenantReportPage },
}).handle((ctx, { query }) => listReports(ctx, query))

export const get = endpoint({
  id: 'dashboard.reports.get',
  route: 'GET /reports/:reportId',
  summary: 'One report with its Markdown',
  access: team,
  reply: { 200: TenantReportDetail },
}).handle((ctx, { params }) => getReport(ctx, params.reportId))
