import { dayIn } from '../../../../kernel/periods.ts'
import { defineMail, type FilledMail, mailOf } from '../../../people/mail/templates/kinds.ts'
import { formatAmount } from '../amounts.ts'
import { lastReminder } from '../dunning/policy.ts'
import type { InvoiceRow } from '../invoices/entities.ts'
import type { BillingMailKind } from './entities.ts'

const common = {
  name: { description: 'Name of the person who gets the mail', required: true },
  tenant: { description: 'Name of the tenant', required: true },
  number: { description: 'Number of the invoice', required: true },
  amount: { description: 'What is owed, with its currency', required: true },
  url: { description: 'Where Copydesk is opened', required: true },
} as const

const late = {
  ...common,
  days: { description: 'For how long the payment has been missing, such as “3 days”', required: true },
} as const

const link = { label: 'Open Copydesk', url: '{{ url }}' }
const missing =
  'The payment of {{ amount }} for the invoice {{ number }} of “{{ tenant }}” has been missing for {{ days }}. The invoice is attached.'

export const invoiceMail = defineMail({
  slug: 'invoice',
  name: 'Invoice',
  category: 'billing',
  variables: {
    ...common,
    dueDate: { description: 'Until when it is to be paid; absent when it is paid', required: false },
  },
  subject: 'Your Copydesk invoice {{ number }}',
  message: {
    greeting: 'Hello {{ name }},',
    paragraphs: [
      'The invoice {{ number }} for “{{ tenant }}” is attached.',
      '{% if dueDate %}Please pay {{ amount }} by {{ dueDate }}, unless your payment provider does it for you.{% else %}Nothing is left to pay.{% endif %}',
    ],
    link,
  },
})

export const reminderMail = defineMail({
  slug: 'payment-reminder',
  name: 'Reminder of a payment',
  category: 'billing',
  variables: {
    ...late,
    isLast: { description: 'Present when agents stop after this reminder', required: false },
  },
  subject: 'Reminder: the invoice {{ number }} is not paid',
  message: {
    greeting: 'Hello {{ name }},',
    paragraphs: [
      missing,
      '{% if isLast %}If it is not here by tomorrow, the agents stop until it is.{% else %}Please pay it, so that the agents can go on.{% endif %}',
    ],
    link,
  },
})

export const overdueMail = defineMail({
  slug: 'payment-overdue',
  name: 'Payment overdue',
  category: 'billing',
  variables: late,
  subject: 'Copydesk has stopped: the invoice {{ number }} is overdue',
  message: {
    greeting: 'Hello {{ name }},',
    paragraphs: [
      missing,
      'The agents have stopped and nothing is published or sent. You can still log in, read and pay; everything goes on by itself once the payment is here.',
    ],
    link,
  },
})

interface Names {
  person: string
  tenant: string
  /** IANA zone. */
  zone: string
  url: string
}

/** What a mail about an invoice says; its PDF is attached. */
export function billingMail(
  kind: BillingMailKind,
  day: number,
  invoice: InvoiceRow,
  { person, tenant, zone, url }: Names,
): FilledMail {
  const { number, currency, withheld, refunded, dueDate, status } = invoice
  const amount = formatAmount(invoice.amount - withheld - refunded, currency)
  const values = { name: person, tenant, number, amount, url }
  if (kind === 'invoice')
    return mailOf(invoiceMail, {
      ...values,
      dueDate: status === 'paid' ? undefined : dayIn(dueDate, zone),
    })
  const days = `${day} ${day === 1 ? 'day' : 'days'}`
  if (kind === 'overdue') return mailOf(overdueMail, { ...values, days })
  return mailOf(reminderMail, { ...values, days, isLast: day >= lastReminder ? 'yes' : undefined })
}
