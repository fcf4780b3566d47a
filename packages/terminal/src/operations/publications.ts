import type { Reply } from '@copydesk/client'
import { type Column, columnsFitting, row, type StyledLine, span, type Tone, tableOf } from '../render/row.ts'
import { UsageError } from './invocation.ts'
import { operation } from './operation.ts'
import { cursor, limit, more } from './paging.ts'
import { publicationFigures } from './publication-figures.ts'

export type Publication = Reply<'dashboard', 'GET /publications'>['data'][number]

export const publicationTones: Readonly<Record<Publication['status'], Tone>> = {
  scheduled: 'plain',
  sending: 'accent',
  published: 'good',
  failed: 'bad',
  unknown: 'bad',
  held: 'warn',
  cancelled: 'dim',
  removed: 'dim',
}
const statuses = Object.keys(publicationTones) as Publication['status'][]

const minute = (instant: string) => instant.slice(0, 16).replace('T', ' ')
const whenOf = ({ publishedAt, scheduledFor }: Publication) => minute(publishedAt ?? scheduledFor)
const whyOf = ({ holdReason, error, needsAnswer }: Publication) =>
  needsAnswer ? 'is it there? publish reconcile' : (error ?? holdReason?.replaceAll('_', ' ') ?? '')

const changeTones: Readonly<Record<NonNullable<Publication['change']>['status'], Tone>> = {
  waiting: 'accent',
  sending: 'accent',
  failed: 'bad',
  held: 'warn',
}
/** A newer text that is to take the place of the one that is out. */
const changeOf = ({ change }: Publication) =>
  change ? `newer text ${change.status}${change.error ? `: ${change.error}` : ''}` : ''

const columns: ReadonlyArray<Column<Publication>> = [
  { title: 'id', cell: ({ id }) => id, tone: () => 'accent' },
  { title: 'when (UTC)', cell: whenOf },
  { title: 'channel', cell: ({ channelType }) => channelType, rank: 1 },
  { title: 'status', cell: ({ status }) => status, tone: ({ status }) => publicationTones[status] },
  { title: 'title', cell: ({ title }) => title, least: 12, enough: 40 },
  { title: 'why', cell: (one) => whyOf(one) || changeOf(one) || '·', least: 10, rank: 2 },
]

const id = { kind: 'argument', required: true, summary: 'id of the publication' } as const

export const publishList = operation({
  name: 'publish list',
  summary: 'list pieces on their way to channels, and those that are out, the newest first',
  effect: 'reads',
  audience: ['admin', 'member'],
  params: {
    status: { kind: 'choice', choices: statuses, summary: 'only those with this status' },
    channel: { kind: 'text', value: 'id', summary: 'only those of this channel' },
    limit,
    cursor,
  },
  examples: ['publish list --status held', 'publish list --json'],
  run: ({ client }, { status, channel, ...query }) =>
    client.call('dashboard', 'GET /publications', {
      query: {
        ...query,
        ...(status && { 'filter.status': status }),
        ...(channel !== undefined && { 'filter.channelId': channel }),
      },
    }),
  print: (found, { width }) =>
    found.data.length === 0
      ? [row(span('No publications.', 'dim'))]
      : [...tableOf(columnsFitting(columns, found.data, width), found.data, width), ...more(found)],
})

export const publishShow = operation({
  name: 'publish show',
  summary: 'show a publication: what goes where and when, why it does not, and what became of it',
  effect: 'reads',
  audience: ['admin', 'member'],
  params: { id },
  examples: ['publish show 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: ({ client }, { id: publicationId }) =>
    client.call('dashboard', 'GET /publications/:publicationId', { params: { publicationId } }),
  print: (shown, { width }) => [...publicationRows(shown), ...publicationFigures(shown, width)],
})

export function publicationRows(publication: Publication): StyledLine[] {
  const { id: own, title, status, channelType, channelId, activityId, nextAt, url } = publication
  const { change, changedAt } = publication
  const why = whyOf(publication)
  return [
    row(span(title, 'strong'), span(`  ${own}`, 'accent')),
    row(
      span(status, publicationTones[status]),
      span(`  ${channelType} ${channelId}, activity ${activityId}`, 'dim'),
    ),
    row(
      `${status === 'published' ? 'Published' : 'For'} ${whenOf(publication)} UTC, asked for by ${publication.requestedByName}`,
    ),
    ...(changedAt ? [row(`Changed ${minute(changedAt)} UTC`)] : []),
    ...(nextAt ? [row(span(`Looked at next ${minute(nextAt)} UTC`, 'dim'))] : []),
    ...(why ? [row(span('→ ', 'warn'), why)] : []),
    ...(change ? [row(span('→ ', changeTones[change.status]), changeOf(publication))] : []),
    ...(change?.nextAt ? [row(span(`  tried next ${minute(change.nextAt)} UTC`, 'dim'))] : []),
    ...(url ? [row(url)] : []),
  ]
}

export const publishUpdate = operation({
  name: 'publish update',
  summary: 'put the newest approved text into the place of the one that is out, or drop one that waits',
  effect: 'decides',
  audience: ['admin'],
  params: {
    id,
    drop: { kind: 'flag', summary: 'drop a newer text that waits; the post stays as it is' },
  },
  examples: ['publish update 01J9ZX6T4QH8C3V5N7M2K0B1AD', 'publish update 01J9ZX6T4QH8C3V5N7M2K0B1AD --drop'],
  run: ({ client }, { id: publicationId, drop }) => {
    const params = { publicationId }
    return drop
      ? client.call('dashboard', 'DELETE /publications/:publicationId/change', { params })
      : client.call('dashboard', 'POST /publications/:publicationId/update', { params })
  },
  print: publicationRows,
})

export const publishRetry = operation({
  name: 'publish retry',
  summary:
    'let a publication, or its change, go on that has failed or is held, with the newest approved text',
  effect: 'steers',
  audience: ['admin'],
  params: { id },
  examples: ['publish retry 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: ({ client }, { id: publicationId }) =>
    client.call('dashboard', 'POST /publications/:publicationId/retry', { params: { publicationId } }),
  print: publicationRows,
})

export const publishCancel = operation({
  name: 'publish cancel',
  summary: 'withdraw a publication; what is out is taken back where the platform can',
  effect: 'decides',
  audience: ['admin'],
  params: { id },
  examples: ['publish cancel 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: ({ client }, { id: publicationId }) =>
    client.call('dashboard', 'POST /publications/:publicationId/cancel', { params: { publicationId } }),
  print: publicationRows,
})

export const publishReconcile = operation({
  name: 'publish reconcile',
  summary: 'say what has become of a publication, or have the platform asked once more',
  effect: 'steers',
  audience: ['admin'],
  params: {
    id,
    outcome: {
      kind: 'choice',
      choices: ['published', 'not_published'],
      summary: 'what you have seen on the channel; not_published sends it',
    },
    url: { kind: 'text', value: 'url', summary: 'with published: where it is' },
  },
  examples: [
    'publish reconcile 01J9ZX6T4QH8C3V5N7M2K0B1AD',
    'publish reconcile 01J9ZX6T4QH8C3V5N7M2K0B1AD --outcome published --url https://shop.example/rye',
  ],
  run: ({ client }, { id: publicationId, outcome, url }) => {
    if (url !== undefined && outcome !== 'published')
      throw new UsageError('--url goes with --outcome published', 'url')
    return client.call('dashboard', 'POST /publications/:publicationId/reconcile', {
      params: { publicationId },
      body: { ...(outcome && { outcome }), ...(url !== undefined && { url }) },
    })
  },
  print: publicationRows,
})
