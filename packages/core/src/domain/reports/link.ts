import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { readableReport } from './queries.ts'

/** An address that opens the PDF of a report without a login, for an hour. */
export function pdfLink(ctx: Ctx, report: { id: string; tenantId: string }): string {
  const { tokens, settings } = ctx.services
  const token = tokens.sign('report', { sub: report.id, tenantId: report.tenantId })
  return `${settings.baseUrl}/files/reports/${token}`
}

/**
 * The PDF that a link is for. Serves `GET /files/reports/:token`.
 * @throws DomainError `TOKEN_EXPIRED`, `INVALID_TOKEN`; `NOT_FOUND` when the report or its tenant is gone
 */
export async function openPdf(ctx: Ctx, token: string): Promise<{ bytes: Uint8Array; fileName: string }> {
  const { sub, tenantId } = ctx.services.tokens.verify(token, 'report')
  const report = await readableReport(ctx, tenantId, sub)
  const bytes = report && (await ctx.services.blobs.get(report.blobKey))
  if (!report || !bytes) throw notFound('report')
  return { bytes, fileName: `report-${report.periodEnd}.pdf` }
}
