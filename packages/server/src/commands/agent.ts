import type { Command } from 'commander'
import { withApp } from '../app.ts'
import { wrongUsage } from '@copydesk/terminal/failure'
import { table } from '@copydesk/terminal/talk'
import { agentChangeCommands } from './agent-change.ts'
import { agentTestCommand } from './agent-test/command.ts'
import { everything, tenantId } from './find.ts'
import { example } from '@copydesk/terminal/help'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { prepare, wholeNumber } from './options.ts'
import { compared, listedVersions } from './versions.ts'

/** `agent list|show|set|push|restore|test`. */
export function agentCommands(program: Command): void {
  const group = program
    .command('agent')
    .description('the agents: what they start from, and what tenants have set themselves')
    .addHelpText('after', example('copydesk agent list'))
  group
    .command('list')
    .description('list agents as they are before any tenant changes them, or those of a tenant')
    .option('--tenant <tenant>', `of this tenant: ${tenantNaming}`)
    .addHelpText('after', example('copydesk agent list --tenant "Example Ltd"'))
    .action(list)
  group
    .command('show')
    .description('show how an agent works, its versions, or what has changed between two')
    .argument('<role>', 'for example blog_writer')
    .option('--tenant <tenant>', `of this tenant: ${tenantNaming}`)
    .option('--versions', 'list its versions instead')
    .option('--at <version>', 'show this version instead', wholeNumber(1, 1_000_000_000))
    .option('--against <version>', 'what has changed since this version', wholeNumber(1, 1_000_000_000))
    .addHelpText(
      'after',
      example('copydesk agent show blog_writer', 'copydesk agent show blog_writer --at 3 --against 1'),
    )
    .action(show)
  agentChangeCommands(group)
  agentTestCommand(group)
}

async function list({ tenant }: { tenant?: string }, command: Command): Promise<void> {
  const { config, talk } = prepare(command)
  if (tenant === undefined) {
    const { data } = await withApp(config, (copydesk) => copydesk.asSystem().agentConfigs.list())
    return talk.data(data, () =>
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
  talk.data(data, () =>
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
  if (against !== undefined && at === undefined) throw wrongUsage('--against goes with --at.')
  const { config, talk } = prepare(command)
  await withApp(config, async (copydesk) => {
    const system = copydesk.asSystem()
    const own = tenant !== undefined && copydesk.asSystem({ tenantId: await tenantId(system, tenant) }).agents
    if (versions) {
      const all = await everything((page) =>
        own ? own.versions(role, page) : system.agentConfigs.versions(role, page),
      )
      return talk.data(all, () => listedVersions(all))
    }
    if (at !== undefined) {
      const query = against === undefined ? {} : { against }
      const found = await (own || system.agentConfigs).version(role, at, query)
      return talk.data(found, () => compared(found))
    }
    const agent = await (own || system.agentConfigs).get(role)
    talk.data(agent, () => shown(agent))
  })
}

/** Settings line by line, and the prompt below them. */
function shown({ adapterConfig, ...agent }: { adapterConfig: { promptTemplate: string } }): string {
  const { promptTemplate, ...settings } = adapterConfig
  const lines = Object.entries({ ...agent, ...settings }).map(([name, value]) => {
    const text = value instanceof Date ? value.toISOString() : Array.isArray(value) ? value.join(', ') : value
    return `${name.padEnd(24)}${text === null || text === '' ? '-' : String(text)}`
  })
  return `${lines.join('\n')}\n\n${promptTemplate}`
}

const usd = (amount: number | null) => (amount === null ? 'none' : `$${amount}`)
