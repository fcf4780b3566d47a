import { example } from '@copydesk/terminal/help'
import { confirmed, secretFromStdin } from '@copydesk/terminal/prompts'
import { Argument, type Command } from 'commander'
import { withApp } from '../app.ts'
import { userId } from './find.ts'
import { prepare } from './options.ts'

const roles = ['admin', 'member', 'reviewer', 'super_admin'] as const

/** `user reset-password|set-role`. */
export function userAccountCommands(group: Command): void {
  group
    .command('reset-password')
    .description('set a new password and print it once; every session of the user ends')
    .argument('<user>', 'id or e-mail address; also of a super-admin')
    .option('--password-stdin', 'read the password from stdin instead of generating one')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      example(
        'copydesk user reset-password ada@example.com --yes',
        'copydesk user reset-password ada@example.com --password-stdin --yes < password.txt',
      ),
    )
    .action(resetPassword)
  group
    .command('set-role')
    .description('change the role of a user; every session of the user ends')
    .argument('<user>', 'id or e-mail address')
    .addArgument(
      new Argument(
        '<role>',
        'admin or member for users of a tenant, otherwise reviewer or super_admin',
      ).choices(roles),
    )
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', example('copydesk user set-role ada@example.com admin --yes'))
    .action(setRole)
}

async function resetPassword(
  user: string,
  { passwordStdin, yes }: { passwordStdin?: true; yes?: true },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const given = passwordStdin ? await secretFromStdin('password') : undefined
  if (!(await confirmed(`This ends every session of ${user}; the old password becomes invalid.`, yes))) return
  const done = await withApp(config, async (copydesk) => {
    const { users } = copydesk.asSystem()
    return users.resetPassword(await userId(copydesk.asSystem(), user), given)
  })
  output.data(done, () => done.password ?? `${done.email} has the new password.`)
  if (done.password !== undefined)
    output.done(
      `This is the password of ${done.email}, shown once: ask the user to change it after the next login.`,
    )
}

async function setRole(
  user: string,
  role: (typeof roles)[number],
  { yes }: { yes?: true },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  if (!(await confirmed(`This gives ${user} the role ${role} and ends every session of this user.`, yes)))
    return
  const done = await withApp(config, async (copydesk) => {
    const { users } = copydesk.asSystem()
    return users.setRole(await userId(copydesk.asSystem(), user), role)
  })
  output.data(done, () => `${done.email} is ${done.role}.`)
  if (done.pendingRole)
    output.done(
      `${done.email} becomes ${done.pendingRole} after confirming the address with the link in the e-mail that the server sends.`,
    )
}
