import { example } from '@copydesk/terminal/help'
import { table } from '@copydesk/terminal/table'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { withApp } from '../app.ts'
import { prepare, wholeNumber } from './options.ts'

const cycles = ['monthly', 'quarterly', 'annual'] as const

/** `plan list|set`. */
export function planCommands(program: Command): void {
  const group = program
    .command('plan')
    .description('plans and their prices')
    .addHelpText('after', example('copydesk plan list'))
  group
    .command('list')
    .description('list the prices of all plans')
    .option('--region <code>', 'only the prices of this region, for example GB')
    .addHelpText('after', example('copydesk plan list --region EU'))
    .action(list)
  group
    .command('set')
    .description('set a price or a trial; existing subscriptions keep theirs')
    .argument('<plan>', 'free, starter, pro, agency or enterprise')
    .requiredOption('--region <code>', 'US, IN, GB or EU')
    .addOption(new Option('--cycle <cycle>', 'billing cycle').choices(cycles).default('monthly'))
    .option('--price <amount>', 'price of a cycle, in cents or paise', wholeNumber(0, 1_000_000_000_000))
    .option('--trial-days <days>', 'length of the trial in days, in every region', wholeNumber(0, 365))
    .option(
      '--included <usd>',
      'US dollars of agent spending included in a cycle, or "all", in every region',
      includedUsage,
    )
    .option(
      '--overage <amount>',
      'price of each US dollar beyond that, in cents or paise',
      wholeNumber(0, 1_000_000_000_000),
    )
    .addHelpText(
      'after',
      example(
        'copydesk plan set pro --region GB --price 6900 --trial-days 14',
        'copydesk plan set pro --region GB --included 50 --overage 95',
      ),
    )
    .action(set)
}

/** Micro-dollars of an amount such as 12.50; null for "all". */
function includedUsage(given: string): number | null {
  if (given === 'all') return null
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(given))
    throw new InvalidArgumentError('Must be US dollars such as 50 or 12.50, or "all".')
  return Math.round(Number(given) * 1_000_000)
}

interface Price {
  id: string
  plan: string
  region: string
  cycle: string
  amount: number
  currency: string
  trialDays: number
  includedMicros: number | null
  overageAmount: number
}

const show = (prices: readonly Price[]) =>
  table(
    ['PLAN', 'REGION', 'CYCLE', 'PRICE', 'TRIAL', 'INCLUDED', 'OVERAGE', 'ID'],
    prices.map(({ id, plan, region, cycle, amount, currency, trialDays, includedMicros, overageAmount }) => [
      plan,
      region,
      cycle,
      `${(amount / 100).toFixed(2)} ${currency}`,
      trialDays === 0 ? '-' : `${trialDays} days`,
      includedMicros === null ? 'all' : `$${(includedMicros / 1_000_000).toFixed(2)}`,
      includedMicros === null ? '-' : `${(overageAmount / 100).toFixed(2)} ${currency}`,
      id,
    ]),
  )

async function list({ region }: { region?: string }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const all = await withApp(config, (copydesk) => copydesk.asSystem().plans.list())
  const prices = all.filter((price) => region === undefined || price.region === region.toUpperCase())
  output.data(prices, () => show(prices))
}

interface SetOptions {
  region: string
  cycle: (typeof cycles)[number]
  price?: number
  trialDays?: number
  included?: number | null
  overage?: number
}

async function set(
  plan: string,
  { region, cycle, price, trialDays, included, overage }: SetOptions,
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const now = await withApp(config, (copydesk) =>
    copydesk.asSystem().plans.setPrice({
      plan,
      region: region.toUpperCase(),
      cycle,
      ...(price !== undefined && { amount: price }),
      ...(trialDays !== undefined && { trialDays }),
      ...(included !== undefined && { includedMicros: included }),
      ...(overage !== undefined && { overageAmount: overage }),
    }),
  )
  output.data(now, () => show([now]))
}
