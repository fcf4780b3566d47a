import { operationsFor } from '../operations/catalogue.ts'
import { isArgument, isRequired, optionName } from '../operations/invocation.ts'
import type { OperationBase } from '../operations/operation.ts'
import { flowText } from '../render/flow.ts'
import { emptyRow, row, type StyledLine, span } from '../render/row.ts'
import { ownCommands } from './parse-input.ts'
import { resultScreen } from './result-screen.ts'
import type { OpenScreen } from './screen.ts'

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
