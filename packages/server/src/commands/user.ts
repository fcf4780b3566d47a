import { wrongUsage } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { askSecret, confirmed, secretFromStdin } from '@copydesk/terminal/prompts'
import { table } from '@copydesk/terminal/table'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { type Command, Option } from 'commander'
import { withApp } from '../app.ts'
import { everything, neededTenantId, tenantId, tenantIds, userId } from './find.ts'
import { userInviteCommand } from './invite.ts'
import { prepare } from './options.ts'
import { userAccountCommands } from './user-account.ts'

const roles = ['admin', 'member', 'reviewer', 'super_admin'] as const
type PersonRole = (typeof roles)[number]
const statuses = ['active', 'suspended', 'deactivated'] as const
type UserStatus = (typeof statuses)[number]

/** `user create|invite|list|reset-password|set-role|suspend|reinstate`. */
export function userCommands(program: Command): void {
  const group = program
    .command('user')
    .description('the people who log in')
    .addHelpText('after', example('copydesk user list'))
  group
    .command('create')
    .description('create a user; asks for the password')
    .requiredOption('--email <address>', 'e-mail address to log in with')
    .requiredOption('--name <name>', 'name of the person')
    .addOption(new Option('--role <role>', 'role of the user').choices(roles).makeOptionMandatory())
    .option(
      '--tenant <tenant...>',
      `tenant of an admin or member, the tenants of a reviewer: ${tenantNaming}; not needed for an admin or member when there is only one`,
    )
    .option('--password-stdin', 'read the password from stdin')
    .addHelpText(
      'after',
      example(
        'copydesk user create --role super_admin --email you@example.com --name "Your Name"',
        'copydesk user create --role reviewer --email r@example.com --name R --tenant example.com --password-stdin < password.txt',
      ),
    )
    .action(create)
  userInviteCommand(group)
  group
    .command('list')
    .description('list users, all or some of them')
    .option('--tenant <tenant>', `only users of this tenant: ${tenantNaming}`)
    .addOption(new Option('--role <role>', 'only users with this role').choices(roles))
    .addOption(new Option('--status <status>', 'only users in this state').choices(statuses))
    .option('--search <words>', 'words of the name or the e-mail address')
    .addHelpText('after', example('copydesk user list --role reviewer --json'))
    .action(list)
  userAccountCommands(group)
  group
    .command('suspend')
    .description('suspend a user: end every session and API key at once')
    .argument('<user>', 'id or e-mail address')
    .requiredOption('--reason <text>', 'reason, for the audit log')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', example('copydesk user suspend r@example.com --reason "left the company" --yes'))
    .action(suspend)
  group
    .command('reinstate')
    .description('let a suspended user log in again')
    .argument('<user>', 'id or e-mail address')
    .addHelpText('after', example('copydesk user reinstate r@example.com'))
    .action(reinstate)
}

interface CreateOptions {
  email: string
  name: string
  role: PersonRole
  tenant?: string[]
  passwordStdin?: true
}

async function create(options: CreateOptions, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const { email, name, role, tenant: named = [] } = options
  const password = options.passwordStdin ? await secretFromStdin('password') : await askPassword()
  const ofOne = role === 'admin' || role === 'member'
  const which = `A user with the role ${role} belongs to one tenant: name it with --tenant.`
  if (ofOne && named.length > 1) throw wrongUsage(which)
  const user = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const whose = ofOne
      ? { tenantId: await neededTenantId(api, named[0], which) }
      : named.length > 0 && { tenantIds: await tenantIds(api, named) }
    return api.users.create({ email, name, role, password, ...whose })
  })
  output.data(user, () => user.id)
  output.done(`${user.name} can log in as ${user.email}.`)
}

interface ListOptions {
  tenant?: string
  role?: PersonRole
  status?: UserStatus
  search?: string
}

async function list({ tenant, role, status, search }: ListOptions, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const users = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const filter = {
      ...(tenant !== undefined && { 'filter.tenantId': await tenantId(api, tenant) }),
      ...(role && { 'filter.role': role }),
      ...(status && { 'filter.status': status }),
      ...(search && { 'filter.search': search }),
    }
    return everything((page) => api.users.list({ ...page, ...filter, order: 'asc' }))
  })
  output.data(users, () =>
    table(
      ['ID', 'E-MAIL', 'ROLE', 'STATUS', 'TENANT'],
      users.map((user) => [user.id, user.email, user.role, user.status, user.tenantName ?? '-']),
      [1, 4],
    ),
  )
}

async function suspend(
  user: string,
  { reason, yes }: { reason: string; yes?: true },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const question = `This ends every session and API key of ${user} at once.`
  if (!(await confirmed(question, yes))) return
  const done = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const id = await userId(api, user)
    return { id, ...(await api.users.suspend(id, reason)) }
  })
  output.data(done, () => `${user} is suspended.`)
}

async function reinstate(user: string, _options: object, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const done = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const id = await userId(api, user)
    return { id, ...(await api.users.reinstate(id)) }
  })
  output.data(done, () => `${user} can log in again.`)
}

/** A password is never an argument: other users of the machine can see arguments. */
async function askPassword(): Promise<string> {
  if (!process.stdin.isTTY)
    throw wrongUsage('Cannot ask for the password without a terminal: pass it with --password-stdin.')
  const answer = await askSecret('Password (8 characters or more)', (text) =>
    text.length < 8 ? 'A password has 8 characters or more' : undefined,
  )
  if (answer === undefined) throw wrongUsage('Nothing was created.')
  return answer
}
