import type { Ctx } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { narrowed } from '../../../kernel/scope.ts'
import { type Candidate, matchingCandidates, namedCandidates } from './matching-queries.ts'
import type { MatchingReceipt, MatchingVerdict } from './matching-schemas.ts'
import { requirePending } from './pending.ts'
import { requireOption, requireSame, resolve } from './resolve.ts'
import type { BulkReceipt, BulkVerdict } from './schemas.ts'

/**
 * Gives one verdict on several approvals, each in a transaction of its own: what cannot be decided is listed with its reason
 * and holds up nothing else, also one whose text is another than was seen. A repeated id counts once.
 * Serves `POST /dm/v1/approvals/bulk/resolve`.
 * @throws DomainError `VALIDATION_ERROR` when a note is due
 */
export async function resolveMany(ctx: Ctx, bulk: BulkVerdict): Promise<BulkReceipt> {
  const { approvalIds, resolution, note, contentHashes: seen = {} } = bulk
  if (resolution !== 'approved' && !note?.trim())
    throw invalid('note', `A note is required when the resolution is ${resolution}`)
  const receipt: BulkReceipt = { resolved: 0, failed: [], reEnqueuedActivities: 0 }
  for (const approvalId of new Set(approvalIds)) {
    try {
      const { reEnqueuedActivities } = await resolve(ctx, approvalId, {
        resolution,
        note,
        contentHash: seen[approvalId],
      })
      receipt.resolved += 1
      receipt.reEnqueuedActivities += reEnqueuedActivities
    } catch (error) {
      receipt.failed.push({ approvalId, ...reasonOf(ctx, approvalId, error) })
    }
  }
  return receipt
}

/** What came before stands, so the caller must hear of it whatever went wrong with this one. */
function reasonOf(ctx: Ctx, approvalId: string, error: unknown): { code: string; reason: string } {
  if (error instanceof DomainError) return { code: error.code, reason: error.message }
  ctx.log.error('a verdict of several failed', { approvalId, error })
  return { code: 'INTERNAL_ERROR', reason: 'Something went wrong; nothing was decided here' }
}

/** How many one call decides on. */
const most = 500

type Item = MatchingReceipt['items'][number]
type Outcome = Pick<Item, 'result' | 'error'>

/**
 * Gives one verdict on the approvals that are named, or on the first 500 that match, in the order of the queue: where more
 * match, the caller asks again. Each is decided in a transaction of its own, so that anyone who is cut off may repeat the call:
 * what was decided is passed over. `skipped` is what can no longer be decided and what is not the caller's to see, of which
 * nothing is told; `error` is what someone has to look at. A repeated id counts once. `dryRun` only looks: the results are
 * those that the verdict would have now. Serves `POST /cli/v1/approvals/bulk-resolve`.
 * @throws DomainError `VALIDATION_ERROR` on `ids` or `filter` unless it is one of the two, on `note` when one is due;
 *   `FORBIDDEN` for a tenant in the filter that the caller does not see
 */
export async function resolveMatching(ctx: Ctx, verdict: MatchingVerdict): Promise<MatchingReceipt> {
  const { action, note, dryRun } = verdict
  if (action === 'reject' && !note?.trim()) throw invalid('note', 'A note is required to reject')
  const candidates = await candidatesOf(ctx, verdict)
  const items: Item[] = []
  const decided = new Set<string>()
  for (const [approvalId, candidate] of candidates) {
    const outcome = await decide(ctx, approvalId, { candidate, decided, verdict })
    if (outcome.result === 'resolved') decided.add(approvalId)
    items.push({
      approvalId,
      title: candidate?.title ?? '',
      tenantName: candidate?.tenantName ?? '',
      ...outcome,
      ...(candidate?.contentHash && { contentHash: candidate.contentHash }),
    })
  }
  // So that a mere look leaves nothing behind, not even a record of an act.
  if (dryRun) ctx.trace.audited = true
  return {
    dryRun,
    matched: items.length,
    resolved: dryRun ? 0 : decided.size,
    skipped: items.filter(({ result }) => result === 'skipped').length,
    items,
  }
}

/** By id, in the order in which they are decided; undefined for one that is not there for the caller. */
async function candidatesOf(
  ctx: Ctx,
  { ids, filter }: MatchingVerdict,
): Promise<Array<[string, Candidate | undefined]>> {
  if (ids && filter) throw invalid('filter', 'Use ids or filter, not both')
  if (ids) {
    const found = await namedCandidates(ctx, ids)
    return [...new Set(ids)].map((id) => [id, found.get(id)])
  }
  if (!filter) throw invalid('ids', 'Name approvals in ids, or say in filter which')
  const { tenantId } = filter
  const own = tenantId === undefined ? ctx : narrowed(ctx, tenantId)
  return (await matchingCandidates(own, filter, most)).map((candidate) => [candidate.id, candidate])
}

async function decide(
  ctx: Ctx,
  approvalId: string,
  {
    candidate,
    decided,
    verdict: { action, note, dryRun, contentHashes = {} },
  }: { candidate: Candidate | undefined; decided: ReadonlySet<string>; verdict: MatchingVerdict },
): Promise<Outcome> {
  if (!candidate) return { result: 'skipped', error: notFound('approval').message }
  const resolution = action === 'approve' ? 'approved' : 'rejected'
  const { otherHalf, present, contentHash } = candidate
  if (otherHalf !== null && decided.has(otherHalf))
    return { result: 'skipped', error: `This approval is already ${resolution}` }
  if (ctx.services.stopping.aborted)
    return { result: 'error', error: 'The server is restarting; ask again in a moment' }
  try {
    requirePending(ctx, candidate)
    requireOption(candidate, { resolution })
    requireSame(present, contentHash)
    const seen = contentHashes[approvalId]
    if (seen !== undefined) requireSame(present, seen)
    if (!dryRun) await resolve(ctx, approvalId, { resolution, note, contentHash: seen })
    return { result: 'resolved' }
  } catch (error) {
    return { result: isOver(error) ? 'skipped' : 'error', error: reasonOf(ctx, approvalId, error).reason }
  }
}

/** Someone was faster, time has run out, or it is gone. */
function isOver(error: unknown): boolean {
  if (!(error instanceof DomainError)) return false
  const { reason } = (error.details ?? {}) as { reason?: string }
  return error.code === 'NOT_FOUND' || reason === 'already_resolved' || reason === 'expired'
}
