import type { Ctx } from '../../../kernel/context.ts'
import { spanOf } from '../../../kernel/date-range.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { type Condition, equals, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { count, select } from '../../../platform/database/read.ts'
import { formatAmount } from '../../accounts/billing/amounts.ts'
import { adminForm } from '../../accounts/billing/invoices/queries.ts'
import { fromInvoices, i, listedInvoice } from '../../accounts/billing/invoices/read-queries.ts'
import type { InvoicePage, InvoiceQuery } from './schemas.ts'

const totalled = select({
  currency: i.currency,
  total: count(`sum(case when ${i.type} = 'credit_note' then -${i.amount} else ${i.amount} end)`),
  paid: count(`sum(case when ${i.status} = 'paid' then 1 else 0 end)`),
  failed: count(`sum(case when ${i.status} = 'failed' then 1 else 0 end)`),
})

/** Invoices of all tenants in scope, newest first, with the sums over the whole filter. Serves `GET /admin/v1/invoices`. */
export async function listInvoices(ctx: Ctx, given: Partial<InvoiceQuery> = {}): Promise<InvoicePage> {
  const query = { limit: 50, order: 'desc' as const, ...given }
  const scope = where(within(ctx.scope, `${i.tenantId}`), equals(i.tenantId, query['filter.tenantId']))
  const filters = [
    equals(i.status, query['filter.status']),
    equals(i.plan, query['filter.plan']),
    issuedWithin(query),
  ]
  const found = await readPage(
    ctx,
    { select: listedInvoice, from: fromInvoices, id: i.id, rows: scope, filters, request: query },
    adminForm,
  )
  const condition = where(scope, ...filters)
  const sums = await totalled.all(
    ctx.sql,
    `from ${i} where ${condition.sql} group by ${i.currency} order by ${i.currency}`,
    condition.params,
  )
  const sum = (of: 'paid' | 'failed') => sums.reduce((all, one) => all + one[of], 0)
  return {
    ...found,
    totals: {
      totalAmountInr: sums.find(({ currency }) => currency === 'INR')?.total ?? 0,
      countPaid: sum('paid'),
      countFailed: sum('failed'),
      totalsByCurrency: sums.map(({ currency, total }) => ({
        currency,
        totalAmount: total,
        totalFormatted: formatAmount(total, currency),
      })),
    },
  }
}

function issuedWithin(query: Partial<InvoiceQuery>): Condition | undefined {
  const { from, until } = spanIn(query)
  if (!from && !until) return undefined
  return where(
    from && { sql: `${i.issuedOn} >= ?`, params: [from] },
    until && { sql: `${i.issuedOn} < ?`, params: [until] },
  )
}

/** A refusal names the parameter as it is written. */
function spanIn(query: Partial<InvoiceQuery>) {
  const { 'filter.startDate': startDate, 'filter.endDate': endDate } = query
  try {
    return spanOf({ startDate, endDate }, 'UTC')
  } catch (error) {
    if (!(error instanceof DomainError) || error.field === undefined) throw error
    throw new DomainError(error.code, error.message, { field: `filter.${error.field}` })
  }
}
