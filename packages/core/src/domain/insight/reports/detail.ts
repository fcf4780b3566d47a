import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { deliveriesOf, readableReport, reviewerReport } from './queries.ts'
import type { ReviewerReportDetail } from './schemas.ts'

/**
 * One report with a link to its PDF and what became of its mails. Serves `GET /dm/v1/reports/:reportId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getReportForReview(ctx: Ctx, reportId: string): Promise<ReviewerReportDetail> {
  const { id, tenantId, tenantName, type, status, title, failureReason, createdBy, createdOn, deliveredAt } =
    await reviewerReport(ctx, reportId)
  const deliveries = deliveredAt ? await deliveriesOf(ctx, id) : []
  return {
    id,
    tenantId,
    tenantName,
    type,
    status,
    title,
    ...(failureReason !== null && { failureReason }),
    ...(status !== 'generating' &&
      status !== 'failed' && {
        pdfUrl: await pdfLink(ctx, { id, tenantId }),
      }),
    ...(deliveredAt && { deliveredAt, deliveredTo: deliveries.map(({ to }) => to), deliveries }),
    createdBy,
    createdOn,
  }
}

/** An address that opens the PDF of a report without a login, for an hour. */
async function pdfLink(ctx: Ctx, report: { id: string; tenantId: string }): Promise<string> {
  const { tokens, settings } = ctx.services
  const token = await tokens.sign('report', { sub: report.id, tenantId: report.tenantId })
  return `${settings.baseUrl}/files/reports/${token}`
}

/**
 * The PDF that a link is for. Serves `GET /files/reports/:token`.
 * @throws DomainError `TOKEN_EXPIRED`, `INVALID_TOKEN`; `NOT_FOUND` when the report or its tenant is gone
 */
export async function openPdf(ctx: Ctx, token: string): Promise<{ bytes: Uint8Array; fileName: string }> {
  const { sub, tenantId } = await ctx.services.tokens.verify(token, 'report')
  const report = await readableReport(ctx, tenantId, sub)
  const bytes = report && (await ctx.services.blobs.get(report.blobKey))
  if (!report || !bytes) throw notFound('report')
  return { bytes, fileName: `report-${report.periodEnd}.pdf` }
}
