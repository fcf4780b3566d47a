import { wrongUsage } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { table } from '@copydesk/terminal/table'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import type { Command } from 'commander'
import { withApp } from '../app.ts'
import { agentChangeCommands } from './agent-change.ts'
import { agentTestCommand } from './agent-test/command.ts'
import { everything, tenantId } from './find.ts'
import { prepare, wholeNumber } from './options.ts'
import { compared, listedVersions } from './versions.ts'

/** `agent list|show|set|push|restore|test`. */
export function agentCommands(program: Command): void {
  const group = program
    .command('agent')
    .description('the agents: default agents, and the agents of tenants')
    .addHelpText('after', example('copydesk agent list'))
  group
    .command('list')
    .description('list the default agents, or the agents of a tenant')
    .option('--tenant <tenant>', `agents of this tenant: ${tenantNaming}`)
    .addHelpText('after', example('copydesk agent list --tenant "Example Ltd"'))
    .action(list)
  group
    .command('show')
    .description('show the settings of an agent, its versions, or the difference between two versions')
    .argument('<role>', 'for example blog_writer')
    .option('--tenant <tenant>', `agent of this tenant: ${tenantNaming}`)
    .option('--versions', 'list the versions of the agent')
    .option('--at <version>', 'show this version', wholeNumber(1, 1_000_000_000))
    .option('--against <version>', 'show the changes since this version', wholeNumber(1, 1_000_000_000))
    .addHelpText(
      'after',
      example('copydesk agent show blog_writer', 'copydesk agent show blog_writer --at 3 --against 1'),
    )
    .action(show)
  agentChangeCommands(group)
  agentTestCommand(group)
}

async function list({ tenant }: { tenant?: string }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  if (tenant === undefined) {
    const { data } = await withApp(config, (copydesk) => copydesk.asSystem().agentConfigs.list())
    return output.data(data, () =>
      table(
        ['ROLE', 'MODEL', 'ADAPTER', 'AT ONCE', 'CAP', 'SKILLS', 'PLANS'],
        data.map((agent) => [
          agent.role,
          agent.defaultModel,
          agent.defaultAdapter,
          String(agent.defaultConcurrency),
          usd(agent.maxCostUsdPerActivity),
          String(agent.defaultSkillIds.length),
          agent.isAvailableOnPlans.join(', ') || 'none',
        ]),
        [1, 6],
      ),
    )
  }
  const { data } = await withApp(config, async (copydesk) => {
    const id = await tenantId(copydesk.asSystem(), tenant)
    return copydesk.asSystem({ tenantId: id }).agents.list()
  })
  output.data(data, () =>
    table(
      ['ROLE', 'STATUS', 'MODEL', 'ADAPTER', 'AT ONCE', 'CAP', 'SKILLS', 'CUSTOM'],
      data.map((agent) => [
        agent.role,
        agent.status,
        agent.model,
        agent.adapterType,
        String(agent.concurrency),
        usd(agent.maxCostUsdPerActivity ?? null),
        String(agent.skillIds.length),
        agent.isGlobalDefault ? '-' : 'yes',
      ]),
      [2],
    ),
  )
}

interface ShowOptions {
  tenant?: string
  versions?: true
  at?: number
  against?: number
}

async function show(role: string, options: ShowOptions, command: Command): Promise<void> {
  const { tenant, versions, at, against } = options
  if (against !== undefined && at === undefined) throw wrongUsage('--against needs --at.')
  const { config, output } = prepare(command)
  await withApp(config, async (copydesk) => {
    const system = copydesk.asSystem()
    const own = tenant !== undefined && copydesk.asSystem({ tenantId: await tenantId(system, tenant) }).agents
    if (versions) {
      const all = await everything((page) =>
        own ? own.versions(role, page) : system.agentConfigs.versions(role, page),
      )
      return output.data(all, () => listedVersions(all))
    }
    if (at !== undefined) {
      const query = against === undefined ? {} : { against }
      const found = await (own || system.agentConfigs).version(role, at, query)
      return output.data(found, () => compared(found))
    }
    const agent = await (own || system.agentConfigs).get(role)
    output.data(agent, () => shown(agent))
  })
}

/** The settings line by line, followed by the prompt. */
function shown({ adapterConfig, ...agent }: { adapterConfig: { promptTemplate: string } }): string {
  const { promptTemplate, ...settings } = adapterConfig
  const lines = Object.entries({ ...agent, ...settings }).map(([name, value]) => {
    const text = value instanceof Date ? value.toISOString() : Array.isArray(value) ? value.join(', ') : value
    return `${name.padEnd(24)}${text === null || text === '' ? '-' : String(text)}`
  })
  return `${lines.join('\n')}\n\n${promptTemplate}`
}

const usd = (amount: number | null) => (amount === null ? 'none' : `$${amount}`)
