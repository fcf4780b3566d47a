import type { SystemApi } from '@copydesk/core'
import { Failure } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { confirmed, secretFromStdin } from '@copydesk/terminal/prompts'
import { table } from '@copydesk/terminal/table'
import { type Command, Option } from 'commander'
import { withApp } from '../app.ts'
import { prepare } from './options.ts'

const types = ['hosted_a', 'hosted_b', 'local', 'custom'] as const
const plans = ['free', 'starter', 'pro', 'agency', 'enterprise'] as const
const keyVariable = 'COPYDESK_PROVIDER_API_KEY'

/** `provider list|add|set|remove|check`. */
export function providerCommands(program: Command): void {
  const group = program
    .command('provider')
    .description('model providers')
    .addHelpText('after', example('copydesk provider list'))
  group
    .command('list')
    .description('list providers with their status; those of the configuration first')
    .addHelpText('after', example('copydesk provider list --json'))
    .action(list)
  group
    .command('add')
    .description('add a provider; running servers offer its models at once')
    .requiredOption('--name <name>', 'name of the provider')
    .addOption(new Option('--type <type>', 'type of the provider').choices(types).makeOptionMandatory())
    .requiredOption('--model <id...>', 'models of the provider')
    .option('--base-url <url>', 'address of the provider; needed for local and custom')
    .addOption(new Option('--plan <plan...>', 'plans whose tenants may use it (default: all)').choices(plans))
    .option('--key-stdin', `read its API key from stdin (or set ${keyVariable})`)
    .addHelpText(
      'after',
      example('copydesk provider add --name Vendor --type hosted_a --model m-1 m-2 --key-stdin < key.txt'),
    )
    .action(add)
  group
    .command('set')
    .description('change a provider that was added with `provider add`')
    .argument('<provider>', 'id or name of the provider')
    .option('--base-url <url>', 'new address')
    .option('--model <id...>', 'all models of the provider')
    .addOption(new Option('--plan <plan...>', 'plans whose tenants may use it').choices(plans))
    .option('--key-stdin', `read a new API key from stdin (or set ${keyVariable})`)
    .addOption(
      new Option('--status <status>', 'whether its models are available').choices(['active', 'disabled']),
    )
    .addHelpText('after', example('copydesk provider set Vendor --status disabled'))
    .action(change)
  group
    .command('remove')
    .description('remove a provider; agents that use its models fail on their next run')
    .argument('<provider>', 'id or name of the provider')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', example('copydesk provider remove Vendor --yes'))
    .action(remove)
  group
    .command('check')
    .description('check that providers respond and accept their key; uses no tokens')
    .argument('[provider]', 'id or name of the provider (default: all)')
    .addHelpText('after', example('copydesk provider check'))
    .action(check)
}

type Provider = Awaited<ReturnType<SystemApi['providers']['list']>>['data'][number]

const show = (providers: readonly Provider[]) =>
  table(
    ['ID', 'NAME', 'TYPE', 'STATUS', 'MODELS', 'CALLS', 'SPENT'],
    providers.map((one) => [
      one.id,
      one.name,
      one.type,
      one.enabled ? one.status : 'disabled',
      one.models.map(({ id }) => id).join(', '),
      String(one.monthlyCallCount),
      `$${one.monthlySpendUsd}`,
    ]),
    [1, 4],
  )

async function list(_options: object, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const { data } = await withApp(config, (copydesk) => copydesk.asSystem().providers.list())
  output.data(data, () => show(data))
}

interface Given {
  baseUrl?: string
  model?: string[]
  plan?: Array<(typeof plans)[number]>
  keyStdin?: true
}

async function add(
  options: Given & { name: string; type: (typeof types)[number]; model: string[] },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const apiKey = await keyFrom(options)
  const added = await withApp(config, async (copydesk) => {
    const { providers } = copydesk.asSystem()
    const { id } = await providers.create({
      name: options.name,
      type: options.type,
      models: offered(options.model, options.plan ?? [...plans]),
      ...(options.baseUrl !== undefined && { baseUrl: options.baseUrl }),
      ...(apiKey !== undefined && { apiKey }),
    })
    return providers.check(id)
  })
  output.data(added, () => show([added]))
  if (added.statusMessage) output.warn(added.statusMessage)
}

async function change(
  given: string,
  options: Given & { status?: 'active' | 'disabled' },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const apiKey = await keyFrom(options)
  const changed = await withApp(config, async (copydesk) => {
    const { providers } = copydesk.asSystem()
    const { id, models } = await find(providers, given)
    const names = options.model ?? (options.plan && models.map((model) => model.id))
    const known = new Map(models.map((model) => [model.id, model]))
    const next = names?.map((name) => ({
      id: name,
      name: known.get(name)?.name ?? name,
      availableOnPlans: options.plan ??
        (known.get(name)?.availableOnPlans as typeof options.plan) ?? [...plans],
    }))
    const now = await providers.change(id, {
      ...(next && { models: next }),
      ...(options.baseUrl !== undefined && { baseUrl: options.baseUrl }),
      ...(options.status && { status: options.status }),
      ...(apiKey !== undefined && { apiKey }),
    })
    return now.enabled ? providers.check(id) : now
  })
  output.data(changed, () => show([changed]))
  if (changed.enabled && changed.statusMessage) output.warn(changed.statusMessage)
}

async function remove(given: string, { yes }: { yes?: true }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const question = `This removes ${given}; agents that use its models fail on their next run.`
  if (!(await confirmed(question, yes))) return
  const removed = await withApp(config, async (copydesk) => {
    const { providers } = copydesk.asSystem()
    const { id, name } = await find(providers, given)
    await providers.remove(id)
    return { id, name }
  })
  output.data(removed, () => `${removed.name} is removed.`)
}

async function check(given: string | undefined, _options: object, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const checked = await withApp(config, async (copydesk) => {
    const { providers } = copydesk.asSystem()
    const meant = given === undefined ? (await providers.list()).data : [await find(providers, given)]
    return Promise.all(meant.map(({ id }) => providers.check(id)))
  })
  output.data(checked, () => show(checked))
  for (const { name, statusMessage } of checked) if (statusMessage) output.warn(`${name}: ${statusMessage}`)
  if (checked.some(({ status }) => status !== 'healthy')) process.exitCode = 1
}

/** @throws Failure when there is no such provider */
async function find(providers: SystemApi['providers'], given: string): Promise<Provider> {
  const wanted = given.trim().toLowerCase()
  const { data } = await providers.list()
  const found = data.find(({ id, name }) => id === given || name.toLowerCase() === wanted)
  if (found) return found
  throw new Failure(`There is no provider ${given}. \`copydesk provider list\` shows them.`)
}

function offered(models: readonly string[], availableOnPlans: Array<(typeof plans)[number]>) {
  return models.map((id) => ({ id, name: id, availableOnPlans }))
}

async function keyFrom({ keyStdin }: Given): Promise<string | undefined> {
  return keyStdin ? secretFromStdin('API key') : process.env[keyVariable] || undefined
}
