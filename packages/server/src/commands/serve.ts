import type { Copydesk, Logger } from '@copydesk/core'
import type { Command } from 'commander'
import { openApp } from '../app.ts'
import { boot } from '../boot.ts'
import type { Config } from '../config/schema.ts'
import { setUp } from '../setup.ts'
import type { Talk } from '../talk.ts'
import { example } from './help.ts'
import { prepare, wholeNumber } from './options.ts'

/** `up` and `serve`. */
export function serveCommands(program: Command): void {
  withAddress(program.command('up'))
    .description('set up what is missing, then serve')
    .addHelpText('after', example('copydesk up', 'copydesk up --data-dir /srv/copydesk --port 9000'))
    .action(async (_options, command: Command) => {
      const { config, talk, warnings } = prepare(command)
      for (const warning of warnings) talk.warn(warning)
      const log = await createLog(config)
      const { copydesk, created, hasSuperAdmin } = await setUp(config, log)
      for (const what of created) talk.done(`created: ${what}`)
      await run(config, copydesk, log, talk, hasSuperAdmin ? [] : firstSteps)
    })
  withAddress(program.command('serve'))
    .description('serve an installation that is set up')
    .addHelpText('after', example('copydesk serve --config /etc/copydesk/copydesk.json'))
    .action(async (_options, command: Command) => {
      const { config, talk, warnings } = prepare(command)
      for (const warning of warnings) talk.warn(warning)
      const log = await createLog(config)
      await run(config, await openApp(config, { log }), log, talk, [])
    })
}

/** Shown until the installation has a super-admin. */
const firstSteps = [
  'Nobody can log in yet. In another terminal, in this folder, become the first super-admin:',
  '  copydesk user create --role super_admin --email you@example.com --name "Your Name"',
]

function withAddress(command: Command): Command {
  return command
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <port>', 'port to listen on (default: 8420)', wholeNumber(0, 65_535))
}

async function run(
  config: Config,
  copydesk: Copydesk,
  log: Logger,
  talk: Talk,
  after: string[],
): Promise<void> {
  const onReady = (url: string) => {
    talk.done(`Copydesk ${copydesk.version} answers on ${url} (API reference: ${url}/docs). Ctrl-C ends it.`)
    for (const line of after) talk.info(line)
    if (talk.json) talk.data({ url, version: copydesk.version, pid: process.pid }, () => url)
  }
  await boot({ config, copydesk, log, onReady })
}

async function createLog({ log: { level, format } }: Config): Promise<Logger> {
  const { createLogger } = await import('@copydesk/core')
  return createLogger({ level, ...(format && { format }) })
}
