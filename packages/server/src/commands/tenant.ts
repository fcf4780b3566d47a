import type { SystemApi } from '@copydesk/core'
import { example } from '@copydesk/terminal/help'
import { table } from '@copydesk/terminal/table'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { type Command, Option } from 'commander'
import { withApp } from '../app.ts'
import { everything, tenantId } from './find.ts'
import { prepare } from './options.ts'
import { tenantAccessCommands } from './tenant-access.ts'
import { tenantPlanCommands } from './tenant-plan.ts'

const statuses = ['onboarding', 'trial', 'active', 'suspended', 'cancelled'] as const

/** `tenant create|list|show|plan|override|mark-paid|activate|suspend|reinstate|impersonate`. */
export function tenantCommands(program: Command): void {
  const group = program
    .command('tenant')
    .description('the companies that use this installation')
    .addHelpText('after', example('copydesk tenant list'))
  group
    .command('create')
    .description('create a tenant with the agents of its plan')
    .requiredOption('--name <name>', 'name of the company')
    .option('--plan <plan>', 'free, starter, pro, agency or enterprise', 'pro')
    .option('--timezone <zone>', 'time zone of its periods and deadlines', 'UTC')
    .option('--domain <domain>', 'domain of its website')
    .addHelpText('after', example('copydesk tenant create --name "Example Ltd" --timezone Europe/Berlin'))
    .action(create)
  group
    .command('list')
    .description('list tenants, all or some of them')
    .addOption(new Option('--status <status>', 'only tenants in this state').choices(statuses))
    .option('--search <words>', 'words of the name or the domain; typing errors are tolerated')
    .addHelpText('after', example('copydesk tenant list --status active --json'))
    .action(list)
  group
    .command('show')
    .description('show the usage and billing of a tenant, its agents and its users')
    .argument('<tenant>', tenantNaming)
    .addHelpText('after', example('copydesk tenant show "Example Ltd"'))
    .action(show)
  tenantPlanCommands(group)
  tenantAccessCommands(group)
}

async function create(
  { name, plan, timezone, domain }: { name: string; plan: string; timezone: string; domain?: string },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const tenant = await withApp(config, (copydesk) =>
    copydesk.asSystem().tenants.create({ name, plan, timezone, ...(domain && { domain }) }),
  )
  output.data(tenant, () => tenant.id)
  output.done(
    `Tenant ${tenant.name} is created. Give it an admin: copydesk user create --role admin --tenant ${tenant.id} …`,
  )
}

async function list(
  { status, search }: { status?: (typeof statuses)[number]; search?: string },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const filter = { ...(status && { 'filter.status': status }), ...(search && { search }) }
  const tenants = await withApp(config, (copydesk) =>
    everything((page) => copydesk.asSystem().tenants.list({ ...page, ...filter, order: 'asc' })),
  )
  output.data(tenants, () =>
    table(
      ['ID', 'NAME', 'PLAN', 'STATUS', 'AGENTS', 'USERS', 'MONTH'],
      tenants.map((tenant) => [
        tenant.id,
        tenant.name,
        tenant.plan,
        tenant.status,
        String(tenant.agentCount),
        String(tenant.userCount),
        `$${tenant.monthlySpendUsd.toFixed(2)}`,
      ]),
      [1],
    ),
  )
}

async function show(given: string, _options: object, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const tenant = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    return api.tenants.get(await tenantId(api, given))
  })
  output.data(tenant, () => showTenant(tenant))
}

type Tenant = Awaited<ReturnType<SystemApi['tenants']['get']>>

/** A tenant on a terminal: its data, its agents, its users. */
function showTenant(tenant: Tenant): string {
  const { usage, billing } = tenant
  const cap = tenant.spendCapUsd === null ? 'no limit' : `of at most ${usd(tenant.spendCapUsd)}`
  const flags = Object.entries(tenant.featureFlags).filter(([, on]) => on)
  const lines: Array<[string, string]> = [
    ['id', tenant.id],
    ['status', tenant.status],
    ['plan', tenant.plan],
    ['domain', tenant.domain ?? '-'],
    ['time zone', tenant.timezone],
    ['this month', `${usd(usage.monthlySpendUsd)} (${cap}), ${usage.monthlyLlmCallCount} runs with a model`],
    ['activities', `${usage.totalActivities}, ${usage.storageBytes} bytes of text`],
    ['payment', billing.paymentStatus ?? '-'],
    ['next invoice', day(billing.nextBillingDate)],
    ['flags', flags.map(([name]) => name).join(', ') || '-'],
    ['since', day(tenant.createdOn)],
  ]
  const agents = table(
    ['AGENT', 'STATUS', 'RUNS', 'MODEL'],
    tenant.agents.map(({ role, status, runningCount, model }) => [role, status, String(runningCount), model]),
    [3, 0],
  )
  const people = table(
    ['ID', 'E-MAIL', 'ROLE', 'STATUS'],
    tenant.users.map(({ id, email, role, status }) => [id, email, role, status]),
    [1],
  )
  const head = lines.map(([name, value]) => `${name.padEnd(12)}${value}`).join('\n')
  return `${tenant.name}\n${head}\n\n${agents}\n\n${people}`
}

const usd = (amount: number) => `$${amount.toFixed(2)}`
const day = (date: Date | undefined) => date?.toISOString().slice(0, 10) ?? '-'
