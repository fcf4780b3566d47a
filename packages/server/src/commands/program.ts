import type { OnMachine } from '@copydesk/terminal/commands'
import { example } from '@copydesk/terminal/help'
import { jsonOption } from '@copydesk/terminal/json-option'
import { Command } from 'commander'
import manifest from '../../../../package.json' with { type: 'json' }
import { beginLightly } from '../light-start.ts'
import { loadNodeModules } from '../node-modules.ts'

/** The commands that stay running. They need nothing of all others, which would stay in memory with them. */
const serving = new Set(['up', 'serve'])

/** Global options that take a value, which is not the name of a command. */
const valued = new Set(['--config', '--data-dir', '--profile'])

/**
 * How operators run commands on this machine that users with a login run against a server. Its dependencies
 * are loaded on first use: most commands go to a server.
 */
const onMachine: OnMachine = {
  async isHere(command) {
    const { isInstalled } = await import('./machine-context.ts')
    return isInstalled(command)
  },
  async context(command, tenant) {
    const { machineDesk } = await import('./machine-context.ts')
    return machineDesk(command, tenant)
  },
  async temporaryKnowledge(command, database) {
    const { temporaryKnowledge } = await import('./temporary-knowledge.ts')
    return temporaryKnowledge(command, database)
  },
}

/**
 * The whole command line, or the part of it that `words` need: commands for a server are called most often,
 * and load nothing of the commands for this machine; a server loads only its own. Commands load the core only when they run, so that help
 * and usage errors are fast.
 */
export async function createProgram(words: readonly string[]): Promise<Command> {
  const program = new Command('copydesk')
    .description('Plans, writes, reviews and delivers marketing campaigns with agents, self-hosted.')
    .version(manifest.version, '-V, --version', 'print the version')
    .addOption(jsonOption())
    .option('--config <file>', 'configuration file (default: copydesk.json in the data folder)')
    .option('--data-dir <folder>', 'data folder (default: ./copydesk-data)')
    .showHelpAfterError('(copydesk --help lists all commands)')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .addHelpText(
      'after',
      example('npx copydesk up', 'copydesk login https://copydesk.example.com', 'copydesk queue'),
    )
  const name = commandIn(words) ?? ''
  if (serving.has(name)) {
    loadNodeModules()
    beginLightly()
    const { serveCommands } = await import('./serve.ts')
    serveCommands(program)
    return program
  }
  const { registerCommands } = await import('@copydesk/terminal/commands')
  registerCommands(program, onMachine)
  const isKnown = program.commands.some((command) => command.name() === name)
  if (isKnown && name === 'media') {
    const { mediaMoveCommand } = await import('./storage.ts')
    mediaMoveCommand(program)
  }
  if (isKnown && name !== 'complete') return program
  const { registerLocal } = await import('./local.ts')
  registerLocal(program)
  return program
}

/** The name of the command in a command line; undefined when there is none. */
export function commandIn(words: readonly string[]): string | undefined {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (valued.has(word)) at += 1
    else if (!word.startsWith('-')) return word
  }
  return undefined
}
