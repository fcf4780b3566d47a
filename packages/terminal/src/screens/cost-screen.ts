import type { Reply } from '@copydesk/client'
import { type CostPart, costColumns, costGroups } from '../operations/cost.ts'
import { type Column, cutRow, emptyRow, row, type StyledLine, span } from '../render/row.ts'
import { fit } from '../render/width.ts'
import { sparkline, usd } from '../render/words.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { followEvents } from './live.ts'
import type { OpenScreen } from './screen.ts'

type Costs = Reply<'cli', 'GET /cost'>
type Part = CostPart & { id: string }

/** Days that are listed one by one. */
const days = 7

/** The cost of this month, by group, and of the last days. */
export const costScreen: OpenScreen = (shell) => {
  const groups = costGroups.filter((group) => group !== 'tenant' || !shell.context.tenant)
  let by: (typeof costGroups)[number] = groups[0] ?? 'agent'
  let costs: Costs | undefined
  let list: List<Part> = listOf<Part>([])
  /** Lines that the list gets besides the days. */
  let room = 1
  const stop = new AbortController()

  const refresh = () =>
    void shell.attempt(async () => {
      const groupBy = by
      const found = await shell.client.call('cli', 'GET /cost', {
        query: { groupBy, ...(shell.tenantId !== undefined && { tenantId: shell.tenantId }) },
        signal: stop.signal,
      })
      // The user has switched to another grouping.
      if (groupBy !== by) return
      costs = found
      list = replaced(
        list,
        found.breakdown.map((part) => ({ ...part, id: part.key })),
      )
      shell.changed()
    })
  const turn = (step: number) => {
    by = groups[(groups.indexOf(by) + step + groups.length) % groups.length] ?? by
    list = listOf<Part>([])
    costs = undefined
    refresh()
  }

  refresh()
  followEvents(shell, stop.signal, refresh)
  return {
    name: 'cost',
    title: () =>
      row(span(costs ? `${usd(costs.totalUsd)} this month` : 'cost', 'strong'), span(`  by ${by}`, 'accent')),
    rows: ({ width, height }) => {
      const lower = costs ? dayRows(costs, width, height) : []
      const empty = costs ? 'There is no cost yet.' : 'Loading …'
      room = height - lower.length
      const upper = listRows(list, columnsFor(list.items, width, shell.context.tenant !== undefined), {
        width,
        height: room,
        empty,
      })
      return [...upper, ...lower]
    },
    bindings: () => [
      { key: 'tab', label: 'by', help: `by ${groups.join(', ')}`, run: () => turn(1) },
      {
        key: 'shift+tab',
        label: 'by',
        help: 'the same, in reverse order',
        quiet: true,
        run: () => turn(-1),
      },
    ],
    onKey(key) {
      list = moved(list, key, room) ?? list
      return current(list) !== undefined
    },
    refresh,
    close: () => stop.abort(),
  }
}

/** With a bar for each part when there is room, proportional to the largest. */
function columnsFor(items: readonly Part[], width: number, isShort: boolean): ReadonlyArray<Column<Part>> {
  const most = items.reduce((highest, { costUsd }) => Math.max(highest, costUsd), 0)
  const room = Math.min(20, Math.floor(width / 5))
  const bar: Column<Part> = {
    title: '',
    cell: ({ costUsd }) => fit('█'.repeat(most === 0 ? 0 : Math.ceil((costUsd / most) * room)), room),
    tone: () => 'accent',
  }
  const [label, cost, share, ...rest] = costColumns
  if (!label || !cost || !share) return costColumns
  // Only staff get runs and tokens.
  return [label, cost, share, bar, ...(isShort ? [] : rest)]
}

/** The last days, each with its date when there is room. */
function dayRows({ dailySeries }: Costs, width: number, height: number): StyledLine[] {
  const all = row(span('month ', 'dim'), sparkline(dailySeries.map(({ costUsd }) => costUsd)))
  if (height < days + 8) return [cutRow(all, width)]
  const last = dailySeries.slice(-days)
  const most = last.reduce((highest, { costUsd }) => Math.max(highest, costUsd), 0)
  const room = Math.min(40, width - 24)
  return [
    emptyRow,
    cutRow(all, width),
    ...last.toReversed().map(({ date, costUsd }) => {
      const bar = '█'.repeat(most === 0 ? 0 : Math.ceil((costUsd / most) * room))
      return row(span(`${date}  `, 'dim'), fit(usd(costUsd), 10, 'right'), span(`  ${bar}`, 'accent'))
    }),
  ]
}
