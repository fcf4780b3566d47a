import { readFile } from 'node:fs/promises'
import type { Api } from '@copydesk/core'
import { type Command, InvalidArgumentError } from 'commander'
import { withApp } from '../app.ts'
import { wrongUsage } from '@copydesk/terminal/failure'
import { neededTenantId, tenantId, tenantIds } from './find.ts'
import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/asking'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { prepare, wholeNumber } from './options.ts'

/** `agent set|push|restore`. */
export function agentChangeCommands(group: Command): void {
  group
    .command('set')
    .description('change an agent for all tenants that have set nothing of their own, or for one tenant')
    .argument('<role>', 'for example blog_writer')
    .option('--tenant <tenant>', `only for this one: ${tenantNaming}`)
    .option('--model <model>', 'model that it asks')
    .option('--tools <tool...>', 'all of its tools; "none" takes them away')
    .option('--skills <id...>', 'all of its skills of the installation, by id; "none" takes them away')
    .option('--concurrency <number>', 'runs at the same time', wholeNumber(1, 10))
    .option('--max-cost <usd>', 'dollars that an activity may cost; "none" without --tenant', dollars)
    .option('--plans <plan...>', 'plans that it comes with; not with --tenant')
    .option('--prompt <file>', 'file with the prompt template; - reads it from stdin')
    .option('--timeout <seconds>', 'how long a run may take', wholeNumber(10, 3_600))
    .option('--grace <seconds>', 'how much longer one that is told to stop may take', wholeNumber(0, 300))
    .option('--turns <number>', 'turns of a run', wholeNumber(1, 100))
    .option(
      '--fallback <model...>',
      'models that are asked in turn when its own fails; "none" takes them away',
    )
    .option('--built-in', 'the built-in loop does its work; for one tenant, as the next three')
    .option('--command <name>', 'a command of the configuration does its work')
    .option('--webhook <url>', 'a runtime at this address does its work')
    .option(
      '--header <name>',
      'header by which that runtime knows us; its value is in COPYDESK_WEBHOOK_SECRET',
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
    .description('bring settings to tenants that have values of their own')
    .argument('<role>', 'for example blog_writer')
    .requiredOption('--fields <field...>', 'for example defaultModel or adapterConfig.timeoutSec')
    .option('--tenant <tenant...>', `only to these: ${tenantNaming} (default: all)`)
    .option('--override', 'take away what tenants have set themselves; without it they are skipped')
    .option('--yes', 'do not ask')
    .addHelpText('after', example('copydesk agent push blog_writer --fields defaultModel --override --yes'))
    .action(push)
  group
    .command('restore')
    .description('put a version of an agent back, as a new version')
    .argument('<role>', 'for example blog_writer')
    .argument('<version>', 'its number: copydesk agent show <role> --versions', wholeNumber(1, 1_000_000_000))
    .option('--tenant <tenant>', `of what this one has set itself: ${tenantNaming}`)
    .addHelpText('after', example('copydesk agent restore blog_writer 1'))
    .action(restore)
}

// Words of the command line, which the services check.
type MasterChanges = Parameters<Api['agentConfigs']['change']>[1]
type AgentChanges = Parameters<Api['agents']['change']>[1]
type Push = Parameters<Api['agentConfigs']['push']>[1]

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

/** Who does the work, as the options say; nothing where they say nothing. */
function adapterOf({ builtIn, command, webhook, header }: SetOptions) {
  const named = [builtIn && 'local', command && 'adapter_a', webhook && 'adapter_b'].filter(Boolean)
  if (named.length > 1) throw wrongUsage('Give one of --built-in, --command and --webhook.')
  if (header !== undefined && webhook === undefined) throw wrongUsage('--header needs --webhook.')
  const authValue = header === undefined ? undefined : process.env['COPYDESK_WEBHOOK_SECRET']
  if (header !== undefined && !authValue)
    throw wrongUsage(`Put the value of ${header} into the variable COPYDESK_WEBHOOK_SECRET.`)
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
    throw wrongUsage('--plans and --max-cost none are not for a single tenant.')
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
    throw wrongUsage('Say what is to be changed; --help lists it.')
  const { config, talk } = prepare(command)
  const agent = await withApp(config, async (copydesk) => {
    const system = copydesk.asSystem()
    if (!isOfOne) return system.agentConfigs.change(role, changes as MasterChanges)
    const which = '--built-in, --command and --webhook are for a single tenant: name it with --tenant.'
    const own = copydesk.asSystem({ tenantId: await neededTenantId(system, tenant, which) })
    return own.agents.change(role, changes as AgentChanges)
  })
  talk.data(agent, () => role)
  talk.done(`${agent.name} works with it from the next run on.`)
}

interface PushOptions {
  fields: string[]
  tenant?: string[]
  override?: true
  yes?: true
}

async function push(role: string, options: PushOptions, command: Command): Promise<void> {
  const { fields, tenant, override = false, yes } = options
  const { config, talk } = prepare(command)
  const loss = `What ${tenant ? tenant.join(', ') : 'all tenants'} have set themselves in ${fields.join(', ')} is taken away.`
  if (override && !(await confirmed(loss, yes))) return
  const receipt = await withApp(config, async (copydesk) => {
    const system = copydesk.asSystem()
    const scope = tenant
      ? { scope: 'specific_tenants' as const, tenantIds: await tenantIds(system, tenant) }
      : { scope: 'all_tenants' as const }
    return system.agentConfigs.push(role, { ...scope, fields, overrideCustom: override } as Push)
  })
  talk.data(receipt, () => `${receipt.pushed} tenants have it, ${receipt.skipped} keep values of their own.`)
}

async function restore(
  role: string,
  version: number,
  { tenant }: { tenant?: string },
  command: Command,
): Promise<void> {
  const { config, talk } = prepare(command)
  const agent = await withApp(config, async (copydesk) => {
    const system = copydesk.asSystem()
    if (tenant === undefined) return system.agentConfigs.restore(role, version)
    return copydesk.asSystem({ tenantId: await tenantId(system, tenant) }).agents.restore(role, version)
  })
  talk.data(agent, () => role)
  talk.done(`Version ${version} of ${agent.name} is back.`)
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
