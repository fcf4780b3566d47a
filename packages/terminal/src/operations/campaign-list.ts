import type { Reply } from '@copydesk/client'
import { type Column, columnsFitting, row, type StyledLine, span, tableOf } from '../render/row.ts'
import { isStaff, type WorkflowStatus, workflowStatuses } from './campaign-workflow.ts'
import { campaignColumns } from './campaigns.ts'
import { UsageError } from './invocation.ts'
import { operation } from './operation.ts'
import { cursor, limit, more, pageAt } from './paging.ts'

type Progress = Reply<'dashboard', 'GET /campaigns'>
type Reviews = Reply<'tenant', 'GET /campaigns'>
type Review = Reviews['data'][number]

/** What the dashboard shows as drafts. */
const reviewing = ['dm_review', 'client_review', 'client_approved'] as const
const isReview = (status: WorkflowStatus): status is (typeof reviewing)[number] =>
  reviewing.some((each) => each === status)

const reviewColumns: ReadonlyArray<Column<Review>> = [
  { title: 'id', cell: ({ id }) => id, tone: () => 'accent' },
  { title: 'campaign', cell: ({ name }) => name, least: 12, enough: 24 },
  {
    title: 'tenant',
    cell: (one) => ('tenantName' in one ? String(one.tenantName) : '·'),
    least: 8,
    enough: 20,
    rank: 2,
  },
  { title: 'type', cell: ({ type }) => type, rank: 1 },
  {
    title: 'status',
    cell: ({ status }) => status,
    tone: ({ status }) => (isReview(status) ? 'warn' : 'plain'),
  },
]

export const campaignList = operation({
  name: 'campaign list',
  summary: 'list campaigns with their progress, pending approvals and cost; to reviewers, their reviews',
  effect: 'reads',
  audience: ['staff', 'admin', 'member', 'operator'],
  needsLogin: true,
  params: {
    status: { kind: 'choice', choices: workflowStatuses, summary: 'only campaigns with this status' },
    limit,
    cursor,
  },
  examples: ['campaign list', 'campaign list --status client_review', 'campaign list --status active --json'],
  run: (context, { status, limit: most, cursor: from }): Promise<Progress | Reviews> => {
    const { client, audience } = context
    const size = most === undefined ? {} : { limit: most }
    if (isStaff(context))
      return client.call('dm', 'GET /campaigns', {
        query: { ...size, page: pageAt(from), ...(status && { status }) },
      })
    if (status === undefined || !isReview(status))
      return client.call('dashboard', 'GET /campaigns', {
        query: { ...size, ...(from && { cursor: from }), ...(status && { 'filter.status': status }) },
      })
    if (audience === 'operator')
      throw new UsageError(`--status ${status} needs a login at the server (copydesk login)`, 'status')
    return client.call('tenant', 'GET /campaigns', { query: { ...size, page: pageAt(from), status } })
  },
  print: (found, { width }) => {
    if (found.data.length === 0) return [row(span('No campaigns.', 'dim'))]
    if ('pages' in found.pagination) return reviewRows(found as Reviews, width)
    const { data, pagination } = found as Progress
    return [...tableOf(columnsFitting(campaignColumns, data, width), data, width), ...more({ pagination })]
  },
})

function reviewRows({ data, pagination: { page, hasMore } }: Reviews, width: number): StyledLine[] {
  return [
    ...tableOf(columnsFitting(reviewColumns, data, width), data, width),
    ...more({ pagination: { nextCursor: hasMore ? String(page + 1) : null } }),
  ]
}
