import type { Copydesk, Logger } from '@copydesk/core'
import { type Command, Option } from 'commander'
import { databaseFile, openApp, requireInstallation } from '../app.ts'
import { boot } from '../boot.ts'
import { type Config, type Role, roles } from '../config/schema.ts'
import { wrongUsage } from '@copydesk/terminal/failure'
import { closeFiles, exposedFiles } from '../file-modes.ts'
import { invocation } from '../invocation.ts'
import { probe } from '../listen.ts'
import { lockDataDir } from '../server-lock.ts'
import { ensureDataDir, setUp } from '../setup.ts'
import type { Talk } from '@copydesk/terminal/talk'
import { example } from '@copydesk/terminal/help'
import { prepare, wholeNumber } from './options.ts'

/** `up` and `serve`. */
export function serveCommands(program: Command): void {
  withAddress(program.command('up'))
    .description('set up what is missing, then serve')
    .addHelpText('after', example('copydesk up', 'copydesk up --data-dir /srv/copydesk --port 9000'))
    .action(async (_options, command: Command) => {
      const { config, talk } = await prepareServer(command)
      const log = await createLog(config)
      if (ensureDataDir(config.dataDir)) talk.done(`created: data folder ${config.dataDir}`)
      await alone(config, async () => {
        const { copydesk, created, config: keyed, ...there } = await setUp(config, log)
        for (const what of created) talk.done(`created: ${what}`)
        await run(keyed, copydesk, log, talk, firstSteps(command, there))
      })
    })
  withAddress(program.command('serve'))
    .description('serve an installation that is set up')
    .addHelpText(
      'after',
      example('copydesk serve --config /etc/copydesk/copydesk.json', 'copydesk serve --role worker'),
    )
    .action(async (_options, command: Command) => {
      const { config, talk } = await prepareServer(command)
      const log = await createLog(config)
      requireInstallation(config)
      await alone(config, async () => run(config, await openApp(config, { log }), log, talk, []))
    })
}

/** Shown until the installation has a super-admin, and somebody to work for. */
function firstSteps(
  command: Command,
  { hasSuperAdmin, hasTenant }: { hasSuperAdmin: boolean; hasTenant: boolean },
): string[] {
  const { config, dataDir } = command.optsWithGlobals<{ config?: string; dataDir?: string }>()
  const options = [dataDir && ` --data-dir ${dataDir}`, config && ` --config ${config}`]
    .filter(Boolean)
    .join('')
  const person = [
    'Nobody can log in yet. In another terminal, in this folder, become the first super-admin:',
    `  ${invocation()} user create --role super_admin --email you@example.com --name "Your Name"${options}`,
  ]
  const work = [
    'There is no work yet. Write what you want into a file, and start the first campaign there as well:',
    `  ${invocation()} campaign create --tenant "Your Company" --brief brief.md --deliverable blog_post=2${options}`,
  ]
  return [...(hasSuperAdmin ? [] : person), ...(hasTenant ? [] : work)]
}

/** Holds the data folder of a SQLite database while `work` goes on; on PostgreSQL any number of servers may run. */
async function alone(config: Config, work: () => Promise<void>): Promise<void> {
  if (databaseFile(config) === undefined) return work()
  const release = await lockDataDir(config.dataDir)
  try {
    await work()
  } finally {
    release()
  }
}

function withAddress(command: Command): Command {
  return command
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option(
      '--port <port>',
      'port to listen on (default: 8420; 0 takes any that is free)',
      wholeNumber(0, 65_535),
    )
    .addOption(
      new Option('--role <role>', 'web answers requests, worker does the work (default: all)').choices(roles),
    )
}

/** The configuration that a server starts with: its role is possible, and its port is known. */
async function prepareServer(command: Command): Promise<{ config: Config; talk: Talk }> {
  const { role } = command.opts<{ role?: Role }>()
  const { config, sources, talk, warnings } = prepare(command, role && { role })
  for (const warning of warnings) talk.warn(warning)
  if (config.role !== 'all' && databaseFile(config) !== undefined) {
    throw wrongUsage(
      `The role ${config.role} needs PostgreSQL, on which several processes tell each other what they do. Leave the role out, or set database.url to postgres://….`,
    )
  }
  // What agents and people write into files is for this user only, whatever the shell says.
  process.umask(0o077)
  const exposed = exposedFiles(config)
  closeFiles(exposed)
  for (const file of exposed) talk.warn(`Other users could read ${file}; it is closed for them now.`)
  if (config.port !== 0) {
    // Before anything is created or started.
    await probe(config.port, config.host)
    return { config, talk }
  }
  // Agents are told where to call back to, so the port is chosen before anything starts.
  const port = await probe(0, config.host)
  const baseUrl = sources.has('baseUrl') ? config.baseUrl : config.baseUrl.replace(/:0$/, `:${port}`)
  return { config: { ...config, port, baseUrl }, talk }
}

async function run(
  config: Config,
  copydesk: Copydesk,
  log: Logger,
  talk: Talk,
  after: string[],
): Promise<void> {
  const onReady = (url: string) => {
    const does =
      config.role === 'worker'
        ? `works, and answers on ${url} for its health only`
        : `answers on ${url} (API reference: ${url}/docs)`
    talk.done(`Copydesk ${copydesk.version} ${does}. Ctrl-C ends it.`)
    for (const line of after) talk.info(line)
    if (talk.json)
      talk.data({ url, role: config.role, version: copydesk.version, pid: process.pid }, () => url)
  }
  await boot({ config, copydesk, log, onReady })
}

async function createLog({ log: { level, format } }: Config): Promise<Logger> {
  const { createLogger } = await import('@copydesk/core')
  return createLogger({ level, ...(format && { format }) })
}
