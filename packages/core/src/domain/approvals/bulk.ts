import type { Ctx } from '../context.ts'
import { DomainError, invalid } from '../errors.ts'
import { resolve } from './resolve.ts'
import type { BulkReceipt, BulkVerdict } from './schemas.ts'

/**
 * Gives one verdict on several approvals, each in a transaction of its own: what cannot be decided is listed with its reason
 * and holds up nothing else. A repeated id counts once. Serves `POST /dm/v1/approvals/bulk/resolve`.
 * @throws DomainError `VALIDATION_ERROR` when a note is due
 */
export async function resolveMany(ctx: Ctx, bulk: BulkVerdict): Promise<BulkReceipt> {
  const { approvalIds, resolution, note } = bulk
  if (resolution !== 'approved' && !note?.trim())
    throw invalid('note', `A note is required when the resolution is ${resolution}`)
  const receipt: BulkReceipt = { resolved: 0, failed: [], reEnqueuedActivities: 0 }
  for (const approvalId of new Set(approvalIds)) {
    try {
      const { reEnqueuedActivities } = await resolve(ctx, approvalId, { resolution, note })
      receipt.resolved += 1
      receipt.reEnqueuedActivities += reEnqueuedActivities
    } catch (error) {
      receipt.failed.push({ approvalId, ...reasonOf(ctx, approvalId, error) })
    }
  }
  return receipt
}

/** What came before stands, so the caller must hear of it whatever went wrong with this one. */
export function reasonOf(ctx: Ctx, approvalId: string, error: unknown): { code: string; reason: string } {
  if (error instanceof DomainError) return { code: error.code, reason: error.message }
  ctx.log.error('a verdict of several failed', { approvalId, error })
  return { code: 'INTERNAL_ERROR', reason: 'Something went wrong; nothing was decided here' }
}
