import type { Reply } from '@copydesk/client'
import { type Column, emptyRow, type Row, row, span, tableOf, type Tone } from '../paper/row.ts'
import { ageOf, counted } from '../paper/words.ts'
import { operation } from './operation.ts'

export type WorkQueue = Reply<'cli', 'GET /queue'>
export type WorkItem = WorkQueue['pending'][number]

export const workStates = ['pending', 'running', 'blocked', 'failed'] as const

/** The tone of a risk, or of no risk at all. */
export function riskTone(risk: WorkItem['riskLevel']): Tone {
  return risk === 'high' ? 'bad' : risk === 'medium' ? 'warn' : 'dim'
}

/** The columns in which work is listed, on paper and on the screen. */
export function workColumns(now: number): Column<WorkItem>[] {
  return [
    {
      title: 'risk',
      cell: ({ riskLevel }) => riskLevel ?? '·',
      tone: ({ riskLevel }) => riskTone(riskLevel),
    },
    { title: 'age', cell: ({ since }) => ageOf(since, now), align: 'right' },
    { title: 'tenant', cell: ({ tenantName }) => tenantName, least: 8 },
    { title: 'title', cell: ({ title }) => title, least: 16 },
    { title: 'type', cell: ({ type }) => type, tone: () => 'dim', least: 6 },
    { title: 'agent', cell: ({ agentRole }) => agentRole ?? '·', tone: () => 'dim', least: 6 },
  ]
}

export const queue = operation({
  name: 'queue',
  summary: 'show what waits for people, or what runs and what has failed',
  does: 'reads',
  takes: {
    status: { kind: 'choice', choices: [...workStates, 'all'], summary: 'default: pending and blocked' },
    type: { kind: 'text', value: 'type', summary: 'what is made, such as blog_post' },
    agent: { kind: 'text', value: 'role', summary: 'only of this agent', completes: 'role' },
    tenant: { kind: 'text', value: 'id', summary: 'only of this tenant', completes: 'tenant' },
    limit: { kind: 'number', value: 'count', min: 1, max: 200, summary: 'how many at the most (50)' },
    cursor: { kind: 'text', value: 'cursor', summary: 'go on where a list before ended' },
  },
  examples: ['queue', 'queue --status failed --json', 'queue --type blog_post --agent blog_writer'],
  run: (desk, { tenant, ...query }) =>
    desk.client.call('cli', 'GET /queue', { query: { ...query, ...(tenant && { tenantId: tenant }) } }),
  print: (found, { width, now }) => {
    // Where there is little room a title says more than what it is the title of.
    const columns = workColumns(now).filter(({ title }) => width >= 100 || title !== 'type')
    const lines = workStates.flatMap((state): Row[] => {
      const items = found[state]
      if (items.length === 0) return []
      const ids: Column<WorkItem> = { title: 'id', cell: ({ id }) => id, tone: () => 'accent' }
      const title = row(span(state, 'strong'), span(`  ${found.counts[state]}`, 'dim'))
      return [title, ...tableOf([ids, ...columns], items, width), emptyRow]
    })
    const { pending, running, blocked, failed } = found.counts
    const rest = found.pagination.nextCursor ? `, more with --cursor ${found.pagination.nextCursor}` : ''
    const all = `${counted(pending, 'approval')} pending, ${running} running, ${blocked} blocked, ${failed} failed${rest}`
    return [...lines, row(span(all, 'dim'))]
  },
})
