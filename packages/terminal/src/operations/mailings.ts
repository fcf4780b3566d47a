import type { Reply } from '@copydesk/client'
import { type Column, columnsFitting, row, type StyledLine, span, type Tone, tableOf } from '../render/row.ts'
import { instantForms, instantOf } from './instant.ts'
import { leadFilter } from './leads.ts'
import { operation } from './operation.ts'
import { cursor, limit, more } from './paging.ts'

export type Mailing = Reply<'dashboard', 'GET /mailings/:mailingId'>

export const mailingTones: Readonly<Record<Mailing['status'], Tone>> = {
  scheduled: 'plain',
  sending: 'accent',
  paused: 'warn',
  sent: 'good',
  cancelled: 'dim',
}

const minute = (instant: string) => instant.slice(0, 16).replace('T', ' ')
const outOf = ({ mails: { sent, failed, unknown } }: Mailing) =>
  [`${sent} sent`, failed > 0 && `${failed} failed`, unknown > 0 && `${unknown} unknown`]
    .filter(Boolean)
    .join(', ')

const columns: ReadonlyArray<Column<Mailing>> = [
  { title: 'id', cell: ({ id }) => id, tone: () => 'accent' },
  { title: 'when (UTC)', cell: ({ scheduledFor, createdOn }) => minute(scheduledFor ?? createdOn) },
  { title: 'status', cell: ({ status }) => status, tone: ({ status }) => mailingTones[status] },
  { title: 'subject', cell: ({ subject }) => subject, least: 12, enough: 40 },
  { title: 'mails', cell: outOf, least: 8, rank: 1 },
]

const id = { kind: 'argument', required: true, summary: 'id of the mailing' } as const
const newsletter = {
  kind: 'argument',
  required: true,
  summary: 'id of the activity of a newsletter',
} as const
const example = '01J9ZX6T4QH8C3V5N7M2K0B1AD'

export const mailingList = operation({
  name: 'mailing list',
  summary: 'list newsletters on their way to leads, and those that have gone out, the newest first',
  effect: 'reads',
  audience: ['admin', 'member'],
  params: { limit, cursor },
  examples: ['mailing list', 'mailing list --json'],
  run: ({ client }, query) => client.call('dashboard', 'GET /mailings', { query }),
  print: (found, { width }) =>
    found.data.length === 0
      ? [row(span('No mailings.', 'dim'))]
      : [...tableOf(columnsFitting(columns, found.data, width), found.data, width), ...more(found)],
})

export const mailingShow = operation({
  name: 'mailing show',
  summary: 'show a mailing: to whom it goes, and how far it is',
  effect: 'reads',
  audience: ['admin', 'member'],
  params: { id },
  examples: [`mailing show ${example}`],
  run: ({ client }, { id: mailingId }) =>
    client.call('dashboard', 'GET /mailings/:mailingId', { params: { mailingId } }),
  print: mailingRows,
})

export const mailingTest = operation({
  name: 'mailing test',
  summary: 'mail the newest text of a newsletter to yourself, as leads would get it',
  effect: 'steers',
  audience: ['admin', 'member'],
  params: { activity: newsletter },
  examples: [`mailing test ${example}`],
  run: ({ client }, { activity: activityId }) =>
    client.call('dashboard', 'POST /activities/:activityId/test-mail', { params: { activityId } }),
  print: ({ to, subject }) => [row(span('✔ ', 'good'), `“${subject}” goes to ${to}`)],
})

export const mailingStart = operation({
  name: 'mailing start',
  summary: 'send an approved newsletter to the leads, each of them once',
  effect: 'decides',
  audience: ['admin'],
  params: {
    activity: newsletter,
    status: leadFilter.status,
    source: leadFilter.source,
    tag: { kind: 'text', value: 'tag', summary: 'only leads with this tag' },
    at: { kind: 'text', value: 'when', summary: `${instantForms}; without it at once` },
  },
  examples: [
    `mailing start ${example} --tag club`,
    `mailing start ${example} --at 2026-04-11T09:00:00Z --yes`,
  ],
  run: ({ client, now }, { activity: activityId, status, source, tag, at }) => {
    const audience = {
      ...(status && { statuses: [status] }),
      ...(source && { sources: [source] }),
      ...(tag !== undefined && { tag }),
    }
    return client.call('dashboard', 'POST /mailings', {
      body: {
        activityId,
        ...(Object.keys(audience).length > 0 && { audience }),
        ...(at !== undefined && { scheduleFor: instantOf('at', at, now()) }),
      },
    })
  },
  print: mailingRows,
})

export const mailingPause = operation({
  name: 'mailing pause',
  summary: 'stop a mailing where it is',
  effect: 'steers',
  audience: ['admin'],
  params: { id },
  examples: [`mailing pause ${example}`],
  run: ({ client }, { id: mailingId }) =>
    client.call('dashboard', 'POST /mailings/:mailingId/pause', { params: { mailingId } }),
  print: mailingRows,
})

export const mailingResume = operation({
  name: 'mailing resume',
  summary: 'go on with a mailing that is paused; nobody gets it twice',
  effect: 'steers',
  audience: ['admin'],
  params: { id },
  examples: [`mailing resume ${example}`],
  run: ({ client }, { id: mailingId }) =>
    client.call('dashboard', 'POST /mailings/:mailingId/resume', { params: { mailingId } }),
  print: mailingRows,
})

export const mailingCancel = operation({
  name: 'mailing cancel',
  summary: 'end a mailing: who has not got it does not get it',
  effect: 'decides',
  audience: ['admin'],
  params: { id },
  examples: [`mailing cancel ${example}`],
  run: ({ client }, { id: mailingId }) =>
    client.call('dashboard', 'POST /mailings/:mailingId/cancel', { params: { mailingId } }),
  print: mailingRows,
})

export function mailingRows(mailing: Mailing): StyledLine[] {
  const { id: own, subject, status, scheduledFor, recipients, approvedBy, activityId } = mailing
  const { waiting, done, stopped } = recipients
  return [
    row(span(subject, 'strong'), span(`  ${own}`, 'accent')),
    row(
      span(status, mailingTones[status]),
      span(`  to ${audienceOf(mailing)}, activity ${activityId}`, 'dim'),
    ),
    ...(scheduledFor && status === 'scheduled' ? [row(`For ${minute(scheduledFor)} UTC`)] : []),
    row(`${outOf(mailing)}; leads: ${waiting} waiting, ${done} done, ${stopped} left out`),
    ...(approvedBy === null ? [] : [row(span(`Approved by ${approvedBy}`, 'dim'))]),
  ]
}

function audienceOf({ audience: { statuses, sources, tag } }: Mailing): string {
  const parts = [
    ...statuses,
    ...sources.map((source) => `from ${source}`),
    ...(tag === null ? [] : [`#${tag}`]),
  ]
  return parts.length === 0 ? 'all leads' : `leads: ${parts.join(', ')}`
}
