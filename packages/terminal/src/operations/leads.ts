import type { Reply } from '@copydesk/client'
import {
  type Column,
  columnsFitting,
  emptyRow,
  row,
  type StyledLine,
  span,
  type Tone,
  tableOf,
} from '../render/row.ts'
import { operation } from './operation.ts'
import { cursor, limit, more } from './paging.ts'

export type LeadItem = Reply<'dashboard', 'GET /leads'>['data'][number]
type Lead = Reply<'dashboard', 'GET /leads/:leadId'>

const tones: Readonly<Record<LeadItem['status'], Tone>> = {
  new: 'warn',
  contacted: 'plain',
  qualified: 'good',
  unqualified: 'dim',
  converted: 'good',
}

/** Which leads are meant, in lists and exports. */
export const leadFilter = {
  status: {
    kind: 'choice',
    choices: ['new', 'contacted', 'qualified', 'unqualified', 'converted'],
    summary: 'only leads with this status',
  },
  source: {
    kind: 'choice',
    choices: ['form', 'search_ads', 'social_ads', 'manual', 'import'],
    summary: 'only leads from this source',
  },
  search: {
    kind: 'text',
    value: 'text',
    summary: 'only leads with words of their name or e-mail address that begin so',
  },
} as const

interface Filter {
  status: LeadItem['status'] | undefined
  source: LeadItem['source'] | undefined
  search: string | undefined
}

/** The query of requests that take the filter. */
export function filterQuery({ status, source, search }: Filter) {
  return {
    ...(status && { 'filter.status': status }),
    ...(source && { 'filter.source': source }),
    ...(search !== undefined && { search }),
  }
}

export const nameOf = ({ firstName, lastName }: Pick<LeadItem, 'firstName' | 'lastName'>) =>
  `${firstName} ${lastName}`.trim() || '·'

const columns: ReadonlyArray<Column<LeadItem>> = [
  { title: 'id', cell: ({ id }) => id, tone: () => 'accent' },
  { title: 'name', cell: nameOf, least: 12, enough: 24 },
  { title: 'e-mail', cell: ({ email }) => email ?? '·', least: 12, enough: 24 },
  { title: 'phone', cell: ({ phone }) => phone ?? '·', least: 8, rank: 2 },
  { title: 'company', cell: ({ company }) => company ?? '·', least: 8, rank: 3 },
  { title: 'status', cell: ({ status }) => status, tone: ({ status }) => tones[status] },
  { title: 'source', cell: ({ source }) => source, rank: 1 },
]

export const leadList = operation({
  name: 'lead list',
  summary: 'list leads, the newest first',
  effect: 'reads',
  audience: ['admin', 'member'],
  params: { ...leadFilter, limit, cursor },
  examples: ['lead list --status new', 'lead list --search "ann shop.example" --json'],
  run: ({ client }, { status, source, search, ...query }) =>
    client.call('dashboard', 'GET /leads', {
      query: { ...query, ...filterQuery({ status, source, search }) },
    }),
  print: (found, { width }) =>
    found.data.length === 0
      ? [row(span('No leads.', 'dim'))]
      : [...tableOf(columnsFitting(columns, found.data, width), found.data, width), ...more(found)],
})

export const leadShow = operation({
  name: 'lead show',
  summary: 'show a lead with what has happened to it, the latest first',
  effect: 'reads',
  audience: ['admin', 'member'],
  params: { id: { kind: 'argument', required: true, summary: 'id of the lead' } },
  examples: ['lead show 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: ({ client }, { id }) => client.call('dashboard', 'GET /leads/:leadId', { params: { leadId: id } }),
  print: (lead) => [...factsOf(lead), emptyRow, ...lead.timeline.flatMap(entryRows)],
})

export const leadConsent = operation({
  name: 'lead consent',
  summary: 'note what a lead has told you about getting messages; it stays in the timeline',
  effect: 'steers',
  audience: ['admin', 'member'],
  params: {
    id: { kind: 'argument', required: true, summary: 'id of the lead' },
    said: {
      kind: 'choice',
      choices: ['agreed', 'declined'],
      required: true,
      summary: 'declined: no more messages go to this lead',
    },
    note: {
      kind: 'text',
      value: 'text',
      required: true,
      summary: 'how you know, such as “told me by phone”',
    },
  },
  examples: ['lead consent 01J9ZX6T4QH8C3V5N7M2K0B1AD --said declined --note "told me by phone"'],
  run: ({ client }, { id, said, note }) =>
    client.call('dashboard', 'PATCH /leads/:leadId', {
      params: { leadId: id },
      body: { consent: { kind: said, note } },
    }),
  print: (lead) => [row(span('✔ ', 'good'), `noted for ${nameOf(lead)}  `, span(lead.id, 'accent'))],
})

function factsOf(lead: Lead): StyledLine[] {
  const { id, status, source, sourceRef, score, assignedTo, tags, email, phone, company } = lead
  const from = sourceRef === undefined ? source : `${source}: ${sourceRef}`
  const more = [
    score !== undefined && `score ${score}`,
    assignedTo && `assigned to ${assignedTo.name}`,
    tags.length > 0 && tags.join(', '),
  ]
  return [
    row(span(nameOf(lead), 'strong'), span(`  ${id}`, 'accent')),
    row(span(status, tones[status]), span(`  ${[from, ...more].filter(Boolean).join(', ')}`, 'dim')),
    row([email, phone, company].filter(Boolean).join('  ')),
  ]
}

function entryRows({ at, actor, text }: Lead['timeline'][number]): StyledLine[] {
  const [first = '', ...others] = text.split('\n')
  return [
    row(span(`${at.slice(0, 16).replace('T', ' ')}  ${actor.name}  `, 'dim'), first),
    ...others.map((line) => row(`  ${line}`)),
  ]
}
