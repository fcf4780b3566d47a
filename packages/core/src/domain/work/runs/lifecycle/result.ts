import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { effectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import type { FailureFamily } from '../../../agents/models/entities.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import { finish } from '../../activities/finish.ts'
import { applyPause, block, isClosed, logActivity, moveTo } from '../../activities/state.ts'
import { saveSession } from '../../agent-control/sessions.ts'
import type { ApprovalRow } from '../../approvals/entities.ts'
import { isApproved, pendingApprovalsOf } from '../../approvals/pending.ts'
import { requestApproval } from '../../approvals/request-approval.ts'
import { syncPost } from '../../content/blog/sync.ts'
import type { OutputRow } from '../../content/entities.ts'
import { addVersion, type CheckedText, checkText, latestOutput } from '../../content/versions.ts'
import { stopForBudget, watchSpending } from '../budget/budget.ts'
import { bookLocked, bookUsage, type RunCall } from '../budget/record-usage.ts'
import type { RunRow } from '../entities.ts'
import { attemptOf, isAtWork } from '../queue/lease.ts'
import { wakeAgain } from '../queue/wake.ts'
import { lockOwnRunOrProbe, requireOwnRun } from './authorize-run.ts'
import { publishEnd } from './end.ts'
import { fail, markFailed } from './failure.ts'
import { saveRemoteText } from './transcript.ts'

/** What an agent hands in at the end of its run, by whatever door it comes. */
export type DeliveredResult = {
  usage?: { inputTokens: number; outputTokens: number } | undefined
  durationMs?: number | undefined
  /** The conversation at the runtime that the text came from, so that the next run of the activity takes it up. */
  sessionId?: string | undefined
} & (
  | { status: 'success'; text: string; nothingToDo?: boolean }
  | {
      status: 'error'
      error: string
      family?: FailureFamily
      retryAfterMs?: number
      timedOut?: boolean
      /** Its agent may spend no more on this activity. */
      capReached?: true
    }
)

/**
 * Takes a run's one result: stores the text as a version, ends the run and moves its activity on. The first delivery wins;
 * what comes later, twice, or from an older attempt changes nothing. Serves `POST /agent/v1/runs/:runId/result` and the callback.
 * @param last the request to a model that the result came from, where it is not booked yet
 * @throws DomainError `UNAUTHORIZED` for another's run; `NOT_FOUND`; `CONFLICT` when the run has its result, has
 *   ended without one, or was taken over by a newer attempt
 */
export async function deliver(
  ctx: Ctx,
  runId: string,
  delivery: DeliveredResult,
  last?: RunCall,
): Promise<void> {
  requireOwnRun(ctx, runId)
  const { deltas, sequencer } = ctx.services
  const content = await checkDelivered(ctx, delivery)
  // Text that was held back is on its way to the watchers of every node before they hear of the end.
  sequencer.release(runId, ctx.actor.attempt)
  await deltas.flush()
  const attempt = await transact(ctx, async (txn) => {
    const { run, activity } = await lockOwnRunOrProbe(txn, runId)
    if (!isAtWork(txn, run)) throw new DomainError('CONFLICT', whyRefused(run))
    if (last) await bookLocked(txn, { run, activity }, last)
    // Of two attempts that may both have reached a runtime, the first result counts.
    run.attempt = attemptOf(txn, run)
    // Pieces that came since; after this none is taken any more.
    sequencer.release(runId, run.attempt)
    await endRun(txn, run, activity, delivery)
    if (activity) {
      await settle(txn, run, activity, delivery, content)
      applyPause(txn, activity)
    } else endProbe(txn, run, delivery)
    txn.audit({
      tenantId: run.tenantId,
      resourceType: 'run',
      resourceId: run.id,
      before: { status: 'running' },
      after: { status: run.status, ...(activity && { activityStatus: activity.status }) },
      action: 'run.result',
    })
    if (activity && run.costMicros > 0) await watchSpending(txn, run, activity)
    return run.attempt
  })
  await deltas.flush()
  deltas.close({ runId, attempt })
}

function whyRefused({ open, status, cancelRequested, error }: RunRow): string {
  if (open) return 'A newer attempt of this run has taken over'
  const isGivenUp = status === 'timeout' || (status === 'failed' && cancelRequested)
  return isGivenUp
    ? `This run has ended, and its result is not taken any more: ${error}`
    : 'The result of this run was already received'
}

const emptyText = { error: 'The agent delivered an empty text', family: 'invalid' as const }

function isEmpty({ text, nothingToDo }: Extract<DeliveredResult, { status: 'success' }>): boolean {
  return nothingToDo !== true && text.trim() === ''
}

/** The text of a delivery, held against the brand before anything is locked; null where there is none to keep. */
async function checkDelivered(ctx: Ctx, delivery: DeliveredResult): Promise<CheckedText | null> {
  const { tenantId } = ctx.actor
  if (delivery.status === 'error' || delivery.nothingToDo || isEmpty(delivery) || !tenantId) return null
  return checkText(ctx, tenantId, delivery.text)
}

async function settle(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow,
  delivery: DeliveredResult,
  content: CheckedText | null,
): Promise<void> {
  if (delivery.sessionId) await saveSession(txn, run, delivery.sessionId)
  if (delivery.status === 'error') {
    const end = delivery.capReached ? stopForBudget : fail
    return await end(txn, run, activity, delivery)
  }
  if (isEmpty(delivery)) return await fail(txn, run, activity, emptyText)
  await succeed(txn, run, activity, content)
  await syncPost(txn, activity)
}

/** The most of a probe's text that is shown, characters. */
const probeShown = 2_000

/** Nothing follows from a probe: who started it is told, and it is not tried again. */
function endProbe(txn: Transaction, run: RunRow, delivery: DeliveredResult): void {
  if (delivery.status === 'error') return markFailed(txn, run, delivery)
  if (isEmpty(delivery)) return markFailed(txn, run, emptyText)
  run.status = 'completed'
  publishEnd(txn, run, delivery.text.slice(0, probeShown))
}

async function endRun(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow | null,
  delivery: DeliveredResult,
): Promise<void> {
  const now = txn.clock.date()
  const { usage } = delivery
  run.open = false
  run.completedAt = now
  run.leaseOwner = null
  run.leaseUntil = null
  run.durationMs = Math.round(delivery.durationMs ?? now.getTime() - (run.startedAt ?? now).getTime())
  if (usage) {
    const status = delivery.status === 'success' ? ('completed' as const) : ('failed' as const)
    await bookUsage(txn, run, activity, { usage, durationMs: run.durationMs, status })
  }
  await saveRemoteText(txn, run, delivery.status === 'success' ? delivery.text || undefined : undefined)
}

async function succeed(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow,
  content: CheckedText | null,
): Promise<void> {
  run.status = 'completed'
  publishEnd(txn, run)
  activity.failures = 0
  const { output, added } = content
    ? await keepText(txn, run, activity, content)
    : { output: await latestOutput(txn, activity.id), added: false }
  activity.idleRuns = added ? 0 : activity.idleRuns + 1
  logActivity(txn, activity, {
    kind: 'run',
    runId: run.id,
    message: content === null ? 'Nothing more to do' : `Delivered version ${output?.version}`,
  })
  if (isClosed(activity) || activity.status === 'blocked') return
  if (activity.status.startsWith('awaiting_')) return
  if (activity.hold !== null) return
  if (run.nextWake) return await wakeAgain(txn, activity, run)
  if (activity.approvalRequired) {
    if (!output) return await block(txn, activity, nothingToApprove, run.id)
    const [approved, asked] = await Promise.all([
      isApproved(txn, activity, output),
      pendingApprovalsOf(txn, activity),
    ])
    if (!approved) return await awaitReview(txn, activity, run, output, asked)
  }
  await finish(txn, activity, output)
}

async function keepText(txn: Transaction, run: RunRow, activity: ActivityRow, content: CheckedText) {
  // A process of ours acts under the name that the agent had when the run began.
  const name = txn.actor.name ?? (await effectiveAgent(txn, activity.tenantId, run.agentRole))?.name
  const author = { id: run.agentRole, name: name ?? run.agentRole, type: 'agent' as const }
  return addVersion(txn, activity, { content, runId: run.id, author })
}

/** People approve a text: where there is none, "nothing to do" is no end but a riddle for a person. */
const nothingToApprove = {
  type: 'no_progress' as const,
  description:
    'The agent says that there is nothing to do, yet people are to approve a text, and there is none.',
  resolution: 'Say in an intervention note what is to be written, or try the activity again.',
}

/** Waits for the verdict that people are asked for already, or asks. */
async function awaitReview(
  txn: Transaction,
  activity: ActivityRow,
  run: RunRow,
  output: OutputRow,
  pending: readonly ApprovalRow[],
): Promise<void> {
  const asked = pending.find((one) => one.contentOf === activity.id)
  if (asked) return moveTo(txn, activity, 'awaiting_approval', `Waits for an answer to “${asked.title}”`)
  await requestApproval(txn, {
    tenantId: activity.tenantId,
    campaignId: activity.campaignId,
    title: activity.title,
    type: activity.approvalType ?? 'content_review',
    description: output.version > 1 ? `Version ${output.version}, after feedback.` : null,
    about: { activity, output },
    waiting: [activity],
    status: 'awaiting_approval',
    askedBy: { id: run.agentRole, name: output.authorName, type: 'agent' },
  })
}
