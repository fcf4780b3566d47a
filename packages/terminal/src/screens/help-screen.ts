import { operationsFor } from '../operations/catalogue.ts'
import { isArgument, isRequired, optionName } from '../operations/invocation.ts'
import type { OperationBase } from '../operations/operation.ts'
import { flowText } from '../render/flow.ts'
import { emptyRow, row, type StyledLine, span } from '../render/row.ts'
import { fit } from '../render/width.ts'
import { keyLabel } from './frame.ts'
import { ownCommands } from './parse-input.ts'
import { type Binding, bindingsOf, type OpenScreen } from './screen.ts'
import { resultScreen, type Scroll, scrolled, scrollRows } from './scroll.ts'

/** Keys that move in every list. */
const moving: ReadonlyArray<[keys: string, meaning: string]> = [
  ['↑↓ jk', 'one line'],
  ['pgup pgdn', 'one page, as ^b ^f'],
  ['g G', 'first and last, like home and end'],
]

/**
 * The keys of the screen below, and the commands of the command line.
 * @param everywhere keys that work on every screen
 */
export function helpScreen(everywhere: readonly Binding[]): OpenScreen {
  return (shell) => {
    const below = shell.screens.at(-1)
    const linesFor = (width: number): StyledLine[] => [
      row(span(below ? `Keys on ${below.name}` : 'Keys', 'strong')),
      ...bindingsOf(shell, below).flatMap(({ key, label, help }) =>
        entry(keyLabel(key), help ?? label, width),
      ),
      ...moving.flatMap(([keys, meaning]) => entry(keys, meaning, width)),
      emptyRow,
      row(span('Keys everywhere', 'strong')),
      ...everywhere.flatMap(({ key, label, help }) => entry(keyLabel(key), help ?? label, width)),
      emptyRow,
      row(span('Commands, after : or /', 'strong')),
      ...operationsFor(shell.context).flatMap(({ name, summary }) => entry(`/${name}`, summary, width)),
    ]
    let scroll: Scroll = { top: 0 }
    let lines: StyledLine[] = []
    return {
      name: 'help',
      title: () => row(span('help', 'strong')),
      rows(size) {
        lines = linesFor(size.width)
        return scrollRows(scroll, lines, size)
      },
      bindings: () => [],
      onKey(key, size) {
        scroll = scrolled(scroll, key, lines.length, size.height) ?? scroll
        return true
      },
      refresh: () => undefined,
      close: () => undefined,
    }
  }
}

function entry(key: string, meaning: string, width: number): StyledLine[] {
  return flowText(meaning, width, {
    first: [span(`  ${fit(key, 16)} `, 'accent')],
    rest: [span(' '.repeat(19))],
  })
}

/** All commands of the command line, with their parameters. */
export const commandHelp: OpenScreen = (shell) =>
  resultScreen('commands', (width) => [
    row(span('With or without a slash. Anything that is not a command is asked in plain words.', 'dim')),
    emptyRow,
    ...operationsFor(shell.context).flatMap((operation) => [
      ...flowText(usageOf(operation), width, undefined, 'accent'),
      ...about(operation.summary, width),
    ]),
    ...Object.entries(ownCommands).flatMap(([name, summary]) => [
      row(span(`/${name}`, 'accent')),
      ...about(summary, width),
    ]),
  ])(shell)

const indent: StyledLine = [span('    ')]
const about = (text: string, width: number) => flowText(text, width, { first: indent, rest: indent })

/** A command with its parameters; optional ones are in brackets. */
export function usageOf(operation: OperationBase): string {
  const parts = Object.entries(operation.params).map(([name, parameter]) => {
    const label = isArgument(parameter)
      ? `<${optionName(name)}>`
      : `--${optionName(name)}${parameter.kind === 'flag' ? '' : ' …'}`
    return isRequired(parameter) ? label : `[${label}]`
  })
  return `/${[operation.name, ...parts].join(' ')}`
}
