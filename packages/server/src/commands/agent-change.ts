import { readFile } from 'node:fs/promises'
import type { SystemApi } from '@copydesk/core'
import { wrongUsage } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/prompts'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { type Command, InvalidArgumentError } from 'commander'
import { withApp } from '../app.ts'
import { neededTenantId, tenantId, tenantIds } from './find.ts'
import { prepare, wholeNumber } from './options.ts'

/** `agent set|push|restore`. */
export function agentChangeCommands(group: Command): void {
  group
    .command('set')
    .description('change an agent for all tenants that inherit its settings, or for one tenant')
    .argument('<role>', 'for example blog_writer')
    .option('--tenant <tenant>', `change it only for this tenant: ${tenantNaming}`)
    .option('--model <model>', 'model that the agent uses')
    .option('--tools <tool...>', 'all tools of the agent; "none" removes them')
    .option(
      '--skills <id...>',
      'ids of all skills of the installation that the agent has; "none" removes them',
    )
    .option('--concurrency <number>', 'runs at the same time', wholeNumber(1, 10))
    .option(
      '--max-cost <usd>',
      'maximum cost of an activity in US dollars; "none" removes the limit, only without --tenant',
      dollars,
    )
    .option('--plans <plan...>', 'plans that include the agent; not with --tenant')
    .option('--prompt <file>', 'file with the prompt template; - reads it from stdin')
    .option('--timeout <seconds>', 'maximum duration of a run', wholeNumber(10, 3_600))
    .option('--grace <seconds>', 'how long a cancelled run may take to stop', wholeNumber(0, 300))
    .option('--turns <number>', 'maximum number of turns of a run', wholeNumber(1, 100))
    .option(
      '--fallback <model...>',
      'models to use, in this order, when the agent\'s model fails; "none" removes them',
    )
    .option('--built-in', 'use the built-in loop; for one tenant only, as are the next three')
    .option('--command <name>', 'use a command-line agent of the configuration')
    .option('--webhook <url>', 'use the agent runtime at this address')
    .option(
      '--header <name>',
      'header that authenticates Copydesk to that runtime; its value is read from COPYDESK_WEBHOOK_SECRET',
    )
    .addHelpText(
      'after',
      example(
        'copydesk agent set blog_writer --prompt blog-writer.md --max-cost 0.50',
        'copydesk agent set blog_writer --tenant example.com --concurrency 4',
        'copydesk agent set blog_writer --tenant example.com --command claude',
      ),
    )
    .action(set)
  group
    .command('push')
    .description('copy settings to tenants that have changed them')
    .argument('<role>', 'for example blog_writer')
    .requiredOption('--fields <field...>', 'for example defaultModel or adapterConfig.timeoutSec')
    .option('--tenant <tenant...>', `only to these tenants: ${tenantNaming} (default: all)`)
    .option(
      '--override',
      'overwrite what tenants have set themselves; without this option those tenants are skipped',
    )
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', example('copydesk agent push blog_writer --fields defaultModel --override --yes'))
    .action(push)
  group
    .command('restore')
    .description('restore a version of an agent, as a new version')
    .argument('<role>', 'for example blog_writer')
    .argument(
      '<version>',
      'number of the version: copydesk agent show <role> --versions',
      wholeNumber(1, 1_000_000_000),
    )
    .option('--tenant <tenant>', `restore the settings of this tenant: ${tenantNaming}`)
    .addHelpText('after', example('copydesk agent restore blog_writer 1'))
    .action(restore)
}

// Values of the command line; the services validate them.
type MasterChanges = Parameters<SystemApi['agentConfigs']['change']>[1]
type AgentChanges = Parameters<SystemApi['agents']['change']>[1]
type Push = Parameters<SystemApi['agentConfigs']['push']>[1]

interface SetOptions {
  tenant?: string
  model?: string
  tools?: string[]
  skills?: string[]
  concurrency?: number
  maxCost?: number | 'none'
  plans?: string[]
  prompt?: string
  timeout?: number
  grace?: number
  turns?: number
  fallback?: string[]
  builtIn?: true
  command?: string
  webhook?: string
  header?: string
}

/** The adapter settings from the options; empty when no option sets them. */
function adapterOf({ builtIn, command, webhook, header }: SetOptions) {
  const named = [builtIn && 'local', command && 'adapter_a', webhook && 'adapter_b'].filter(Boolean)
  if (named.length > 1) throw wrongUsage('Give one of --built-in, --command and --webhook.')
  if (header !== undefined && webhook === undefined) throw wrongUsage('--header needs --webhook.')
  const authValue = header === undefined ? undefined : process.env['COPYDESK_WEBHOOK_SECRET']
  if (header !== undefined && !authValue)
    throw wrongUsage(`Set the variable COPYDESK_WEBHOOK_SECRET to the value of ${header}.`)
  return {
    adapterType: named[0],
    settings: given({ command, webhookUrl: webhook, authHeader: header, authValue }),
  }
}

async function set(role: string, options: SetOptions, command: Command): Promise<void> {
  const { tenant, model, concurrency, maxCost, plans, prompt, timeout, grace, turns } = options
  const [tools, skills] = [listOf(options.tools), listOf(options.skills)]
  const promptTemplate = prompt === undefined ? undefined : await textOf(prompt)
  const adapter = adapterOf(options)
  const fallbackModels = listOf(options.fallback)
  const settings = {
    ...given({ promptTemplate, timeoutSec: timeout, graceSec: grace, maxTurnsPerRun: turns, fallbackModels }),
    ...adapter.settings,
  }
  const adapterConfig = Object.keys(settings).length === 0 ? undefined : settings
  const isOfOne = tenant !== undefined || adapter.adapterType !== undefined
  if (isOfOne && (plans || maxCost === 'none'))
    throw wrongUsage('--plans and --max-cost none cannot be used with --tenant.')
  const changes = !isOfOne
    ? {
        defaultModel: model,
        defaultTools: tools,
        defaultSkillIds: skills,
        defaultConcurrency: concurrency,
        maxCostUsdPerActivity: maxCost === 'none' ? null : maxCost,
        isAvailableOnPlans: listOf(plans),
        adapterConfig,
      }
    : {
        model,
        toolNames: tools,
        skillIds: skills,
        concurrency,
        maxCostUsdPerActivity: maxCost,
        adapterType: adapter.adapterType,
        adapterConfig,
      }
  if (Object.keys(given(changes)).length === 0)
    throw wrongUsage('Give at least one option that changes something; --help lists them.')
  const { config, output } = prepare(command)
  const agent = await withApp(config, async (copydesk) => {
    const system = copydesk.asSystem()
    if (!isOfOne) return system.agentConfigs.change(role, changes as MasterChanges)
    const which = '--built-in, --command and --webhook apply to one tenant: name it with --tenant.'
    const own = copydesk.asSystem({ tenantId: await neededTenantId(system, tenant, which) })
    return own.agents.change(role, changes as AgentChanges)
  })
  output.data(agent, () => role)
  output.done(`${agent.name} uses these settings from its next run on.`)
}

interface PushOptions {
  fields: string[]
  tenant?: string[]
  override?: true
  yes?: true
}

async function push(role: string, options: PushOptions, command: Command): Promise<void> {
  const { fields, tenant, override = false, yes } = options
  const { config, output } = prepare(command)
  const loss = `This overwrites what ${tenant ? tenant.join(', ') : 'all tenants'} have set themselves in ${fields.join(', ')}.`
  if (override && !(await confirmed(loss, yes))) return
  const receipt = await withApp(config, async (copydesk) => {
    const system = copydesk.asSystem()
    const scope = tenant
      ? { scope: 'specific_tenants' as const, tenantIds: await tenantIds(system, tenant) }
      : { scope: 'all_tenants' as const }
    return system.agentConfigs.push(role, { ...scope, fields, overrideCustom: override } as Push)
  })
  output.data(
    receipt,
    () => `${receipt.pushed} tenants were updated, ${receipt.skipped} keep their own values.`,
  )
}

async function restore(
  role: string,
  version: number,
  { tenant }: { tenant?: string },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const agent = await withApp(config, async (copydesk) => {
    const system = copydesk.asSystem()
    if (tenant === undefined) return system.agentConfigs.restore(role, version)
    return copydesk.asSystem({ tenantId: await tenantId(system, tenant) }).agents.restore(role, version)
  })
  output.data(agent, () => role)
  output.done(`Version ${version} of ${agent.name} is restored.`)
}

function dollars(text: string): number | 'none' {
  if (text === 'none') return text
  if (/^\d+(\.\d{1,6})?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be an amount such as 0.50, or none.')
}

function listOf(words: string[] | undefined): string[] | undefined {
  return words?.length === 1 && words[0] === 'none' ? [] : words
}

function given(values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

async function textOf(file: string): Promise<string> {
  return file === '-' ? (await process.stdin.toArray()).join('') : readFile(file, 'utf8')
}
