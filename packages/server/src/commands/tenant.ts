import type { Command } from 'commander'
import { withApp } from '../app.ts'
import { table } from '../talk.ts'
import { example } from './help.ts'
import { prepare } from './options.ts'

/** `tenant create|list`. */
export function tenantCommands(program: Command): void {
  const group = program
    .command('tenant')
    .description('the companies that work is done for')
    .addHelpText('after', example('copydesk tenant list'))
  group
    .command('create')
    .description('create a tenant with the agents of its plan')
    .requiredOption('--name <name>', 'name of the company')
    .option('--plan <plan>', 'free, starter, pro, agency or enterprise', 'pro')
    .option('--timezone <zone>', 'zone of its periods and deadlines', 'UTC')
    .option('--domain <domain>', 'domain of its website')
    .addHelpText('after', example('copydesk tenant create --name "Example Ltd" --timezone Europe/Berlin'))
    .action(create)
  group
    .command('list')
    .description('list all tenants')
    .addHelpText('after', example('copydesk tenant list --json'))
    .action(list)
}

async function create(
  { name, plan, timezone, domain }: { name: string; plan: string; timezone: string; domain?: string },
  command: Command,
): Promise<void> {
  const { config, talk } = prepare(command)
  const tenant = await withApp(config, (copydesk) =>
    copydesk.asSystem().tenants.create({ name, plan, timezone, ...(domain && { domain }) }),
  )
  talk.data(tenant, () => tenant.id)
  talk.done(
    `Tenant ${tenant.name} is there. Give it an admin: copydesk user create --role admin --tenant ${tenant.id} …`,
  )
}

async function list(_options: object, command: Command): Promise<void> {
  const { config, talk } = prepare(command)
  const tenants = await withApp(config, (copydesk) => copydesk.asSystem().tenants.list())
  talk.data(tenants, () =>
    table(
      ['ID', 'NAME', 'PLAN', 'STATUS', 'TIME ZONE'],
      tenants.map(({ id, name, plan, status, timezone }) => [id, name, plan, status, timezone]),
    ),
  )
}
