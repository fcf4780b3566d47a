import type { Reply } from '@copydesk/client'
import { type Column, row, type StyledLine, span, type Tone } from '../render/row.ts'
import { type Mailing, mailingTones } from './mailings.ts'
import { operation } from './operation.ts'
import { type Publication, publicationTones } from './publications.ts'

export type Planned = Reply<'dashboard', 'GET /calendar'>['data'][number]

export const publishCalendar = operation({
  name: 'publish calendar',
  summary: 'show what goes out when, and what is out, by the day and in the time zone of the tenant',
  effect: 'reads',
  audience: ['admin', 'member'],
  params: {
    from: { kind: 'text', value: 'day', summary: 'first day (default: today), such as 2026-04-10' },
    to: { kind: 'text', value: 'day', summary: 'last day (default: 31 days)' },
    fromId: { kind: 'text', value: 'id', summary: 'where to go on within an instant' },
    channel: { kind: 'text', value: 'id', summary: 'only of this channel, so no mails to leads' },
  },
  examples: ['publish calendar', 'publish calendar --from 2026-04-01 --to 2026-04-30'],
  run: ({ client }, { from, fromId, to, channel }) =>
    client.call('dashboard', 'GET /calendar', {
      query: {
        ...(from !== undefined && { from }),
        ...(fromId !== undefined && { fromId }),
        ...(to !== undefined && { to }),
        ...(channel !== undefined && { channelId: channel }),
      },
    }),
  print: ({ data, timezone, nextFrom, nextFromId }) => {
    const id = nextFromId === null ? '' : ` --from-id ${nextFromId}`
    const more = nextFrom === null ? '' : ` More with --from ${nextFrom}${id}`
    return [
      ...(data.length === 0 && nextFrom === null
        ? [row(span('Nothing goes out.', 'dim'))]
        : calendarRows(data)),
      row(span(`Times of ${timezone}.${more}`, 'dim')),
    ]
  },
})

export const plannedColumns: ReadonlyArray<Column<Planned>> = [
  { title: 'day', cell: ({ local }) => `${weekday(local.slice(0, 10))} ${local.slice(0, 10)}` },
  { title: 'time', cell: ({ local }) => local.slice(11) },
  { title: 'status', cell: ({ status }) => status.replaceAll('_', ' '), tone: toneOf },
  { title: 'title', cell: ({ title }) => title, least: 12, enough: 60 },
  { title: 'channel', cell: wayOf, tone: () => 'dim', rank: 1 },
]

function toneOf({ kind, status }: Planned): Tone {
  if (kind === 'publication') return publicationTones[status as Publication['status']]
  return kind === 'mailing' ? mailingTones[status as Mailing['status']] : 'dim'
}

/** How it goes out. */
function wayOf({ kind, channelType }: Planned): string {
  return channelType ?? (kind === 'mailing' ? 'mailing to leads' : 'sequence to leads')
}

/** A heading for each day, and below it what goes out on it. */
export function calendarRows(entries: readonly Planned[]): StyledLine[] {
  const days = Map.groupBy(entries, ({ local }) => local.slice(0, 10))
  return [...days].flatMap(([day, those]) => [
    row(span(`${weekday(day)} ${day}`, 'strong')),
    ...those.map((one) =>
      row(
        `  ${one.local.slice(11)}  `,
        span(one.status.padEnd(10), toneOf(one)),
        `  ${one.title}`,
        span(`  ${wayOf(one)}  ${one.id}`, 'dim'),
      ),
    ),
  ])
}

const weekday = (day: string) =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', { weekday: 'short', timeZone: 'UTC' })
