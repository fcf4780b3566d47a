import type { Reply } from '@copydesk/client'
import { type CostPart, costColumns, costGroups } from '../operations/cost.ts'
import { type Column, cutRow, emptyRow, type Row, row, span } from '../paper/row.ts'
import { fit } from '../paper/width.ts'
import { sparkline, usd } from '../paper/words.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { followEvents } from './live.ts'
import type { OpenScreen } from './screen.ts'

type Costs = Reply<'cli', 'GET /cost'>
type Part = CostPart & { id: string }

/** Days that are told one by one. */
const days = 7

/** What agents have cost since the month began, by what it went into, and on the last days. */
export const costScreen: OpenScreen = (shell) => {
  const groups = costGroups.filter((group) => group !== 'tenant' || !shell.desk.tenant)
  let by: (typeof costGroups)[number] = groups[0] ?? 'agent'
  let costs: Costs | undefined
  let list: List<Part> = listOf<Part>([])
  /** Lines that the days leave for the list. */
  let room = 1
  const stop = new AbortController()

  const refresh = () =>
    void shell.attempt(async () => {
      const groupBy = by
      const found = await shell.client.call('cli', 'GET /cost', {
        query: { groupBy, ...(shell.tenantId !== undefined && { tenantId: shell.tenantId }) },
        signal: stop.signal,
      })
      // Somebody has turned to another view.
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
      const empty = costs ? 'Nothing has cost anything yet.' : 'Asking the server …'
      room = height - lower.length
      const upper = listRows(list, columnsFor(list.items, width, shell.desk.tenant !== undefined), {
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
        help: 'the same, the other way round',
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

/** With a bar for each part where there is room, as long as its share of the greatest. */
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
  // Runs and tokens are told to staff.
  return [label, cost, share, bar, ...(isShort ? [] : rest)]
}

/** The last days, each with its date where there is room for that. */
function dayRows({ dailySeries }: Costs, width: number, height: number): Row[] {
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
