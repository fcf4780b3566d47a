import type { Reply } from '@copydesk/client'
import { type Fact, factRows } from '../render/facts.ts'
import { flowText, measured } from '../render/flow.ts'
import { type Column, emptyRow, row, type StyledLine, span, tableOf } from '../render/row.ts'
import { isOpen, isOverdue, type ListedInvoice } from './billing-columns.ts'
import { commandOf } from './requests.ts'
import type { Binding, OpenScreen } from './screen.ts'
import { scrollingScreen } from './scroll.ts'
import type { Shell } from './shell.ts'

type Invoice = Reply<'cli', 'GET /invoices/:invoiceId'>

const lineColumns: ReadonlyArray<Column<Invoice['lines'][number]>> = [
  { title: 'line', cell: ({ description }) => description, least: 16 },
  { title: 'amount', cell: ({ amountFormatted }) => amountFormatted, align: 'right' },
  { title: 'tax', cell: ({ taxRate }) => `${taxRate} %`, align: 'right', tone: () => 'dim', rank: 1 },
]

/** One invoice with its lines. */
export function invoiceScreen(listed: Pick<ListedInvoice, 'id' | 'number' | 'tenantName'>): OpenScreen {
  return (shell) => {
    let invoice: Invoice | undefined
    const stop = new AbortController()
    const { id: invoiceId } = listed
    const refresh = () =>
      void shell.attempt(async () => {
        const input = { params: { invoiceId }, signal: stop.signal }
        invoice = await shell.client.call('cli', 'GET /invoices/:invoiceId', input)
        shell.changed()
      })
    refresh()
    const draw = (width: number): StyledLine[] =>
      invoice ? invoiceRows(invoice, width, shell.now()) : [row(span('Loading …', 'dim'))]
    return scrollingScreen(draw, {
      name: 'the invoice',
      title: () => row(span(listed.number, 'strong'), span(`  ${listed.tenantName}`, 'dim')),
      bindings: () => [payBinding(shell, () => invoice, refresh)],
      refresh,
      close: () => stop.abort(),
    })
  }
}

function invoiceRows(invoice: Invoice, width: number, now: number): StyledLine[] {
  const { amountInrFormatted, eventType, status, createdOn, dueDate, paidOn, paymentEntityId } = invoice
  const facts: Fact[] = [
    ['amount', amountInrFormatted],
    ['kind', eventType.replaceAll('_', ' ')],
    ['status', isOverdue(invoice, now) ? `${status}, overdue` : status],
    ['issued', createdOn.slice(0, 10)],
    ['due', dueDate.slice(0, 10)],
    ...(paidOn === null ? [] : [['paid', paidOn.slice(0, 10)] as const]),
    ...(paymentEntityId === null ? [] : [['payment', paymentEntityId] as const]),
  ]
  return [...factRows(facts, measured(width)), emptyRow, ...tableOf(lineColumns, invoice.lines, width)]
}

/** Marks an invoice as paid, after a confirmation that shows the command that does the same. */
export function payBinding(
  shell: Shell,
  invoice: () =>
    | Pick<ListedInvoice, 'id' | 'number' | 'status' | 'tenantName' | 'amountInrFormatted'>
    | undefined,
  done: () => void,
): Binding {
  return {
    key: 'm',
    label: 'mark paid',
    help: 'mark the invoice as paid by hand, with the reference of the payment; with nothing else open the tenant works again',
    run: async () => {
      const chosen = invoice()
      if (!chosen) return
      const { id, number, status, tenantName, amountInrFormatted } = chosen
      if (!isOpen(chosen)) return shell.say(`${number} is ${status}`, 'warn')
      const reference = await shell.ask('Reference of the payment? Empty for none.')
      if (reference === undefined) return
      const body = reference.trim() === '' ? {} : { reference: reference.trim() }
      const input = { params: { invoiceId: id }, body }
      const route = 'POST /invoices/:invoiceId/mark-paid'
      const preview = [
        row(span(number, 'strong'), `  ${tenantName}  ${amountInrFormatted}`),
        ...flowText(commandOf('cli', route, input), 70, undefined, 'dim'),
      ]
      if (!(await shell.confirm(`Mark ${number} as paid?`, preview))) return
      await shell.attempt(async () => {
        await shell.client.call('cli', route, input)
        shell.say(`✔ ${number} is paid`, 'good')
        done()
      })
    },
  }
}
