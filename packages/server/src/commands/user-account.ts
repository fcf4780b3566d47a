import { type Command, Argument } from 'commander'
import { withApp } from '../app.ts'
import { confirmed } from '@copydesk/terminal/asking'
import { example } from '@copydesk/terminal/help'
import { secretFromStdin } from '@copydesk/terminal/stdin'
import { userId } from './find.ts'
import { prepare } from './options.ts'

const roles = ['admin', 'member', 'reviewer', 'super_admin'] as const

/** `user reset-password|set-role`. */
export function userAccountCommands(group: Command): void {
  group
    .command('reset-password')
    .description('set another password and print it once; every session of the user ends')
    .argument('<user>', 'id or e-mail address; a super-admin too')
    .option('--password-stdin', 'read the password from stdin instead of making one')
    .option('--yes', 'do not ask')
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
    .description('change what a user may do; every session of the user ends')
    .argument('<user>', 'id or e-mail address')
    .addArgument(
      new Argument('<role>', 'admin or member for people of a tenant, else reviewer or super_admin').choices(
        roles,
      ),
    )
    .option('--yes', 'do not ask')
    .addHelpText('after', example('copydesk user set-role ada@example.com admin --yes'))
    .action(setRole)
}

async function resetPassword(
  user: string,
  { passwordStdin, yes }: { passwordStdin?: true; yes?: true },
  command: Command,
): Promise<void> {
  const { config, talk } = prepare(command)
  const given = passwordStdin ? await secretFromStdin('password') : undefined
  if (!(await confirmed(`This ends every session of ${user}; the old password is worthless.`, yes))) return
  const done = await withApp(config, async (copydesk) => {
    const { users } = copydesk.asSystem()
    return users.resetPassword(await userId(copydesk.asSystem(), user), given)
  })
  talk.data(done, () => done.password ?? `${done.email} has the new password.`)
  if (done.password !== undefined)
    talk.done(`This is the password of ${done.email}, shown once: let it be changed after the next login.`)
}

async function setRole(
  user: string,
  role: (typeof roles)[number],
  { yes }: { yes?: true },
  command: Command,
): Promise<void> {
  const { config, talk } = prepare(command)
  if (!(await confirmed(`This makes ${user} a ${role} and ends every session of this user.`, yes))) return
  const done = await withApp(config, async (copydesk) => {
    const { users } = copydesk.asSystem()
    return users.setRole(await userId(copydesk.asSystem(), user), role)
  })
  talk.data(done, () => `${done.email} is ${done.role}.`)
  if (done.pendingRole)
    talk.done(
      `${done.email} becomes ${done.pendingRole} once the address is confirmed by the link of the mail that the server sends.`,
    )
}
