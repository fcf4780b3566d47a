import { flowText } from '../render/flow.ts'
import { type Column, emptyRow, row, span } from '../render/row.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import type { RequestEntry } from './requests.ts'
import type { Binding, OpenScreen } from './screen.ts'
import { type Scroll, scrolled, scrollRows } from './scroll.ts'
import type { Shell } from './shell.ts'

type Listed = RequestEntry & { id: string }

const columns: ReadonlyArray<Column<Listed>> = [
  { title: 'at', cell: ({ at }) => new Date(at).toTimeString().slice(0, 8), tone: () => 'dim' },
  {
    title: 'outcome',
    cell: ({ outcome }) => outcome ?? '…',
    tone: ({ outcome }) => (outcome === 'ok' || outcome === 'stream' ? 'good' : outcome ? 'bad' : 'dim'),
  },
  {
    title: 'took',
    cell: ({ tookMs }) => (tookMs === undefined ? '·' : `${tookMs} ms`),
    align: 'right',
    tone: () => 'dim',
  },
  { title: 'command', cell: ({ command }) => command, least: 12 },
]

/** The requests of the terminal, the latest first, as equivalent shell commands. */
export const requestsScreen: OpenScreen = (shell) => {
  let list: List<Listed> = listOf<Listed>([])
  const refresh = () => {
    const { entries, made } = shell.requests
    const first = made - entries.length
    list = replaced(
      list,
      entries.map((entry, index) => ({ ...entry, id: String(first + index) })).toReversed(),
    )
    shell.changed()
  }
  refresh()
  return {
    name: 'requests',
    title: () => row(span('requests', 'strong'), span(`  ${shell.requests.made} so far`, 'dim')),
    rows: ({ width, height }) =>
      listRows(list, columns, { width, height, empty: 'There were no requests yet.' }),
    bindings: () => [
      {
        key: 'enter',
        label: 'whole',
        help: 'the whole command',
        run: () => {
          const entry = current(list)
          if (entry) shell.open(requestScreen(entry))
        },
      },
      copyBinding(shell, () => current(list)),
    ],
    onKey(key, { height }) {
      list = moved(list, key, height) ?? list
      return true
    },
    refresh,
    close: () => undefined,
  }
}

function copyBinding(shell: Shell, entry: () => RequestEntry | undefined): Binding {
  return {
    key: 'y',
    label: 'copy',
    help: 'copy the command, if the terminal permits it',
    run: () => {
      const command = entry()?.command
      if (command === undefined) return
      shell.copy(command)
      shell.say('The command is copied', 'good')
    },
  }
}

function requestScreen(entry: RequestEntry): OpenScreen {
  return (shell) => {
    let scroll: Scroll = { top: 0 }
    const { at, outcome, tookMs, command } = entry
    const facts = [
      new Date(at).toISOString(),
      outcome ?? 'in progress',
      ...(tookMs === undefined ? [] : [`${tookMs} ms`]),
    ]
    const linesFor = (width: number) => [
      row(span(facts.join(' · '), 'dim')),
      emptyRow,
      ...flowText(command, width),
    ]
    let lines = linesFor(80)
    return {
      name: 'the request',
      title: () => row(span('a request', 'strong')),
      rows(size) {
        lines = linesFor(size.width)
        return scrollRows(scroll, lines, size)
      },
      bindings: () => [copyBinding(shell, () => entry)],
      onKey(key, { height }) {
        scroll = scrolled(scroll, key, lines.length, height) ?? scroll
        return true
      },
      refresh: () => undefined,
      close: () => undefined,
    }
  }
}
