import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { followings, operations } from '../operations/catalogue.ts'
import { isArgument, optionName, takesIds, valueOf } from '../operations/invocation.ts'
import { kbCrawl } from '../operations/knowledge-crawl.ts'
import { kbEval } from '../operations/knowledge-eval.ts'
import { kbUpload } from '../operations/knowledge-upload.ts'
import { leadExport, leadImport, leadUndo } from '../operations/lead-files.ts'
import type { AnyFollowing, AnyOperation, OperationBase, Parameter } from '../operations/operation.ts'
import { accountCommands } from './account-commands.ts'
import { apiCommand } from './api-command.ts'
import { channelCommand } from './channel-command.ts'
import { consentCommands } from './consent-commands.ts'
import { everyday, example } from './help.ts'
import { mediaCommands } from './media-commands.ts'
import { groupOf, type OnMachine } from './on-machine.ts'

export type { MachineContext, OnMachine, TemporaryKnowledge } from './on-machine.ts'

/**
 * The commands against a server, derived from the operations. Their dependencies are loaded when they run, so
 * that help and usage errors are fast.
 * @param machine runs commands of operators on this machine; absent: against a server only
 */
export function registerCommands(program: Command, machine?: OnMachine): void {
  program.option('--profile <name>', 'login to use (default: the profile in use)')
  for (const operation of operations) operationCommand(program, operation, machine)
  for (const followed of followings) followingCommand(program, followed)
  uploadCommand(program)
  siteCommand(program)
  evalCommand(program, machine)
  mediaCommands(program)
  leadCommands(program)
  channelCommand(program)
  apiCommand(program)
  terminalCommand(program)
  mcpCommand(program)
  consentCommands(program)
  accountCommands(program)
  completionCommands(program)
}

function operationCommand(program: Command, operation: AnyOperation, machine: OnMachine | undefined): void {
  const command = commandOf(program, operation)
  if (operation.effect === 'reads' && operation.name !== 'ask')
    command.addOption(
      new Option('--watch [seconds]', 'repeat it until Ctrl-C, by default every 5 seconds').argParser(
        seconds,
      ),
    )
  if (operation.effect === 'decides') command.option('--yes', 'do not ask for confirmation')
  if (operation.name === 'ask') command.option('--yes', 'run the proposed command without confirmation')
  if (operation.name === 'approve')
    command
      .option('--edit', 'edit the text first, with the program in $EDITOR')
      .option('--fresh', 'with --edit: discard your draft and start from the current text')
  if (operation.audience?.includes('operator'))
    command.option('--tenant <tenant>', 'the tenant, on the machine of the server: id, domain or name')
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

/** Not an operation: an assistant, or a server that acts for one, must not choose files of a machine. */
function uploadCommand(program: Command): void {
  const command = commandOf(program, kbUpload)
  command.action(async () => {
    const { uploadAll } = await import('./upload-all.ts')
    await asTypedHere(kbUpload, () => uploadAll(command))
  })
}

/** Not an operation: it waits for the end of what it begins. */
function siteCommand(program: Command): void {
  const command = commandOf(program, kbCrawl)
  command.action(async () => {
    const { crawlCommand } = await import('./crawl-command.ts')
    await asTypedHere(kbCrawl, () => crawlCommand(command))
  })
}

/** Not an operation either: it reads files of this machine. */
function evalCommand(program: Command, machine: OnMachine | undefined): void {
  const command = commandOf(program, kbEval)
  command.action(async () => {
    const { evaluateSearch } = await import('./evaluate-search.ts')
    await asTypedHere(kbEval, () => evaluateSearch(command, machine))
  })
}

/** Not operations either: two use files of this machine, and the third waits for its end. */
function leadCommands(program: Command): void {
  const importing = commandOf(program, leadImport)
  importing.action(async () => {
    const { importCommand } = await import('./lead-files.ts')
    await asTypedHere(leadImport, () => importCommand(importing))
  })
  const exporting = commandOf(program, leadExport)
  exporting.action(async () => {
    const { exportCommand } = await import('./lead-files.ts')
    await asTypedHere(leadExport, () => exportCommand(exporting))
  })
  const undoing = commandOf(program, leadUndo)
  undoing.action(async () => {
    const { undoCommand } = await import('./lead-files.ts')
    await asTypedHere(leadUndo, () => undoCommand(undoing))
  })
}

/** Validation errors of a server refer to typed options instead of request fields. */
async function asTypedHere(operation: OperationBase, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    const { asTyped } = await import('../operations/refused.ts')
    throw asTyped(operation, error)
  }
}

/** Adds the arguments, options and examples of an operation to a command. */
function commandOf(program: Command, { name, summary, params: takes, examples }: OperationBase): Command {
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
  // The first result is not preceded by a separator.
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
    .description('open the terminal client; `copydesk` without a command does the same')
    .helpGroup(everyday)
    .addHelpText('after', example('copydesk terminal'))
    .action(async (_options, command: Command) => {
      const { openClient } = await import('./session.ts')
      await openClient(command)
    })
}

/** `completion`, and the command that its scripts call for each completion. */
function completionCommands(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and ids as you type')
    .helpGroup(everyday)
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', example('source <(copydesk completion bash)', 'copydesk completion fish | source'))
    .action(async (shell: string) => {
      const { printScript } = await import('./complete.ts')
      printScript(program, shell)
    })
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .addHelpText('after', example('copydesk complete -- approve ""'))
    .action(async (words: string[], _options: object, command: Command) => {
      const { complete } = await import('./complete.ts')
      await complete(program, words, command)
    })
}

function mcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve an assistant on stdin and stdout, with the Model Context Protocol')
    .helpGroup(everyday)
    .addHelpText('after', example('copydesk mcp', 'copydesk mcp --profile work'))
    .action(async (_options, command: Command) => {
      const { serveAssistant } = await import('../mcp/stdio.ts')
      await serveAssistant(command, program.version() ?? '')
    })
}

function seconds(text: string): number {
  const value = Number(text)
  if (/^\d+(?:\.\d+)?$/.test(text) && value >= 0.1 && value <= 86_400) return value
  throw new InvalidArgumentError('It must be a number of seconds from 0.1 to 86400.')
}
