import { Command } from 'commander'
import manifest from '../../../../package.json' with { type: 'json' }
import { agentCommands } from './agent.ts'
import { apiKeyCommands } from './api-key.ts'
import { auditCommand } from './audit.ts'
import { configCommands } from './config.ts'
import { couponCommands } from './coupon.ts'
import { demoCommand } from './demo/command.ts'
import { doctorCommand } from './doctor.ts'
import { example } from './help.ts'
import { inspectCommands } from './inspect.ts'
import { inviteCommands } from './invite.ts'
import { jobCommands } from './jobs.ts'
import { keyCommands } from './keys.ts'
import { migrateCommands } from './migrate.ts'
import { modelCommands } from './model.ts'
import { planCommands } from './plan.ts'
import { providerCommands } from './provider.ts'
import { runCommands } from './run.ts'
import { serveCommands } from './serve.ts'
import { skillCommands } from './skill.ts'
import { tenantCommands } from './tenant.ts'
import { userCommands } from './user.ts'

/** The whole command line. Commands load the core only when they run, so that help and mistakes answer at once. */
export function createProgram(): Command {
  const program = new Command('copydesk')
    .description('Plans, writes, reviews and delivers marketing work with agents, on a machine of your own.')
    .version(manifest.version, '-V, --version', 'print the version')
    .option('--json', 'print data as JSON on stdout')
    .option('--config <file>', 'configuration file (default: copydesk.json in the data folder)')
    .option('--data-dir <folder>', 'data folder (default: ./copydesk-data)')
    .showHelpAfterError('(copydesk --help shows what there is)')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .addHelpText('after', example('npx copydesk up', 'npx copydesk tenant create --name "Example Ltd"'))
  const groups = [
    demoCommand,
    serveCommands,
    migrateCommands,
    tenantCommands,
    userCommands,
    inviteCommands,
    apiKeyCommands,
    keyCommands,
    auditCommand,
    jobCommands,
    planCommands,
    couponCommands,
    providerCommands,
    modelCommands,
    runCommands,
    agentCommands,
    skillCommands,
  ]
  for (const register of [...groups, doctorCommand, configCommands, inspectCommands]) register(program)
  return program
}
