import type { Copydesk, Logger } from '@copydesk/core'
import { wrongUsage } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import type { CliOutput } from '@copydesk/terminal/output'
import { type Command, Option } from 'commander'
import { databaseFile, openApp, requireInstallation } from '../app.ts'
import { boot } from '../boot.ts'
import { type Config, type Role, roles } from '../config/schema.ts'
import { closeFiles, exposedFiles } from '../file-modes.ts'
import { invocation } from '../invocation.ts'
import { probe } from '../listen.ts'
import { lockDataDir } from '../server-lock.ts'
import { ensureDataDir, setUp } from '../setup.ts'
import { prepare, wholeNumber } from './options.ts'

/** `up` and `serve`. */
export function serveCommands(program: Command): void {
  withAddress(program.command('up'))
    .description('set up an installation if there is none, then serve it')
    .addHelpText('after', example('copydesk up', 'copydesk up --data-dir /srv/copydesk --port 9000'))
    .action(async (_options, command: Command) => {
      const { config, output } = await prepareServer(command)
      const log = await createLog(config)
      if (ensureDataDir(config.dataDir)) output.done(`created: data folder ${config.dataDir}`)
      await alone(config, async () => {
        const { copydesk, created, config: keyed, ...there } = await setUp(config, log)
        for (const what of created) output.done(`created: ${what}`)
        await run(keyed, copydesk, log, output, firstSteps(command, there))
      })
    })
  withAddress(program.command('serve'))
    .description('serve an existing installation')
    .addHelpText(
      'after',
      example('copydesk serve --config /etc/copydesk/copydesk.json', 'copydesk serve --role worker'),
    )
    .action(async (_options, command: Command) => {
      const { config, output } = await prepareServer(command)
      const log = await createLog(config)
      requireInstallation(config)
      await alone(config, async () => run(config, await openApp(config, { log }), log, output, []))
    })
}

/** Shown until the installation has a super-admin and a tenant. */
function firstSteps(
  command: Command,
  { hasSuperAdmin, hasTenant }: { hasSuperAdmin: boolean; hasTenant: boolean },
): string[] {
  const { config, dataDir } = command.optsWithGlobals<{ config?: string; dataDir?: string }>()
  const options = [dataDir && ` --data-dir ${dataDir}`, config && ` --config ${config}`]
    .filter(Boolean)
    .join('')
  const person = [
    'There is no super-admin yet. In another terminal, in this folder, create the first one:',
    `  ${invocation()} user create --role super_admin --email you@example.com --name "Your Name"${options}`,
  ]
  const work = [
    'There is no campaign yet. Write a brief into a file, and start the first campaign in the same terminal:',
    `  ${invocation()} campaign create --tenant "Your Company" --brief brief.md --deliverable blog_post=2${options}`,
  ]
  return [...(hasSuperAdmin ? [] : person), ...(hasTenant ? [] : work)]
}

/**
 * Locks the data folder of a SQLite database while `work` runs; on PostgreSQL any number of servers may run.
 */
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
    .option('--port <port>', 'port to listen on (default: 8420; 0 picks a free port)', wholeNumber(0, 65_535))
    .addOption(
      new Option(
        '--role <role>',
        'web serves requests, worker executes runs and jobs (default: all)',
      ).choices(roles),
    )
}

/** The configuration that a server starts with: its role is possible, and its port is known. */
async function prepareServer(command: Command): Promise<{ config: Config; output: CliOutput }> {
  const { role } = command.opts<{ role?: Role }>()
  const { config, sources, output, warnings } = prepare(command, role && { role })
  for (const warning of warnings) output.warn(warning)
  if (config.role !== 'all' && databaseFile(config) !== undefined) {
    throw wrongUsage(
      `The role ${config.role} needs PostgreSQL, because several processes share the database. Omit the role, or set database.url to postgres://….`,
    )
  }
  // Files that agents and people write are readable by this user only, whatever the umask of the shell is.
  process.umask(0o077)
  const exposed = exposedFiles(config)
  closeFiles(exposed)
  for (const file of exposed)
    output.warn(`Other users could read ${file}; its permissions are restricted now.`)
  if (config.port !== 0) {
    // Checked before anything is created or started.
    await probe(config.port, config.host)
    return { config, output }
  }
  // Agents need the address for callbacks, so the port is chosen before anything starts.
  const port = await probe(0, config.host)
  const baseUrl = sources.has('baseUrl') ? config.baseUrl : config.baseUrl.replace(/:0$/, `:${port}`)
  return { config: { ...config, port, baseUrl }, output }
}

async function run(
  config: Config,
  copydesk: Copydesk,
  log: Logger,
  output: CliOutput,
  after: string[],
): Promise<void> {
  const onReady = (url: string) => {
    const does =
      config.role === 'worker'
        ? `executes runs and jobs, and serves only health checks on ${url}`
        : `serves ${url} (API reference: ${url}/docs)`
    output.done(`Copydesk ${copydesk.version} ${does}. Stop it with Ctrl-C.`)
    for (const line of after) output.info(line)
    if (output.json)
      output.data({ url, role: config.role, version: copydesk.version, pid: process.pid }, () => url)
  }
  await boot({ config, copydesk, log, onReady })
}

async function createLog({ log: { level, format } }: Config): Promise<Logger> {
  const { createLogger } = await import('@copydesk/core')
  return createLogger({ level, ...(format && { format }) })
}
