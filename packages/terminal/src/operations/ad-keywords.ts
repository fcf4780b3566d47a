import type { Reply } from '@copydesk/client'
import { type Column, columnsFitting, row, span, tableOf } from '../render/row.ts'
import { operation } from './operation.ts'
import { cursor, limit, more, pageAt } from './paging.ts'

type Keyword = Reply<'tenant', 'GET /campaigns/:campaignId/keywords'>['data'][number]

const columns: ReadonlyArray<Column<Keyword>> = [
  { title: 'id', cell: ({ id }) => id, tone: () => 'accent' },
  { title: 'keyword', cell: ({ text }) => text, least: 12, enough: 40 },
  { title: 'match', cell: ({ matchType }) => matchType, rank: 2 },
  {
    title: 'status',
    cell: ({ status }) => status,
    tone: ({ status }) => (status === 'enabled' ? 'good' : 'dim'),
  },
  {
    title: 'bid',
    cell: ({ bidMicros }) => (bidMicros === null ? '·' : (bidMicros / 1_000_000).toFixed(2)),
    align: 'right',
  },
  { title: 'clicks', cell: ({ clicks }) => String(clicks), align: 'right', rank: 1 },
  { title: 'conversions', cell: ({ conversions }) => String(conversions), align: 'right', rank: 1 },
]

export const adsKeywords = operation({
  name: 'ads keywords',
  summary: 'list the keywords of a paid campaign with their ids, bids and what they brought in thirty days',
  effect: 'reads',
  audience: ['admin', 'member'],
  params: {
    campaign: { kind: 'argument', required: true, summary: 'id of the campaign', completes: 'campaign' },
    status: {
      kind: 'choice',
      choices: ['enabled', 'paused', 'removed'],
      summary: 'only keywords with this status',
    },
    limit,
    cursor,
  },
  examples: ['ads keywords 01J9ZX6T4QH8C3V5N7M2K0B1AD --status enabled'],
  run: ({ client }, { campaign: campaignId, status, limit: most, cursor: from }) =>
    client.call('tenant', 'GET /campaigns/:campaignId/keywords', {
      params: { campaignId },
      query: { page: pageAt(from), ...(most !== undefined && { limit: most }), ...(status && { status }) },
    }),
  print: ({ data, pagination: { page, hasMore } }, { width }) =>
    data.length === 0
      ? [row(span('No keywords: `copydesk ads sync` fetches them.', 'dim'))]
      : [
          ...tableOf(columnsFitting(columns, data, width), data, width),
          ...more({ pagination: { nextCursor: hasMore ? String(page + 1) : null } }),
        ],
})
