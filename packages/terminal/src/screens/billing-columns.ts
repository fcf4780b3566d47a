import type { Reply } from '@copydesk/client'
import type { Column, Tone } from '../render/row.ts'

export type ListedInvoice = Reply<'cli', 'GET /invoices'>['data'][number]
export type ListedEvent = Reply<'cli', 'GET /billing/events'>['data'][number]

/** Whether an invoice can be marked as paid. */
export const isOpen = ({ status }: Pick<ListedInvoice, 'status'>) =>
  status === 'pending' || status === 'failed'

export function isOverdue(invoice: Pick<ListedInvoice, 'status' | 'dueDate'>, now: number): boolean {
  return isOpen(invoice) && Date.parse(invoice.dueDate) < now
}

const day = (instant: string) => instant.slice(0, 10)

/** The columns of a list of invoices. */
export function invoiceColumns(
  now: number,
  { isOfOne }: { isOfOne: boolean },
): ReadonlyArray<Column<ListedInvoice>> {
  const tenant: Column<ListedInvoice> = {
    title: 'tenant',
    cell: ({ tenantName }) => tenantName,
    least: 8,
    enough: 14,
  }
  return [
    { title: 'invoice', cell: ({ number }) => number },
    ...(isOfOne ? [] : [tenant]),
    { title: 'amount', cell: ({ amountInrFormatted }) => amountInrFormatted, align: 'right' },
    {
      title: 'status',
      cell: (invoice) => (isOverdue(invoice, now) ? 'overdue' : invoice.status),
      tone: (invoice) => toneOf(invoice, now),
    },
    { title: 'due', cell: ({ dueDate }) => day(dueDate), tone: () => 'dim', rank: 1 },
    { title: 'issued', cell: ({ createdOn }) => day(createdOn), tone: () => 'dim', rank: 2 },
  ]
}

function toneOf(invoice: ListedInvoice, now: number): Tone {
  if (isOverdue(invoice, now)) return 'bad'
  if (invoice.status === 'failed' || invoice.status === 'pending') return 'warn'
  return invoice.status === 'paid' ? 'good' : 'dim'
}

/** The columns of a list of the payment provider's events. */
export const eventColumns: ReadonlyArray<Column<ListedEvent>> = [
  {
    title: 'received',
    cell: ({ receivedAt }) => receivedAt.slice(0, 16).replace('T', ' '),
    tone: () => 'dim',
  },
  { title: 'event', cell: ({ eventType }) => eventType, least: 12, enough: 24 },
  { title: 'tenant', cell: ({ tenantName }) => tenantName ?? '·', least: 8, enough: 14 },
  {
    title: 'status',
    cell: ({ status }) => status,
    tone: ({ status }) => (status === 'applied' ? 'good' : status === 'unknown' ? 'warn' : 'dim'),
  },
]
