import { operationsFor } from '../operations/catalogue.ts'
import { isArgument, isRequired, optionName } from '../operations/line.ts'
import type { Named } from '../operations/operation.ts'
import { flowText } from '../paper/flow.ts'
import { emptyRow, type Row, row, span } from '../paper/row.ts'
import { ownCommands } from './meaning.ts'
import { resultScreen } from './result-screen.ts'
import type { OpenScreen } from './screen.ts'

/** Everything that can be written on the command line, and what each takes. */
export const commandHelp: OpenScreen = (shell) =>
  resultScreen('commands', (width) => [
    row(span('Behind a slash or without one. What is no command is asked in plain words.', 'dim')),
    emptyRow,
    ...operationsFor(shell.desk).flatMap((operation) => [
      ...flowText(usageOf(operation), width, undefined, 'accent'),
      ...about(operation.summary, width),
    ]),
    ...Object.entries(ownCommands).flatMap(([name, summary]) => [
      row(span(`/${name}`, 'accent')),
      ...about(summary, width),
    ]),
  ])(shell)

const indent: Row = [span('    ')]
const about = (text: string, width: number) => flowText(text, width, { first: indent, rest: indent })

/** A command with what it takes; what can be left out stands in brackets. */
export function usageOf(operation: Named): string {
  const parts = Object.entries(operation.takes).map(([name, parameter]) => {
    const label = isArgument(parameter)
      ? `<${optionName(name)}>`
      : `--${optionName(name)}${parameter.kind === 'flag' ? '' : ' …'}`
    return isRequired(parameter) ? label : `[${label}]`
  })
  return `/${[operation.name, ...parts].join(' ')}`
}
