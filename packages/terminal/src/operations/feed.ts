import type { Reply } from '@copydesk/client'
import { type Column, columnsFitting, row, span, tableOf } from '../render/row.ts'
import { ageOf, lasting } from '../render/words.ts'
import { instantForms, instantOf } from './instant.ts'
import { operation } from './operation.ts'
import { cursor, limit, more, ofTenant, onlyTenant } from './paging.ts'
import { riskTone } from './queue.ts'

export type FeedItem = Reply<'cli', 'GET /feed'>['data'][number]

const kinds = ['approval', 'blocked', 'failed', 'budget', 'mention', 'campaign'] as const

/**
 * The columns of the feed, in commands and on the screen.
 * @param titled width that the title gets before columns of a lower rank are shown
 */
export function feedColumns(now: number, titled = 36): Array<Column<FeedItem>> {
  return [
    { title: 'id', cell: ({ id }) => id, tone: () => 'accent' },
    { title: 'kind', cell: ({ kind }) => kind, tone: ({ riskLevel }) => riskTone(riskLevel ?? null) },
    { title: 'age', cell: ({ since }) => ageOf(since, now), align: 'right', rank: 3 },
    {
      title: 'left',
      cell: ({ deadline }) => (deadline ? lasting(Date.parse(deadline) - now) : '·'),
      align: 'right',
      rank: 1,
    },
    { title: 'tenant', cell: ({ tenantName }) => tenantName, least: 8, enough: 14, rank: 2 },
    { title: 'title', cell: ({ title }) => title, least: 6, enough: titled },
    { title: 'why', cell: ({ reason }) => reason, tone: () => 'dim', least: 8, enough: 16, rank: 4 },
  ]
}

export const feed = operation({
  name: 'feed',
  summary: 'list what needs you, the most urgent first',
  effect: 'reads',
  audience: ['staff', 'admin', 'member'],
  params: {
    kind: { kind: 'choice', choices: kinds, summary: 'only items of this kind' },
    tenant: onlyTenant,
    limit,
    cursor,
  },
  examples: ['feed', 'feed --kind blocked --json'],
  run: (context, { kind, tenant, ...query }) =>
    context.client.call('cli', 'GET /feed', {
      query: { ...query, ...ofTenant(tenant), ...(kind && { 'filter.kind': kind }) },
    }),
  print: (found, { width, now }) => {
    if (found.data.length === 0) return [row(span('Nothing needs you.', 'good'))]
    // Beside an id there is less room for a title.
    const columns = columnsFitting(feedColumns(now, 24), found.data, width)
    return [...tableOf(columns, found.data, width), ...more(found)]
  },
})

const item = {
  kind: 'argument',
  required: true,
  summary: 'id of the item, as `feed` shows it',
  completes: 'feed',
} as const

export const snooze = operation({
  name: 'snooze',
  summary: 'hide an item of your feed for a while',
  effect: 'steers',
  audience: ['staff', 'admin', 'member'],
  params: {
    id: item,
    until: {
      kind: 'text',
      value: 'when',
      required: true,
      summary: instantForms,
    },
  },
  examples: ['snooze 01J9ZX6T4QH8C3V5N7M2K0B1AD --until 4h'],
  run: (context, { id, until }) =>
    context.client.call('cli', 'POST /feed/:id/snooze', {
      params: { id },
      body: { until: instantOf('until', until, context.now()) },
    }),
  print: ({ itemId, hiddenUntil }) => [
    row(span('✔ ', 'good'), `${itemId} is hidden until ${hiddenUntil ?? 'something new happens'}`),
  ],
})

export const dismiss = operation({
  name: 'dismiss',
  summary: 'hide an item of your feed until something new happens to it',
  effect: 'steers',
  audience: ['staff', 'admin', 'member'],
  params: { id: item },
  examples: ['dismiss 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: (context, { id }) => context.client.call('cli', 'POST /feed/:id/dismiss', { params: { id } }),
  print: ({ itemId }) => [row(span('✔ ', 'good'), `${itemId} is hidden until something new happens`)],
})
