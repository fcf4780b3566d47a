import { type Command, Option } from 'commander'
import { withApp } from '../app.ts'
import { wrongUsage } from '../failure.ts'
import { table } from '../talk.ts'
import { example } from './help.ts'
import { prepare } from './options.ts'

const roles = ['admin', 'member', 'reviewer', 'super_admin'] as const
type PersonRole = (typeof roles)[number]

/** `user create|list`. */
export function userCommands(program: Command): void {
  const group = program
    .command('user')
    .description('the people who log in')
    .addHelpText('after', example('copydesk user list'))
  group
    .command('create')
    .description('create a user; the password is asked for')
    .requiredOption('--email <address>', 'e-mail address to log in with')
    .requiredOption('--name <name>', 'name of the person')
    .addOption(new Option('--role <role>', 'what the person may do').choices(roles).makeOptionMandatory())
    .option('--tenant <id...>', 'tenant of an admin or member; the tenants of a reviewer')
    .option('--password-stdin', 'read the password from stdin')
    .addHelpText(
      'after',
      example(
        'copydesk user create --role super_admin --email you@example.com --name "Your Name"',
        'copydesk user create --role reviewer --email r@example.com --name R --tenant <id> --password-stdin < password.txt',
      ),
    )
    .action(create)
  group
    .command('list')
    .description('list users, all or those of a tenant')
    .option('--tenant <id>', 'only users of this tenant')
    .addHelpText('after', example('copydesk user list --json'))
    .action(list)
}

interface CreateOptions {
  email: string
  name: string
  role: PersonRole
  tenant?: string[]
  passwordStdin?: true
}

async function create(options: CreateOptions, command: Command): Promise<void> {
  const { config, talk } = prepare(command)
  const { email, name, role, tenant: tenants = [] } = options
  const password = options.passwordStdin ? await readPassword() : await askPassword()
  const ofOne = role === 'admin' || role === 'member'
  if (ofOne && tenants.length !== 1)
    throw wrongUsage(`A user with the role ${role} belongs to one tenant: add --tenant <id>.`)
  const [tenantId] = tenants
  const user = await withApp(config, (copydesk) =>
    copydesk.asSystem().users.create({
      email,
      name,
      role,
      password,
      ...(ofOne && tenantId ? { tenantId } : tenants.length > 0 && { tenantIds: tenants }),
    }),
  )
  talk.data(user, () => user.id)
  talk.done(`${user.name} can log in as ${user.email}.`)
}

async function list({ tenant }: { tenant?: string }, command: Command): Promise<void> {
  const { config, talk } = prepare(command)
  const users = await withApp(config, (copydesk) =>
    copydesk.asSystem().users.list(tenant ? { tenantId: tenant } : {}),
  )
  talk.data(users, () =>
    table(
      ['ID', 'E-MAIL', 'NAME', 'ROLE', 'STATUS', 'TENANT'],
      users.map(({ id, email, name, role, status, tenantId }) => [
        id,
        email,
        name,
        role,
        status,
        tenantId ?? '-',
      ]),
    ),
  )
}

/** A password is never an argument: other users of the machine can see those. */
async function askPassword(): Promise<string> {
  if (!process.stdin.isTTY)
    throw wrongUsage('Nobody can be asked for the password here: pass it with --password-stdin.')
  const { isCancel, password } = await import('@clack/prompts')
  const answer = await password({
    message: 'Password (8 characters or more)',
    validate: (text) => ((text ?? '').length < 8 ? 'A password has 8 characters or more' : undefined),
    output: process.stderr,
  })
  if (isCancel(answer)) throw wrongUsage('Nothing was created.')
  return answer
}

async function readPassword(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  if (text === '') throw wrongUsage('There is no password on stdin.')
  return text
}
