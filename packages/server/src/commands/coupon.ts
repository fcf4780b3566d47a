import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/prompts'
import { table } from '@copydesk/terminal/table'
import type { Command } from 'commander'
import { withApp } from '../app.ts'
import { day, prepare, wholeNumber } from './options.ts'

const dayMs = 86_400_000
const most = 1_000_000_000_000

/** `coupon create|list|disable`. */
export function couponCommands(program: Command): void {
  const group = program
    .command('coupon')
    .description('discount codes for subscriptions')
    .addHelpText('after', example('copydesk coupon list'))
  group
    .command('create')
    .description('create a coupon, by a percentage or by an amount')
    .requiredOption('--code <code>', 'code that people enter; not case-sensitive')
    .option('--percent <percent>', 'discount of every cycle, in percent', wholeNumber(1, 100))
    .option('--amount <amount>', 'discount, in cents or paise', wholeNumber(1, most))
    .option('--currency <currency>', 'currency of the amount: USD, INR, GBP or EUR')
    .option('--from <date>', 'first day on which it is valid (UTC)', day)
    .option('--until <date>', 'last day on which it is valid (UTC)', day)
    .option('--max <number>', 'maximum number of tenants that can redeem it', wholeNumber(1, 1_000_000_000))
    .option('--plan <plan...>', 'plans that it is valid for (default: all paid plans)')
    .addHelpText(
      'after',
      example(
        'copydesk coupon create --code SPRING --percent 20 --until 2026-05-31 --max 100',
        'copydesk coupon create --code WELCOME --amount 1000 --currency USD --plan starter pro',
      ),
    )
    .action(create)
  group
    .command('list')
    .description('list all coupons and how often they were redeemed')
    .addHelpText('after', example('copydesk coupon list --json'))
    .action(list)
  group
    .command('disable')
    .description('disable a coupon at once; existing discounts remain')
    .argument('<code>', 'code of the coupon')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', example('copydesk coupon disable SPRING --yes'))
    .action(disable)
}

interface CreateOptions {
  code: string
  percent?: number
  amount?: number
  currency?: string
  from?: Date
  until?: Date
  max?: number
  plan?: string[]
}

async function create(options: CreateOptions, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const { code, percent, amount, currency, from, until, max, plan } = options
  const coupon = await withApp(config, (copydesk) =>
    copydesk.asSystem().coupons.create({
      code,
      ...(percent !== undefined && { percentOff: percent }),
      ...(amount !== undefined && { amountOff: amount }),
      ...(currency !== undefined && { currency: currency.toUpperCase() }),
      ...(from && { validFrom: from }),
      ...(until && { validUntil: new Date(until.getTime() + dayMs) }),
      ...(max !== undefined && { maxRedemptions: max }),
      ...(plan && { plans: plan }),
    }),
  )
  output.data(coupon, () => coupon.code)
  output.done(`The coupon ${coupon.code} is ${coupon.status}.`)
}

async function list(_options: object, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const coupons = await withApp(config, (copydesk) => copydesk.asSystem().coupons.list())
  output.data(coupons, () =>
    table(
      ['CODE', 'OFF', 'PLANS', 'REDEEMED', 'UNTIL', 'STATUS'],
      coupons.map((coupon) => [
        coupon.code,
        coupon.percentOff === null ? `${coupon.amountOff} ${coupon.currency}` : `${coupon.percentOff} %`,
        coupon.plans?.join(', ') ?? 'all',
        coupon.maxRedemptions === null
          ? String(coupon.redemptions)
          : `${coupon.redemptions} of ${coupon.maxRedemptions}`,
        coupon.validUntil?.toISOString() ?? '-',
        coupon.status,
      ]),
    ),
  )
}

async function disable(code: string, { yes }: { yes?: true }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  if (!(await confirmed(`No one can redeem the coupon ${code} from now on.`, yes))) return
  const coupon = await withApp(config, (copydesk) => copydesk.asSystem().coupons.disable(code))
  output.data(coupon, () => `${coupon.code} is ${coupon.status}.`)
}
