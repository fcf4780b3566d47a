import type { Reply } from '@copydesk/client'
import { type Column, emptyRow, row, span, tableOf } from '../render/row.ts'
import { sparkline, usd } from '../render/words.ts'
import { operation } from './operation.ts'
import { ofTenant, onlyTenant } from './paging.ts'

type Told = Reply<'cli', 'GET /cost'>['breakdown'][number]
type OfStaff = 'runs' | 'inputTokens' | 'outputTokens'
/** Whether runs and tokens are known, which only staff can see. */
export type CostPart = Omit<Told, OfStaff> & Partial<Pick<Told, OfStaff>>

export const costGroups = ['tenant', 'agent', 'model', 'campaign'] as const

/** The columns of lists of costs, in commands and on the screen. */
export const costColumns: ReadonlyArray<Column<CostPart>> = [
  { title: 'for', cell: ({ label }) => label, least: 12 },
  { title: 'cost', cell: ({ costUsd }) => usd(costUsd), align: 'right' },
  { title: '%', cell: ({ pct }) => pct.toFixed(1), align: 'right', tone: () => 'dim' },
  { title: 'runs', cell: ({ runs }) => String(runs ?? '·'), align: 'right' },
  {
    title: 'tokens in',
    cell: ({ inputTokens }) => String(inputTokens ?? '·'),
    align: 'right',
    tone: () => 'dim',
  },
  {
    title: 'out',
    cell: ({ outputTokens }) => String(outputTokens ?? '·'),
    align: 'right',
    tone: () => 'dim',
  },
]

export const cost = operation({
  name: 'cost',
  summary: 'show the cost of agents, by default of this month',
  effect: 'reads',
  audience: ['staff', 'admin', 'member'],
  params: {
    tenant: onlyTenant,
    from: { kind: 'text', value: 'day', summary: 'from this day on, such as 2026-04-01' },
    to: { kind: 'text', value: 'day', summary: 'until the end of this day' },
    by: { kind: 'choice', choices: costGroups, summary: 'default: tenant' },
  },
  examples: ['cost', 'cost --by model --from 2026-04-01 --to 2026-04-30'],
  run: (context, { tenant, from, to, by }) =>
    context.client.call('cli', 'GET /cost', {
      query: {
        ...ofTenant(tenant),
        ...(from !== undefined && { startDate: from }),
        ...(to !== undefined && { endDate: to }),
        ...(by && { groupBy: by }),
      },
    }),
  print: ({ totalUsd, breakdown, dailySeries }, { width }) => {
    const first = dailySeries[0]?.date
    const last = dailySeries.at(-1)?.date
    const days = sparkline(dailySeries.slice(-width).map(({ costUsd }) => costUsd))
    return [
      row(span(usd(totalUsd), 'strong'), first && last ? span(`  ${first} to ${last}`, 'dim') : ''),
      row(span(days, 'dim')),
      ...(breakdown.length > 0 ? [emptyRow, ...tableOf(costColumns, breakdown, width)] : []),
    ]
  },
})
