import { ApiError, type Client } from '@copydesk/client'
import type { Random } from './random.ts'

/** Looks through what waits for a verdict; each piece is sent back once in a while, and only in its first version. */
export async function reviewOnce(reviewer: Client, random: Random): Promise<void> {
  const { data } = await reviewer.call('dm', 'GET /approvals', { query: { 'filter.status': 'pending' } })
  for (const { id } of data) {
    const detail = await reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId: id } })
    const sendBack = detail.linkedActivities[0]?.version === 1 && random() < 0.4
    const verdict = sendBack
      ? { resolution: 'revision_requested' as const, note: 'Shorter, please' }
      : { resolution: 'approved' as const }
    await reviewer
      .call('dm', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId: id },
        body: { ...verdict, ...(detail.contentHash && { contentHash: detail.contentHash }) },
      })
      .catch((error: unknown) => {
        // The verdict before the kill may have come through without its answer.
        if (!(error instanceof ApiError && error.code === 'CONFLICT')) throw error
      })
  }
}

/** Does something again and again, whatever happens to the servers meanwhile. @returns whether it worked */
export const ignoreCuts = (work: Promise<unknown>) => work.then(() => true).catch(() => false)

/** Has what failed tried again, as people do. */
export async function retryFailed(admin: Client): Promise<void> {
  const { data } = await admin.call('dashboard', 'GET /activities', { query: { 'filter.status': 'failed' } })
  for (const { id } of data)
    await admin.call('dashboard', 'POST /activities/:activityId/retry', { params: { activityId: id } })
}
