import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { followings, operations } from '../operations/catalogue.ts'
import { isArgument, optionName, takesIds, valueOf } from '../operations/line.ts'
import type { AnyFollowing, AnyOperation, Named, Parameter } from '../operations/operation.ts'
import { accountCommands } from './account-commands.ts'
import { mcpCommand } from '../mcp/command.ts'
import { apiCommand } from './api-command.ts'
import { consentCommands } from './consent-commands.ts'
import { completionCommands } from './completion-commands.ts'
import { everyday } from './everyday.ts'
import { example } from './help.ts'
import { groupOf, type OnMachine } from './on-machine.ts'

export type { MachineDesk, OnMachine } from './on-machine.ts'

/**
 * The commands that talk to a server, made of the operations. What they need is loaded when they run, so that help and
 * mistakes answer at once.
 * @param machine how those that operators run on the machine as well are run there; absent: they work on a server only
 */
export function registerCommands(program: Command, machine?: OnMachine): void {
  program.option('--profile <name>', 'server and credential to use (default: those of the last login)')
  for (const operation of operations) operationCommand(program, operation, machine)
  for (const followed of followings) followingCommand(program, followed)
  apiCommand(program)
  terminalCommand(program)
  mcpCommand(program)
  consentCommands(program)
  accountCommands(program)
  completionCommands(program)
}

function operationCommand(program: Command, operation: AnyOperation, machine: OnMachine | undefined): void {
  const command = commandOf(program, operation)
  if (operation.does === 'reads' && operation.name !== 'ask')
    command.addOption(
      new Option('--watch [seconds]', 'show it again and again, by default every 5 seconds').argParser(
        seconds,
      ),
    )
  if (operation.does === 'decides') command.option('--yes', 'do not ask')
  if (operation.name === 'ask') command.option('--yes', 'run the command that is proposed, without asking')
  if (operation.name === 'approve')
    command
      .option('--edit', 'change the text first, in the program that $EDITOR names')
      .option('--fresh', 'with --edit: discard your draft and begin with the text as it is')
  if (operation.audience?.includes('operator'))
    command.option('--tenant <tenant>', 'whose, on the machine of the server: id, domain or name')
  command.action(async () => {
    if (operation.audience?.includes('operator')) {
      const { runWhere } = await import('./run-where.ts')
      return runWhere(operation, command, machine)
    }
    const { runCommand } = await import('./run-command.ts')
    await asTypedHere(operation, () => runCommand(operation, command))
  })
}

function followingCommand(program: Command, followed: AnyFollowing): void {
  const command = commandOf(program, followed)
  command.action(async () => {
    const { followCommand } = await import('./follow-command.ts')
    await asTypedHere(followed, () => followCommand(followed, command))
  })
}

/** What a server refuses is told of what was typed, not of what was sent. */
async function asTypedHere(operation: Named, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    const { asTyped } = await import('../operations/refused.ts')
    throw asTyped(operation, error)
  }
}

/** A command with the arguments, the options and the examples of what it stands for. */
function commandOf(program: Command, { name, summary, takes, examples }: Named): Command {
  const [first = name, second] = name.split(' ')
  const command = (second === undefined ? program : groupOf(program, first))
    .command(second ?? first)
    .description(summary)
  if (second === undefined) command.helpGroup(everyday)
  for (const [parameterName, parameter] of Object.entries(takes)) {
    if (isArgument(parameter)) command.addArgument(argumentOf(parameterName, parameter))
    else command.addOption(optionOf(parameterName, parameter))
  }
  return command.addHelpText('after', example(...examples.map((line) => `copydesk ${line}`)))
}

function argumentOf(name: string, parameter: Parameter): Argument {
  const isOptional = parameter.kind === 'argument' && !parameter.required
  const spelled = optionName(name) + (parameter.kind === 'arguments' ? '...' : '')
  const fromStdin = takesIds(parameter) ? '; `-` reads them from stdin, one a line' : ''
  const argument = new Argument(isOptional ? `[${spelled}]` : `<${spelled}>`, parameter.summary + fromStdin)
  return 'choices' in parameter ? argument.choices(parameter.choices) : argument
}

function optionOf(name: string, parameter: Parameter): Option {
  const value =
    parameter.kind === 'flag' ? '' : ` <${'value' in parameter ? parameter.value : optionName(name)}>`
  const option = new Option(`--${optionName(name)}${value}`, parameter.summary)
  if ('choices' in parameter) option.choices(parameter.choices)
  if (parameter.kind !== 'choices' && parameter.kind !== 'list') return option
  // The first time there is none before.
  return option.argParser<string[] | undefined>((text, before) => {
    try {
      return [...(before ?? []), ...(valueOf(name, parameter, text) as string[])]
    } catch (error) {
      throw new InvalidArgumentError(`It ${(error as Error).message.replace(/^--\S+ /, '')}.`)
    }
  })
}

function terminalCommand(program: Command): void {
  program
    .command('terminal')
    .description('open the terminal client; `copydesk` alone does the same')
    .helpGroup(everyday)
    .addHelpText('after', example('copydesk terminal'))
    .action(async (_options, command: Command) => {
      const { openClient } = await import('./open-client.ts')
      await openClient(command)
    })
}

function seconds(text: string): number {
  const value = Number(text)
  if (/^\d+(?:\.\d+)?$/.test(text) && value >= 0.1 && value <= 86_400) return value
  throw new InvalidArgumentError('It must be a number of seconds from 0.1 to 86400.')
}
