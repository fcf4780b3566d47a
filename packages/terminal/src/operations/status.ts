import type { Reply } from '@copydesk/client'
import { type Column, emptyRow, row, type StyledLine, span, tableOf } from '../render/row.ts'
import { counted, sparkline, usd } from '../render/words.ts'
import { operation } from './operation.ts'
import { onlyTenant } from './paging.ts'

export type Status = Reply<'cli', 'GET /status'>
type OfTenant = Status['tenants'][number]
type Service = Status['infrastructure'][number]

const some = (count: number) => (count === 0 ? '·' : String(count))

/** The columns of lists of tenants, in commands and on the screen. */
export const statusColumns: ReadonlyArray<Column<OfTenant>> = [
  { title: 'tenant', cell: ({ tenantName }) => tenantName, least: 12, enough: 24 },
  {
    title: 'waiting',
    cell: ({ pendingApprovals }) => some(pendingApprovals),
    align: 'right',
    tone: ({ pendingApprovals }) => (pendingApprovals > 0 ? 'warn' : 'dim'),
  },
  {
    title: 'high',
    cell: ({ highRiskApprovals }) => some(highRiskApprovals),
    align: 'right',
    tone: ({ highRiskApprovals }) => (highRiskApprovals > 0 ? 'bad' : 'dim'),
  },
  { title: 'running', cell: ({ runningAgents }) => some(runningAgents), align: 'right', rank: 1 },
  {
    title: 'blocked',
    cell: ({ blockedActivities }) => some(blockedActivities),
    align: 'right',
    tone: ({ blockedActivities }) => (blockedActivities > 0 ? 'bad' : 'dim'),
  },
  { title: 'month', cell: ({ costMtd }) => usd(costMtd), align: 'right', rank: 1 },
  { title: 'cost', cell: ({ costByDay }) => sparkline(costByDay), tone: () => 'dim', least: 7, rank: 2 },
  { title: 'done', cell: ({ doneByDay }) => sparkline(doneByDay), tone: () => 'good', least: 7, rank: 3 },
]

/** Without the columns that a tenant's users do not get. */
function columnsFor(tenants: readonly OfTenant[]): ReadonlyArray<Column<OfTenant>> {
  const areDaysTold = tenants.some(({ doneByDay }) => doneByDay.length > 0)
  return areDaysTold ? statusColumns : statusColumns.filter(({ title }) => title !== 'done')
}

const serviceColumns: ReadonlyArray<Column<Service>> = [
  { title: 'service', cell: ({ service }) => service },
  {
    title: 'state',
    cell: ({ status }) => status,
    tone: ({ status }) => (status === 'healthy' ? 'good' : status === 'degraded' ? 'warn' : 'bad'),
  },
  {
    title: 'answers in',
    cell: ({ latencyMs }) => (latencyMs === null ? '·' : `${latencyMs} ms`),
    align: 'right',
  },
  { title: '', cell: ({ detail }) => detail ?? '', tone: () => 'dim', least: 10 },
]

export const status = operation({
  name: 'status',
  summary: 'show pending approvals, runs and cost of every tenant, and the health of the installation',
  effect: 'reads',
  audience: ['staff', 'admin', 'member'],
  params: {
    tenant: onlyTenant,
    all: { kind: 'flag', summary: 'every tenant, also those without activity (default)' },
    busy: { kind: 'flag', summary: 'only tenants with pending approvals or runs' },
  },
  examples: ['status', 'status --busy --json'],
  run: (context, { tenant, all, busy }) =>
    context.client.call('cli', 'GET /status', {
      query: { ...(tenant !== undefined && { tenantId: tenant }), ...(busy && !all && { all: false }) },
    }),
  print: ({ tenants, totals, infrastructure }, { width }): StyledLine[] => {
    const { pendingApprovals, runningAgents, blockedActivities, costMtd } = totals
    const all = [
      `${counted(pendingApprovals, 'approval')} waiting`,
      `${runningAgents} running`,
      `${blockedActivities} blocked`,
      `${usd(costMtd)} this month`,
    ]
    return [
      ...(tenants.length > 0 ? [...tableOf(columnsFor(tenants), tenants, width), emptyRow] : []),
      row(span(all.join(', '), 'strong')),
      ...(infrastructure.length > 0 ? [emptyRow, ...tableOf(serviceColumns, infrastructure, width)] : []),
    ]
  },
})
