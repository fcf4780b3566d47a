import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { SystemApi } from '@copydesk/core'
import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/prompts'
import { table } from '@copydesk/terminal/table'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { type Command, Option } from 'commander'
import { withApp } from '../app.ts'
import { everything, tenantId } from './find.ts'
import { day, prepare, wholeNumber } from './options.ts'

const statuses = ['paid', 'pending', 'failed', 'refunded'] as const
const most = 1_000_000_000_000
const idOfInvoice = 'id of the invoice, from `copydesk invoice list`'

/** `invoice list|show|pdf|mark-paid|credit`. */
export function invoiceCommands(program: Command): void {
  const group = program
    .command('invoice')
    .description('invoices and credit notes of tenants')
    .addHelpText('after', example('copydesk invoice list --status pending'))
  group
    .command('list')
    .description('list invoices, newest first, with their sums')
    .option('--tenant <tenant>', `only invoices of this tenant: ${tenantNaming}`)
    .addOption(new Option('--status <status>', 'only invoices in this state').choices(statuses))
    .option('--from <date>', 'issued on this day (UTC) or later', day)
    .option('--until <date>', 'issued on this day (UTC) or earlier', day)
    .addHelpText('after', example('copydesk invoice list --tenant "Example Ltd" --from 2026-04-01 --json'))
    .action(list)
  group
    .command('show')
    .description('show an invoice with its lines')
    .argument('<invoice>', idOfInvoice)
    .addHelpText('after', example('copydesk invoice show 01JZ8K3V9Q4W5X6Y7Z8A9B0C1D'))
    .action(show)
  group
    .command('pdf')
    .description('write the PDF of an invoice to a file')
    .argument('<invoice>', idOfInvoice)
    .option('--out <file>', 'file to write (default: the number of the invoice)')
    .addHelpText('after', example('copydesk invoice pdf 01JZ8K3V9Q4W5X6Y7Z8A9B0C1D --out invoice.pdf'))
    .action(pdf)
  group
    .command('mark-paid')
    .description('mark an invoice as paid; with nothing else open the tenant works again')
    .argument('<invoice>', idOfInvoice)
    .option('--reference <text>', 'reference of the payment')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      example('copydesk invoice mark-paid 01JZ8K3V9Q4W5X6Y7Z8A9B0C1D --reference "transfer 4711"'),
    )
    .action(markPaid)
  group
    .command('credit')
    .description('issue a credit note for an invoice; what was paid becomes credit for the next ones')
    .argument('<invoice>', idOfInvoice)
    .requiredOption('--reason <text>', 'reason, which the credit note shows')
    .option(
      '--amount <amount>',
      'amount with tax, in cents or paise (default: all of it)',
      wholeNumber(1, most),
    )
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      example('copydesk invoice credit 01JZ8K3V9Q4W5X6Y7Z8A9B0C1D --reason "Wrong plan" --yes'),
    )
    .action(credit)
}

interface ListOptions {
  tenant?: string
  status?: (typeof statuses)[number]
  from?: Date
  until?: Date
}

type Invoices = Awaited<ReturnType<SystemApi['invoices']['list']>>

async function list({ tenant, status, from, until }: ListOptions, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const { invoices, totals } = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const filter = {
      ...(tenant !== undefined && { 'filter.tenantId': await tenantId(api, tenant) }),
      ...(status && { 'filter.status': status }),
      ...(from && { 'filter.startDate': from.toISOString().slice(0, 10) }),
      ...(until && { 'filter.endDate': until.toISOString().slice(0, 10) }),
    }
    let sums: Invoices['totals'] | undefined
    const found = await everything(async (page) => {
      const next = await api.invoices.list({ ...page, ...filter })
      sums ??= next.totals
      return next
    })
    return { invoices: found, totals: sums }
  })
  output.data({ invoices, totals }, () =>
    [
      table(
        ['NUMBER', 'TENANT', 'AMOUNT', 'STATUS', 'ISSUED', 'DUE', 'ID'],
        invoices.map((one) => [
          one.number,
          one.tenantName,
          one.amountInrFormatted,
          one.status,
          shown(one.createdOn),
          shown(one.dueDate),
          one.id,
        ]),
        [1],
      ),
      ...(totals?.totalsByCurrency ?? []).map((sum) => `total ${sum.currency}: ${sum.totalFormatted}`),
    ].join('\n'),
  )
}

async function show(id: string, _options: object, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const invoice = await withApp(config, (copydesk) => copydesk.asSystem().invoices.get(id))
  const { number, tenantName, amountInrFormatted, status, lines, createdOn, dueDate } = invoice
  output.data(invoice, () =>
    [
      `${number}, ${tenantName}: ${amountInrFormatted}, ${status}, issued ${shown(createdOn)}, due ${shown(dueDate)}`,
      table(
        ['LINE', 'AMOUNT', 'TAX'],
        lines.map(({ description, amountFormatted, taxRate }) => [
          description,
          amountFormatted,
          `${taxRate} %`,
        ]),
        [0],
      ),
    ].join('\n'),
  )
}

async function pdf(id: string, { out }: { out?: string }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const file = await withApp(config, (copydesk) => copydesk.asSystem().invoices.pdf(id))
  const path = resolve(out ?? file.name)
  await writeFile(path, file.bytes)
  output.data({ path, bytes: file.bytes.byteLength }, () => path)
}

async function markPaid(
  id: string,
  { reference, yes }: { reference?: string; yes?: true },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  if (!(await confirmed(`The invoice ${id} counts as paid from now on.`, yes))) return
  const paid = await withApp(config, (copydesk) =>
    copydesk.asSystem().invoices.markPaid(id, reference ?? null),
  )
  output.data(paid, () => `${paid.number} is paid.`)
}

async function credit(
  id: string,
  { reason, amount, yes }: { reason: string; amount?: number; yes?: true },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  if (!(await confirmed(`A credit note for the invoice ${id} cannot be taken back.`, yes))) return
  const note = await withApp(config, (copydesk) =>
    copydesk.asSystem().invoices.credit(id, { reason, ...(amount !== undefined && { amount }) }),
  )
  output.data(
    note,
    () => `${note.number} is issued over ${note.amount} (smallest units of ${note.currency}).`,
  )
}

const shown = (date: Date) => date.toISOString().slice(0, 10)
