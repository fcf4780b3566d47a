import { type Command, Option } from 'commander'
import type { StaffApp } from '../account/login.ts'
import { tenantNaming } from '../account/tenant-named.ts'
import { everyday, example } from './help.ts'

const apps = ['dm-portal', 'manage', 'dashboard'] as const satisfies readonly StaffApp[]

export interface LoginOptions {
  apiKeyStdin?: true
  email?: string
  passwordStdin?: true
  app?: StaffApp
  tenant?: string
}

/** `login`, `logout` and `profile list|use|show|remove`. */
export function accountCommands(program: Command): void {
  program
    .command('login')
    .description(
      'log in at a server with an API key, or with e-mail and password, and save the login as a profile',
    )
    .helpGroup(everyday)
    .argument('[url]', 'address of the server (default: http://127.0.0.1:8420)')
    .option('--api-key-stdin', 'read an API key from stdin')
    .option('--email <email>', 'log in with this e-mail and a password')
    .option('--password-stdin', 'with --email: read the password from stdin')
    .addOption(new Option('--app <app>', 'app to log in to (default: the app of the account)').choices(apps))
    .option('--tenant <tenant>', `default tenant of commands: ${tenantNaming}`)
    .addHelpText(
      'after',
      example(
        'copydesk login https://copydesk.example.com',
        'copydesk login --api-key-stdin --profile ci < key.txt',
      ),
    )
    .action(async (url: string | undefined, options: LoginOptions, command: Command) => {
      const { logIn } = await import('./account-actions.ts')
      await logIn(url, options, command)
    })
  program
    .command('logout')
    .description('delete the profile in use and end its session at the server')
    .helpGroup(everyday)
    .addHelpText('after', example('copydesk logout', 'copydesk logout --profile ci'))
    .action(async (_options, command: Command) => {
      const { logOut } = await import('./account-actions.ts')
      await logOut(undefined, command)
    })
  profileCommands(program)
}

function profileCommands(program: Command): void {
  const group = program
    .command('profile')
    .description('saved logins')
    .helpGroup(everyday)
    .addHelpText('after', example('copydesk profile list'))
  group
    .command('list')
    .description('list profiles; marks the one in use')
    .addHelpText('after', example('copydesk profile list --json'))
    .action(async (_options, command: Command) => {
      const { listProfiles } = await import('./account-actions.ts')
      await listProfiles(command)
    })
  group
    .command('use')
    .description('use a profile from now on')
    .argument('<name>', 'name of the profile')
    .option('--tenant <tenant>', `new default tenant of commands: ${tenantNaming}, or \`all\` for none`)
    .addHelpText('after', example('copydesk profile use ci'))
    .action(async (name: string, { tenant }: { tenant?: string }, command: Command) => {
      const { applyProfile } = await import('./account-actions.ts')
      await applyProfile(name, tenant, command)
    })
  group
    .command('show')
    .description('show a profile, without its secrets')
    .argument('[name]', 'name of the profile (default: the one in use)')
    .addHelpText('after', example('copydesk profile show'))
    .action(async (name: string | undefined, _options: object, command: Command) => {
      const { showProfile } = await import('./account-actions.ts')
      await showProfile(name, command)
    })
  group
    .command('remove')
    .description('delete a profile and end its session at the server')
    .argument('<name>', 'name of the profile')
    .addHelpText('after', example('copydesk profile remove ci'))
    .action(async (name: string, _options: object, command: Command) => {
      const { logOut } = await import('./account-actions.ts')
      await logOut(name, command)
    })
}
