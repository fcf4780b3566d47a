import { example } from '@copydesk/terminal/help'
import { table } from '@copydesk/terminal/table'
import type { Command } from 'commander'
import type { Config } from '../config/schema.ts'
import { settings } from '../config/settings.ts'
import { prepare } from './options.ts'

/** `config show`. */
export function configCommands(program: Command): void {
  const group = program
    .command('config')
    .description('the configuration')
    .addHelpText('after', example('copydesk config show'))
  group
    .command('show')
    .description(
      'show every setting and where its value comes from; secrets are hidden, and clients of channels are omitted when none is set',
    )
    .addHelpText('after', example('copydesk config show', 'COPYDESK_PORT=9000 copydesk config show --json'))
    .action((_options, command: Command) => {
      const { config, sources, file, warnings, output } = prepare(command)
      const shown = settings.flatMap(({ path, env, secret, shownWhenSet }) => {
        const value = valueAt(config, path)
        if (shownWhenSet && value === undefined) return []
        const source = sources.get(path) ?? (value === undefined ? 'not set' : 'default')
        return [{ name: path, value: secret ? cut(path, value) : value, source, variable: env[0] ?? '' }]
      })
      const commands = Object.keys(config.commands)
      if (commands.length > 0) {
        // The values may be secret: their names are enough.
        const source = file ? `file ${file}` : 'default'
        shown.push({ name: 'commands', value: commands, source, variable: '' })
      }
      for (const warning of warnings) output.warn(warning)
      output.data({ file: file ?? null, settings: shown, warnings }, () =>
        table(
          ['SETTING', 'VALUE', 'FROM'],
          shown.map(({ name, value, source }) => [name, inWords(value), source]),
        ),
      )
    })
}

function valueAt(config: Config, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], config)
}

const showsAddress = new Set(['database.url', 'redis.url'])

/** The part of a secret that may be shown: the ids of keys, and the URL of a store without its password. */
function cut(path: string, value: unknown): unknown {
  if (value === undefined) return undefined
  if (Array.isArray(value)) return value.map((key: { id: string }) => ({ id: key.id }))
  if (!showsAddress.has(path) || typeof value !== 'string') return '***'
  return value.replace(/(:\/\/[^:@/]*:).*@/, '$1***@').replace(/(password=)[^&]*/i, '$1***')
}

function inWords(value: unknown): string {
  if (value === undefined) return '-'
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.map(inWords).join(', ')
  if (typeof value === 'object' && value !== null && 'id' in value) return `${String(value.id)}: ***`
  return typeof value === 'number' ? String(value) : (value as string)
}
