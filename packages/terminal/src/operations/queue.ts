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
import { ageOf, counted } from '../render/words.ts'
import { operation } from './operation.ts'
import { onlyTenant } from './paging.ts'

export type WorkQueue = Reply<'cli', 'GET /queue'>
export type WorkItem = WorkQueue['pending'][number]

export const workStates = ['pending', 'running', 'blocked', 'failed'] as const

/** The tone of a risk, or of none. */
export function riskTone(risk: WorkItem['riskLevel']): Tone {
  return risk === 'high' ? 'bad' : risk === 'medium' ? 'warn' : 'dim'
}

/**
 * The columns of the queue, in commands and on the screen; with the campaign when any of `items` has one.
 * @param titled width that the title gets before columns of a lower rank are shown
 */
export function workColumns(now: number, items: readonly WorkItem[], titled = 36): Column<WorkItem>[] {
  const columns: Column<WorkItem>[] = [
    {
      title: 'risk',
      cell: ({ riskLevel }) => riskLevel ?? '·',
      tone: ({ riskLevel }) => riskTone(riskLevel),
    },
    { title: 'age', cell: ({ since }) => ageOf(since, now), align: 'right', rank: 1 },
    { title: 'tenant', cell: ({ tenantName }) => tenantName, least: 8, enough: 14, rank: 2 },
    { title: 'title', cell: ({ title }) => title, least: 10, enough: titled },
    { title: 'campaign', cell: ({ campaignName }) => campaignName ?? '·', least: 10, enough: 12, rank: 3 },
    { title: 'type', cell: ({ type }) => type, tone: () => 'dim', least: 6, enough: 12, rank: 4 },
    {
      title: 'agent',
      cell: ({ agentRole }) => agentRole ?? '·',
      tone: () => 'dim',
      least: 6,
      enough: 12,
      rank: 5,
    },
  ]
  const isOfCampaigns = items.some(({ campaignName }) => campaignName !== null)
  return isOfCampaigns ? columns : columns.filter(({ title }) => title !== 'campaign')
}

export const queue = operation({
  name: 'queue',
  summary: 'list pending and blocked activities, or those with another status',
  effect: 'reads',
  audience: ['staff', 'admin', 'member'],
  params: {
    status: { kind: 'choice', choices: [...workStates, 'all'], summary: 'default: pending and blocked' },
    type: { kind: 'text', value: 'type', summary: 'type of the deliverable, such as blog_post' },
    agent: { kind: 'text', value: 'role', summary: 'only of this agent', completes: 'role' },
    tenant: onlyTenant,
    limit: { kind: 'number', value: 'count', min: 1, max: 200, summary: 'maximum number of items (50)' },
    cursor: { kind: 'text', value: 'cursor', summary: 'continue at this cursor of a previous list' },
  },
  examples: ['queue', 'queue --status failed --json', 'queue --type blog_post --agent blog_writer'],
  run: (context, { tenant, ...query }) =>
    context.client.call('cli', 'GET /queue', { query: { ...query, ...(tenant && { tenantId: tenant }) } }),
  print: (found, { width, now }) => {
    const lines = workStates.flatMap((state): StyledLine[] => {
      const items = found[state]
      if (items.length === 0) return []
      const ids: Column<WorkItem> = { title: 'id', cell: ({ id }) => id, tone: () => 'accent' }
      const title = row(span(state, 'strong'), span(`  ${found.counts[state]}`, 'dim'))
      // Beside an id there is less room for a title.
      const columns = columnsFitting([ids, ...workColumns(now, items, 24)], items, width)
      return [title, ...tableOf(columns, items, width), emptyRow]
    })
    const { pending, running, blocked, failed } = found.counts
    const rest = found.pagination.nextCursor ? `, more with --cursor ${found.pagination.nextCursor}` : ''
    const all = `${counted(pending, 'approval')} pending, ${running} running, ${blocked} blocked, ${failed} failed${rest}`
    return [...lines, row(span(all, 'dim'))]
  },
})
