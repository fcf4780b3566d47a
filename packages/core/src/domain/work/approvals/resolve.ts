import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { notify } from '../../people/notifications/notify.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { syncPost } from '../content/blog/sync.ts'
import type { OutputRow } from '../content/entities.ts'
import { syncRequest } from '../content/requests/decide.ts'
import { latestOutput } from '../content/versions.ts'
import { readEdit, requireEditable, saveEdit } from './edit.ts'
import type { ApprovalRow } from './entities.ts'
import { endWork, type FollowUp, noteVerdict, wakeProducers } from './follow-up.ts'
import { linkedApproval } from './forward.ts'
import { lockApproval, publishResolved, requirePending } from './pending.ts'
import type { Verdict, VerdictReceipt } from './schemas.ts'

/**
 * Gives a verdict on a pending approval. Decision, note, wakes, audit row, notification and event commit together; of two
 * verdicts at once one wins. An approval that was sent to the client and the client's are decided together. With `edited`, the
 * reviewer's text becomes the next version and is what is approved. With `endWork`, a rejection ends the linked activities for
 * good and wakes none of them.
 * Serves `POST …/approvals/:approvalId/resolve` of every surface.
 * @param options `reason`: why the producers are woken, where it is not for a review's feedback
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is no longer pending, has expired, or when `contentHash` is not what
 *   would be approved (`details.reason`: `content_changed`); `UNPROCESSABLE` when an option has to be chosen;
 *   `VALIDATION_ERROR` when a note is due, for `endWork` without a rejection, or when `edited` cannot be (see `readEdit`, `requireEditable`)
 */
export async function resolve(
  ctx: Ctx,
  approvalId: string,
  verdict: Verdict,
  { reason }: { reason?: 'rejection' } = {},
): Promise<VerdictReceipt> {
  if (verdict.resolution !== 'approved' && !verdict.note?.trim()) {
    throw invalid('note', `A note is required when the resolution is ${verdict.resolution}`)
  }
  if (verdict.endWork && verdict.resolution !== 'rejected')
    throw invalid('endWork', 'Only a rejection can end the work: leave endWork out, or reject')
  const edit = await readEdit(ctx, approvalId, verdict)
  return transact(ctx, async (txn) => {
    const { approval, activities } = await lockApproval(txn, approvalId)
    requirePending(txn, approval)
    requireOption(approval, verdict)
    if (edit) requireEditable(approval, activities)
    const { contentHash: seen = edit?.from } = verdict
    const shown = await requireUnchanged(txn, approval, seen)
    const before = { status: approval.status, contentHash: approval.contentHash }
    // What the client says is said to the one who asked the client, and the other way round.
    const other = await linkedApproval(txn, approval)
    const decided = other ? [approval, other] : [approval]
    for (const one of decided) decide(txn, one, verdict)
    const output =
      edit && shown ? await saveEdit(txn, approval, activities[0] as ActivityRow, shown, edit) : shown
    for (const one of decided) {
      one.edited = output !== shown
      one.outputId = output?.id ?? null
      one.contentHash = output?.sha256 ?? null
    }
    noteVerdict(txn, approval, activities, verdict)
    const followUp = verdict.endWork
      ? await endWork(txn, activities, verdict)
      : { reEnqueuedActivities: await wakeProducers(txn, approval, activities, verdict, reason) }
    for (const one of decided) record(txn, one, before, followUp)
    for (const activity of activities) await syncPost(txn, activity)
    await syncRequest(txn, approval)
    // What is finished already is not woken: its verdict alone may be the order to publish it.
    const finished = activities.find(({ id, status }) => id === approval.contentOf && status === 'done')
    if (finished && output && verdict.resolution === 'approved')
      await txn.services.tenantPublishing.takePiece(txn, finished, output)
    await announce(txn, approval, verdict)
    return {
      approvalId: approval.id,
      resolution: verdict.resolution,
      ...followUp,
      ...(output && { contentHash: output.sha256, version: output.version }),
    }
  })
}

/** @throws DomainError `UNPROCESSABLE` when an option has to be chosen; `VALIDATION_ERROR` for one that there is not */
export function requireOption(
  approval: Pick<ApprovalRow, 'options'>,
  { resolution, selectedOption }: Pick<Verdict, 'resolution' | 'selectedOption'>,
): void {
  if (selectedOption !== undefined && !approval.options?.includes(selectedOption)) {
    throw invalid(
      'selectedOption',
      approval.options ? `Choose one of: ${approval.options.join(', ')}` : 'This approval has no options',
    )
  }
  if (resolution === 'approved' && approval.options && selectedOption === undefined) {
    throw new DomainError('UNPROCESSABLE', 'This approval asks for a choice: name it in selectedOption', {
      field: 'selectedOption',
      details: { options: approval.options },
    })
  }
}

/**
 * People approve what they saw: the newest version must be the one that the approval shows and that the caller names.
 * @param seen null for a caller who has seen no text; undefined for one who does not say
 * @returns that version; null when the question is not about a text, or there is none yet
 */
async function requireUnchanged(
  txn: Transaction,
  approval: ApprovalRow,
  seen: string | null | undefined,
): Promise<OutputRow | null> {
  const latest = approval.contentOf ? await latestOutput(txn, approval.contentOf) : null
  const present = latest?.sha256 ?? null
  requireSame(present, approval.contentHash)
  if (seen !== undefined) requireSame(present, seen)
  return latest
}

/** @throws DomainError `CONFLICT` when the newest version is another than was shown; either is null where there is none */
export function requireSame(present: string | null, shown: string | null): void {
  if (present === shown) return
  throw new DomainError('CONFLICT', 'The content has changed since it was shown', {
    details: { reason: 'content_changed', contentHash: present },
  })
}

function decide(txn: Transaction, approval: ApprovalRow, verdict: Verdict): void {
  const now = txn.clock.date()
  approval.status = verdict.resolution === 'approved' ? 'approved' : 'rejected'
  approval.resolution = verdict.resolution
  approval.resolutionNote = verdict.note ?? null
  approval.selectedOption = verdict.selectedOption ?? null
  approval.resolvedAt = now
  approval.resolvedById = txn.actor.id
  approval.resolvedByName = actorName(txn)
  approval.updatedOn = now
}

function record(
  txn: Transaction,
  approval: ApprovalRow,
  before: object,
  { endedActivities }: FollowUp,
): void {
  txn.audit({
    tenantId: approval.tenantId,
    resourceType: 'approval',
    resourceId: approval.id,
    action: 'approval.resolve',
    before,
    after: {
      status: approval.status,
      resolution: approval.resolution,
      note: approval.resolutionNote,
      contentHash: approval.contentHash,
      edited: approval.edited,
      ...(endedActivities && { endedActivities }),
    },
  })
  publishResolved(txn, approval)
}

async function announce(txn: Transaction, approval: ApprovalRow, verdict: Verdict): Promise<void> {
  const sentBack = verdict.endWork ? 'Rejected, work ended' : 'Sent back'
  await notify(txn, {
    tenantId: approval.tenantId,
    to: 'admins',
    type: 'campaign_update',
    title: `${approval.resolution === 'approved' ? 'Approved' : sentBack}: ${approval.title}`,
    body: approval.resolutionNote ?? `Decided by ${approval.resolvedByName}.`,
    subjectKind: 'approvals',
    subjectId: approval.id,
  })
}
