import { ask } from '../approvals/ask.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { block } from '../activities/block.ts'
import { finish } from '../activities/finish.ts'
import { takeHold } from '../activities/hold.ts'
import { logActivity } from '../activities/log.ts'
import { isClosed, moveTo } from '../activities/state.ts'
import { checkText, type CheckedText } from '../brand/check-text.ts'
import { command } from '../command.ts'
import { settlePost } from '../content/blog/settle.ts'
import type { OutputRow } from '../content/entities.ts'
import { addVersion, latestOutput } from '../content/versions.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError } from '../errors.ts'
import { effectiveAgent } from '../agents/effective-queries.ts'
import { keepSession } from '../agents/sessions.ts'
import { attemptOf, isAtWork } from './attempt.ts'
import { bookUsage } from './book.ts'
import { stopForBudget, watchSpending } from './budget.ts'
import type { FailureFamily, RunRow } from './entities.ts'
import { tellEnd } from './ended.ts'
import { fail, markFailed } from './failure.ts'
import { lockOwnRunOrProbe, requireOwnRun } from './own.ts'
import { isApproved, openQuestions } from './questions.ts'
import { keepRemoteText } from './transcript.ts'
import { wakeAgain } from './wake.ts'

/** What an agent hands in at the end of its run, by whatever door it comes. */
export type Delivery = {
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
 * @throws DomainError `UNAUTHORIZED` for another's run; `NOT_FOUND`; `CONFLICT` when the run has its result, has
 *   ended without one, or was taken over by a newer attempt
 */
export async function deliver(ctx: Ctx, runId: string, delivery: Delivery): Promise<void> {
  requireOwnRun(ctx, runId)
  const { deltas, sequencer } = ctx.services
  const content = await checkDelivered(ctx, delivery)
  // Text that was held back is on its way to the watchers of every node before they hear of the end.
  sequencer.release(runId, ctx.actor.attempt)
  await deltas.flush()
  const attempt = await command(ctx, async (cmd) => {
    const { run, activity } = await lockOwnRunOrProbe(cmd, runId)
    if (!isAtWork(cmd, run)) throw new DomainError('CONFLICT', whyRefused(run))
    // Of two attempts that may both have reached a runtime, the first result counts.
    run.attempt = attemptOf(cmd, run)
    // Pieces that came since; after this none is taken any more.
    sequencer.release(runId, run.attempt)
    await endRun(cmd, run, activity, delivery)
    if (activity) {
      await settle(cmd, run, activity, delivery, content)
      takeHold(cmd, activity)
    } else endProbe(cmd, run, delivery)
    cmd.audit({
      tenantId: run.tenantId,
      resourceType: 'run',
      resourceId: run.id,
      before: { status: 'running' },
      after: { status: run.status, ...(activity && { activityStatus: activity.status }) },
      action: 'run.result',
    })
    if (activity && run.costMicros > 0) await watchSpending(cmd, run, activity)
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

function isEmpty({ text, nothingToDo }: Extract<Delivery, { status: 'success' }>): boolean {
  return nothingToDo !== true && text.trim() === ''
}

/** The text of a delivery, held against the brand before anything is locked; null where there is none to keep. */
async function checkDelivered(ctx: Ctx, delivery: Delivery): Promise<CheckedText | null> {
  const { tenantId } = ctx.actor
  if (delivery.status === 'error' || delivery.nothingToDo || isEmpty(delivery) || !tenantId) return null
  return checkText(ctx, tenantId, delivery.text)
}

async function settle(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow,
  delivery: Delivery,
  content: CheckedText | null,
): Promise<void> {
  if (delivery.sessionId) await keepSession(cmd, run, delivery.sessionId)
  if (delivery.status === 'error') {
    const end = delivery.capReached ? stopForBudget : fail
    return await end(cmd, run, activity, delivery)
  }
  if (isEmpty(delivery)) return await fail(cmd, run, activity, emptyText)
  await succeed(cmd, run, activity, content)
  await settlePost(cmd, activity)
}

/** The most of a probe's text that is shown, characters. */
const probeShown = 2_000

/** Nothing follows from a probe: who started it is told, and it is not tried again. */
function endProbe(cmd: Command, run: RunRow, delivery: Delivery): void {
  if (delivery.status === 'error') return markFailed(cmd, run, delivery)
  if (isEmpty(delivery)) return markFailed(cmd, run, emptyText)
  run.status = 'completed'
  tellEnd(cmd, run, delivery.text.slice(0, probeShown))
}

async function endRun(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow | null,
  delivery: Delivery,
): Promise<void> {
  const now = cmd.clock.date()
  const { usage } = delivery
  run.open = false
  run.completedAt = now
  run.leaseOwner = null
  run.leaseUntil = null
  run.durationMs = Math.round(delivery.durationMs ?? now.getTime() - (run.startedAt ?? now).getTime())
  if (usage) {
    const status = delivery.status === 'success' ? ('completed' as const) : ('failed' as const)
    await bookUsage(cmd, run, activity, { usage, durationMs: run.durationMs, status })
  }
  await keepRemoteText(cmd, run, delivery.status === 'success' ? delivery.text || undefined : undefined)
}

async function succeed(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow,
  content: CheckedText | null,
): Promise<void> {
  run.status = 'completed'
  tellEnd(cmd, run)
  activity.failures = 0
  const { output, added } = content
    ? await keepText(cmd, run, activity, content)
    : { output: await latestOutput(cmd, activity.id), added: false }
  activity.idleRuns = added ? 0 : activity.idleRuns + 1
  logActivity(cmd, activity, {
    kind: 'run',
    runId: run.id,
    message: content === null ? 'Nothing more to do' : `Delivered version ${output?.version}`,
  })
  if (isClosed(activity) || activity.status === 'blocked') return
  if (activity.status.startsWith('awaiting_')) return
  if (activity.hold !== null) return
  if (run.nextWake) return await wakeAgain(cmd, activity, run)
  if (activity.approvalRequired) {
    if (!output) return await block(cmd, activity, nothingToApprove, run.id)
    if (!(await isApproved(cmd, activity, output))) return await awaitReview(cmd, activity, run, output)
  }
  await finish(cmd, activity, output)
}

async function keepText(cmd: Command, run: RunRow, activity: ActivityRow, content: CheckedText) {
  const agent = await effectiveAgent(cmd, activity.tenantId, run.agentRole)
  const author = { id: run.agentRole, name: agent?.name ?? run.agentRole, type: 'agent' as const }
  return addVersion(cmd, activity, { content, runId: run.id, author })
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
  cmd: Command,
  activity: ActivityRow,
  run: RunRow,
  output: OutputRow,
): Promise<void> {
  const asked = (await openQuestions(cmd, activity)).find((one) => one.contentOf === activity.id)
  if (asked) return moveTo(cmd, activity, 'awaiting_approval', `Waits for an answer to “${asked.title}”`)
  await ask(cmd, {
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
