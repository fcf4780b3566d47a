import { dayIn } from '../../../../kernel/periods.ts'
import { formatAmount } from '../amounts.ts'
import { taxParts } from '../invoicing.ts'
import { lastDay } from '../periods/dates.ts'
import type { InvoiceParty } from './entities.ts'
import type { InvoiceWithLines } from './read-queries.ts'

/** An invoice or a credit note as Markdown, of which its PDF is made. */
export function invoiceDocument({ row, lines }: InvoiceWithLines): string {
  const { number, type, currency, issuer, buyer, timezone, periodStart, periodEnd } = row
  const isCredit = type === 'credit_note'
  const money = (amount: number) => literal(formatAmount(amount, currency))
  const title = isCredit ? 'Credit note' : issuer?.taxNumber ? 'Tax invoice' : 'Invoice'
  const dates = [
    `Date: ${dayIn(row.issuedOn, timezone)}`,
    ...(isCredit ? [] : [`Due: ${dayIn(row.dueDate, timezone)}`]),
    ...(row.paidOn ? [`Paid: ${dayIn(row.paidOn, timezone)}`] : []),
    ...(periodStart && periodEnd
      ? [`Period: ${dayIn(periodStart, timezone)} to ${lastDay(periodEnd, timezone)}`]
      : []),
  ]
  const rows = lines.map((line) => [
    literal(line.description),
    money(line.amount),
    `${line.taxRate / 100} %`,
    money(line.tax),
  ])
  const taxes = taxParts(row.tax, { issuer, buyer }).map(({ name, amount, share }) => {
    const rates = [...new Set(lines.map(({ taxRate }) => taxRate / share / 100))]
    return [`${name}${rates.length === 1 ? ` ${rates[0]} %` : ''}`, money(amount)]
  })
  const due = row.amount - row.withheld
  const totals = [
    ['Subtotal', money(row.subtotal)],
    ...(row.tax === 0 ? [] : taxes),
    ...(row.credit > 0 ? [['Credit used', money(-row.credit)]] : []),
    [isCredit ? 'Credited' : 'Total', money(row.amount)],
    ...(row.withheld > 0
      ? [
          ['Tax deducted at source', money(-row.withheld)],
          ['To be paid', money(due)],
        ]
      : []),
  ]
  return `${[
    `# ${title} ${literal(number)}`,
    dates.map((one) => `- ${one}`).join('\n'),
    ...(issuer ? ['## From', party(issuer)] : []),
    ...(buyer ? ['## To', party(buyer)] : []),
    '## Lines',
    table(['Description', 'Amount', 'Tax', 'Tax amount'], rows),
    '## Total',
    table(['', 'Amount'], totals),
  ].join('\n\n')}\n`
}

function party({ name, address, state, country, taxNumber }: InvoiceParty): string {
  const place = [state, country].filter((part) => part !== null && part !== '').join(', ')
  return [name, address, place, taxNumber && `Tax number: ${taxNumber}`]
    .filter((part): part is string => part !== null && part !== '')
    .map((part) => `- ${literal(part)}`)
    .join('\n')
}

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

/** Text of people stays text, whatever marks are in it. */
function literal(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()#+!|<>~&-]/g, '\\$&')
}
