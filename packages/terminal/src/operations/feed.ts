import type { Reply } from '@copydesk/client'
import { type Column, columnsFitting, row, span, tableOf } from '../paper/row.ts'
import { ageOf, lasting } from '../paper/words.ts'
import { LineFault } from './line.ts'
import { operation } from './operation.ts'
import { cursor, limit, more, ofTenant, onlyTenant } from './paging.ts'
import { riskTone } from './queue.ts'

export type FeedItem = Reply<'cli', 'GET /feed'>['data'][number]

const kinds = ['approval', 'blocked', 'failed', 'budget', 'mention'] as const

/**
 * The columns in which what needs somebody is listed, on paper and on the screen.
 * @param titled columns that a title gets before what matters less is shown
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
  summary: 'show what needs you, the most urgent first',
  does: 'reads',
  audience: ['staff', 'admin', 'member'],
  takes: {
    kind: { kind: 'choice', choices: kinds, summary: 'only what is of this kind' },
    tenant: onlyTenant,
    limit,
    cursor,
  },
  examples: ['feed', 'feed --kind blocked --json'],
  run: (desk, { kind, tenant, ...query }) =>
    desk.client.call('cli', 'GET /feed', {
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

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Servers take no instant from then on. */
const afterLast = Date.UTC(3_000, 0, 1)

/** An instant of the wire from one, or from how long from now: `30m`, `4h`, `2d`. @throws LineFault */
function instantOf(text: string, now: number): string {
  const ahead = /^(\d{1,6})([mhd])$/.exec(text)
  const at = ahead ? now + Number(ahead[1]) * (unitMs[ahead[2] ?? ''] ?? 0) : Date.parse(text)
  if (!(at >= 0 && at < afterLast) || (!ahead && !/^\d{4}-\d{2}-\d{2}/.test(text)))
    throw new LineFault(
      '--until must be an instant before the year 3000 such as 2026-04-11T09:00:00Z, or 30m, 4h, 2d',
      'until',
    )
  return new Date(at).toISOString()
}

export const snooze = operation({
  name: 'snooze',
  summary: 'take an item out of your feed for a while',
  does: 'steers',
  audience: ['staff', 'admin', 'member'],
  takes: {
    id: item,
    until: { kind: 'text', value: 'when', required: true, summary: 'an instant, or from now: 30m, 4h, 2d' },
  },
  examples: ['snooze 01J9ZX6T4QH8C3V5N7M2K0B1AD --until 4h'],
  run: (desk, { id, until }) =>
    desk.client.call('cli', 'POST /feed/:id/snooze', {
      params: { id },
      body: { until: instantOf(until, desk.now()) },
    }),
  print: ({ itemId, hiddenUntil }) => [
    row(span('✔ ', 'good'), `${itemId} is out of your feed until ${hiddenUntil ?? 'something new happens'}`),
  ],
})

export const dismiss = operation({
  name: 'dismiss',
  summary: 'take an item out of your feed until something new happens to it',
  does: 'steers',
  audience: ['staff', 'admin', 'member'],
  takes: { id: item },
  examples: ['dismiss 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: (desk, { id }) => desk.client.call('cli', 'POST /feed/:id/dismiss', { params: { id } }),
  print: ({ itemId }) => [
    row(span('✔ ', 'good'), `${itemId} is out of your feed until something new happens`),
  ],
})
