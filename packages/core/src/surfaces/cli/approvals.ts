import { resolveMatching } from '../../domain/work/approvals/bulk.ts'
import { MatchingReceipt, MatchingVerdict } from '../../domain/work/approvals/matching-schemas.ts'
import { delegate } from '../../gateway/delegate.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import * as dm from '../dm/approvals.ts'
import { staff } from './access.ts'

export const list = delegate(dm.list, { id: 'cli.approvals.list', route: 'GET /approvals', access: staff })

export const next = delegate(dm.next, {
  id: 'cli.approvals.next',
  route: 'GET /approvals/next',
  access: staff,
})

export const statistics = delegate(dm.statistics, {
  id: 'cli.approvals.statistics',
  route: 'GET /approvals/statistics',
  access: staff,
})

export const outcomes = delegate(dm.outcomes, {
  id: 'cli.approvals.outcomes',
  route: 'GET /approvals/outcomes',
  access: staff,
})

export const get = delegate(dm.get, {
  id: 'cli.approvals.get',
  route: 'GET /approvals/:id',
  access: staff,
})

export const resolve = delegate(dm.resolve, {
  id: 'cli.approvals.resolve',
  route: 'POST /approvals/:id/resolve',
  access: staff,
})

export const bulkResolve = endpoint({
  id: 'cli.approvals.bulk_resolve',
  route: 'POST /approvals/bulk-resolve',
  summary:
    'Approve or reject up to 500 approvals, named or matched, each for itself; or only look what would be',
  access: staff,
  body: MatchingVerdict,
  reply: { 200: MatchingReceipt },
  audit: 'approval.bulk_resolve',
}).handle((ctx, { body }) => resolveMatching(ctx, body))

export const escalate = delegate(dm.escalate, {
  id: 'cli.approvals.escalate',
  route: 'POST /approvals/:id/escalate',
  access: staff,
})

export const sendToClient = delegate(dm.sendToClient, {
  id: 'cli.approvals.send_to_client',
  route: 'POST /approvals/:id/send-to-client',
  access: staff,
})

export const claim = delegate(dm.claim, {
  id: 'cli.approvals.claim',
  route: 'POST /approvals/:id/claim',
  access: staff,
})

export const release = delegate(dm.release, {
  id: 'cli.approvals.release',
  route: 'DELETE /approvals/:id/claim',
  access: staff,
})
