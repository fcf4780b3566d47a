import type { Ctx } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { equals, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { pick, type RowOf, select, table } from '../../../../platform/database/read.ts'
import { Tenant } from '../../tenants/entities.ts'
import { Invoice, InvoiceLine } from './entities.ts'

export const i = table(Invoice, 'i')
const t = table(Tenant, 't')
const l = table(InvoiceLine, 'l')

const columns = {
  ...pick(i, 'id', 'number', 'tenantId', 'type', 'plan', 'status', 'paymentEntityId', 'currency'),
  ...pick(i, 'amount', 'subtotal', 'discount', 'tax', 'credit', 'withheld', 'refunded'),
  ...pick(i, 'periodStart', 'periodEnd', 'dueDate', 'paidOn', 'issuedOn'),
  tenantName: t.name,
}
export const listedInvoice = select(columns)
export type ListedInvoice = RowOf<typeof listedInvoice>
export const fromInvoices = `from ${i} join ${t} on t.id = i.tenant_id`

const detailed = select({
  ...columns,
  ...pick(i, 'creditsInvoiceId', 'issuer', 'buyer'),
  timezone: t.timezone,
})
const line = select(
  pick(
    l,
    'position',
    'kind',
    'description',
    'amount',
    'taxRate',
    'tax',
    'runs',
    'usageMicros',
    'includedMicros',
    'periodStart',
    'periodEnd',
  ),
)

/** An invoice with its lines, as it was issued. @throws DomainError `NOT_FOUND` outside the scope */
export async function readInvoice(ctx: Ctx, invoiceId: string) {
  const condition = where(within(ctx.scope, `${i.tenantId}`), equals(i.id, invoiceId))
  const row = await detailed.get(ctx.sql, `${fromInvoices} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('invoice')
  const lines = await line.all(ctx.sql, `from ${l} where l.invoice_id = ? order by l.position`, [invoiceId])
  return { row, lines }
}
export type InvoiceWithLines = Awaited<ReturnType<typeof readInvoice>>
