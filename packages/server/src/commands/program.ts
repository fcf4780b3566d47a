import { Command } from 'commander'
import { registerCommands } from '@copydesk/terminal/commands'
import { example } from '@copydesk/terminal/help'
import { jsonOption } from '@copydesk/terminal/json-option'
import { onMachine } from './on-machine.ts'
import manifest from '../../../../package.json' with { type: 'json' }

/** Options of every command that take a value, which is no command's name. */
const valued = new Set(['--config', '--data-dir', '--profile'])

/**
 * The whole command line, or as much of it as `words` need: what works on a server is called most often, and waits for nothing
 * of what works on this machine. Commands load the core only when they run, so that help and mistakes answer at once.
 */
export async function createProgram(words: readonly string[]): Promise<Command> {
  const program = new Command('copydesk')
    .description('Plans, writes, reviews and delivers marketing work with agents, on a machine of your own.')
    .version(manifest.version, '-V, --version', 'print the version')
    .addOption(jsonOption())
    .option('--config <file>', 'configuration file (default: copydesk.json in the data folder)')
    .option('--data-dir <folder>', 'data folder (default: ./copydesk-data)')
    .showHelpAfterError('(copydesk --help shows what there is)')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .addHelpText(
      'after',
      example('npx copydesk up', 'copydesk login https://copydesk.example.com', 'copydesk queue'),
    )
  registerCommands(program, onMachine)
  const name = commandIn(words)
  const isKnown = program.commands.some((command) => command.name() === name)
  if (isKnown && name !== 'complete') return program
  const { registerLocal } = await import('./local.ts')
  registerLocal(program)
  return program
}

/** The name of the command in the words of a command line; undefined when there is none. */
export function commandIn(words: readonly string[]): string | undefined {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (valued.has(word)) at += 1
    else if (!word.startsWith('-')) return word
  }
  return undefined
}
