import { getApprovalForApp, listApprovalsForApp } from '../../domain/work/approvals/mobile-queries.ts'
import {
  MobileApproval,
  MobileApprovalPage,
  MobileApprovalQuery,
} from '../../domain/work/approvals/mobile-schemas.ts'
import { delegate } from '../../gateway/delegate.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import * as dashboard from '../dashboard/approvals.ts'
import { admins, team } from './access.ts'

export const list = endpoint({
  id: 'mobile.approvals.list',
  route: 'GET /approvals',
  summary: 'Approvals in few words, high risk first, and how many wait',
  access: team,
  query: MobileApprovalQuery,
  reply: { 200: MobileApprovalPage },
}).handle((ctx, { query }) => listApprovalsForApp(ctx, query))

export const get = endpoint({
  id: 'mobile.approvals.get',
  route: 'GET /approvals/:approvalId',
  summary: 'One approval with the beginnings of what it is about',
  access: team,
  reply: { 200: MobileApproval },
}).handle((ctx, { params }) => getApprovalForApp(ctx, params.approvalId))

export const resolve = delegate(dashboard.resolve, {
  id: 'mobile.approvals.resolve',
  route: 'POST /approvals/:approvalId/resolve',
  access: admins,
})
