import type { Ctx } from '../../../../kernel/context.ts'
import { FileContent } from '../../../../kernel/file-content.ts'
import { invoiceDocument } from './document.ts'
import { readInvoice } from './read-queries.ts'

/**
 * An invoice as a PDF. It is made of what was stored when it was issued, so that it is the same each time but for the payment.
 * @throws DomainError `NOT_FOUND` outside the scope
 */
export async function invoicePdf(ctx: Ctx, invoiceId: string, signal?: AbortSignal): Promise<FileContent> {
  const invoice = await readInvoice(ctx, invoiceId)
  const { number, issuedOn, tenantName } = invoice.row
  const bytes = await ctx.services.pdf.make(
    invoiceDocument(invoice),
    { title: number, createdOn: issuedOn },
    { owner: tenantName, ...(signal && { signal }) },
  )
  return new FileContent(`${number}.pdf`, bytes)
}
