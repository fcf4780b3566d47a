import type { Ctx } from '../context.ts'
import { pdfLink } from './link.ts'
import { deliveriesOf, reviewerReport } from './queries.ts'
import type { ReviewerReportDetail } from './schemas.ts'

/**
 * One report with a link to its PDF and what became of its mails. Serves `GET /dm/v1/reports/:reportId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getForReview(ctx: Ctx, reportId: string): Promise<ReviewerReportDetail> {
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
    ...(status !== 'generating' && status !== 'failed' && { pdfUrl: pdfLink(ctx, { id, tenantId }) }),
    ...(deliveredAt && { deliveredAt, deliveredTo: deliveries.map(({ to }) => to), deliveries }),
    createdBy,
    createdOn,
  }
}
