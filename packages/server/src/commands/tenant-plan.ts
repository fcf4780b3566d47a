import type { SystemApi } from '@copydesk/core'
import { wrongUsage } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/prompts'
import { table } from '@copydesk/terminal/table'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { Argument, type Command, Option } from 'commander'
import { withApp } from '../app.ts'
import { tenantId } from './find.ts'
import { prepare } from './options.ts'

const actions = ['extend_trial', 'apply_discount', 'mark_paid', 'change_plan'] as const

/** `tenant plan|override`. */
export function tenantPlanCommands(group: Command): void {
  group
    .command('plan')
    .description('move a tenant to another plan at once; the difference is billed or becomes credit')
    .argument('<tenant>', tenantNaming)
    .argument('<plan>', 'free, starter, pro, agency or enterprise')
    .addOption(
      new Option('--cycle <cycle>', 'billing cycle (default: as it is)').choices(['monthly', 'annual']),
    )
    .option('--reason <text>', 'reason, for the audit log')
    .option('--dry-run', 'show what would be billed, and change nothing')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      example(
        'copydesk tenant plan example.com agency --dry-run',
        'copydesk tenant plan example.com agency --reason "asked for by phone" --yes',
      ),
    )
    .action(plan)
  group
    .command('override')
    .description('do by hand what billing would do by itself or not at all')
    .argument('<tenant>', tenantNaming)
    .addArgument(new Argument('<action>', 'what to do').choices(actions))
    .argument('[value]', 'days for extend_trial, a percentage for apply_discount, a plan for change_plan')
    .requiredOption('--reason <text>', 'reason, for the audit log')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      example('copydesk tenant override example.com apply_discount 20 --reason "a year of patience" --yes'),
    )
    .action(override)
}

interface PlanOptions {
  cycle?: 'monthly' | 'annual'
  reason?: string
  dryRun?: true
  yes?: true
}

type Receipt = Awaited<ReturnType<SystemApi['billing']['setPlan']>>

async function plan(
  tenant: string,
  name: string,
  { cycle, reason, dryRun, yes }: PlanOptions,
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  if (reason === undefined && !dryRun) throw wrongUsage('Give a --reason for the audit log, or --dry-run.')
  const order = { plan: name, ...(cycle && { cycle }), reason: reason ?? 'dry run' }
  const receipt = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const id = await tenantId(api, tenant)
    const expected = await api.billing.setPlan(id, { ...order, dryRun: true })
    if (dryRun) return expected
    if (!yes) output.done(`${showReceipt(expected)}\n`)
    if (!(await confirmed(`${tenant} is moved to the plan ${expected.after.plan} now.`, yes)))
      return undefined
    return api.billing.setPlan(id, order)
  })
  if (receipt) output.data(receipt, () => showReceipt(receipt))
}

function showReceipt({ before, after, invoice, applied }: Receipt): string {
  const verb = applied ? 'is' : 'would be'
  const head = `${before.plan}, ${before.cycle} (${before.priceFormatted}) ${verb} ${after.plan}, ${after.cycle} (${after.priceFormatted}).`
  if (!invoice) return `${head}\nNothing ${verb} billed now.`
  const what = invoice.type === 'credit_note' ? 'a credit note' : 'an invoice'
  const lines = table(
    ['LINE', 'AMOUNT'],
    invoice.lines.map(({ description, amountFormatted }) => [description, amountFormatted]),
    [0],
  )
  return `${head}\n${lines}\nThis ${verb} ${what}${invoice.number === null ? '' : ` (${invoice.number})`} over ${invoice.amountFormatted}.`
}

async function override(
  tenant: string,
  action: (typeof actions)[number],
  value: string | undefined,
  { reason, yes }: { reason: string; yes?: true },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const what = value === undefined ? action : `${action} ${value}`
  if (!(await confirmed(`This does ${what} for ${tenant}.`, yes))) return
  const done = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const id = await tenantId(api, tenant)
    return api.tenants.overrideBilling(id, { action, reason, ...(value !== undefined && { value }) })
  })
  output.data(done, () => `${what} is done for ${tenant}.`)
}
