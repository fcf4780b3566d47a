import { ask } from '../approvals/ask.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { finish } from '../activities/finish.ts'
import { logActivity } from '../activities/log.ts'
import { isClosed, moveTo } from '../activities/state.ts'
import { command } from '../command.ts'
import type { OutputRow } from '../content/entities.ts'
import { addVersion, latestOutput } from '../content/versions.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError } from '../errors.ts'
import { effectiveAgent } from '../agents/effective-queries.ts'
import { costMicros } from '../../platform/models/prices.ts'
import { watchSpending } from './budget.ts'
import type { FailureFamily, RunRow } from './entities.ts'
import { fail } from './failure.ts'
import { isAtWork, lockOwnRun } from './own.ts'
import { isApproved, showNewest } from './questions.ts'
import { wakeAgain } from './wake.ts'

/** What an agent hands in at the end of its run, by whatever door it comes. */
export type Delivery = {
  usage?: { inputTokens: number; outputTokens: number } | undefined
  durationMs?: number | undefined
} & (
  | { status: 'success'; text: string; nothingToDo?: boolean }
  | { status: 'error'; error: string; family?: FailureFamily; retryAfterMs?: number; timedOut?: boolean }
)

/**
 * Takes a run's one result: stores the text as a version, ends the run and moves its activity on. The first delivery wins;
 * what comes later, twice, or from an older attempt changes nothing. Serves `POST /agent/v1/runs/:runId/result` and the callback.
 * @throws DomainError `UNAUTHORIZED` for another's run; `NOT_FOUND`; `CONFLICT` when the run has its result
 */
export async function deliver(ctx: Ctx, runId: string, delivery: Delivery): Promise<void> {
  const { deltas, sequencer } = ctx.services
  // Text that was held back is on its way to the watchers of every node before they hear of the end.
  sequencer.release(runId, ctx.actor.attempt)
  await deltas.flush()
  const attempt = await command(ctx, async (cmd) => {
    const { run, activity } = await lockOwnRun(cmd, runId)
    if (!isAtWork(cmd, run)) throw new DomainError('CONFLICT', 'The result of this run was already received')
    // Pieces that came since; after this none is taken any more.
    sequencer.release(runId, run.attempt)
    endRun(cmd, run, activity, delivery)
    const succeeded =
      delivery.status === 'success' && (delivery.nothingToDo === true || delivery.text.trim() !== '')
    if (delivery.status === 'success' && succeeded) await succeed(cmd, run, activity, delivery)
    else if (delivery.status === 'error') await fail(cmd, run, activity, delivery)
    else await fail(cmd, run, activity, { error: 'The agent delivered an empty text', family: 'invalid' })
    cmd.audit({
      tenantId: run.tenantId,
      resourceType: 'run',
      resourceId: run.id,
      before: { status: 'running' },
      after: { status: run.status, activityStatus: activity.status },
      action: 'run.result',
    })
    if (run.costMicros > 0) await watchSpending(cmd, run, activity)
    return run.attempt
  })
  await deltas.flush()
  deltas.close({ runId, attempt })
}

function endRun(cmd: Command, run: RunRow, activity: ActivityRow, { usage, durationMs }: Delivery): void {
  const now = cmd.clock.date()
  const spent = { inputTokens: usage?.inputTokens ?? 0, outputTokens: usage?.outputTokens ?? 0 }
  const cost = costMicros(run.model ?? '', spent)
  run.open = false
  run.completedAt = now
  run.leaseOwner = null
  run.leaseUntil = null
  run.durationMs = Math.round(durationMs ?? now.getTime() - (run.startedAt ?? now).getTime())
  run.inputTokens = spent.inputTokens
  run.outputTokens = spent.outputTokens
  run.costMicros += cost.micros
  run.priced = cost.priced
  activity.costMicros += cost.micros
}

async function succeed(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow,
  delivery: Extract<Delivery, { status: 'success' }>,
): Promise<void> {
  run.status = 'completed'
  activity.failures = 0
  const output = delivery.nothingToDo
    ? await latestOutput(cmd, activity.id)
    : await keepText(cmd, run, activity, delivery.text)
  logActivity(cmd, activity, {
    kind: 'run',
    runId: run.id,
    message: delivery.nothingToDo ? 'Nothing more to do' : `Delivered version ${output?.version}`,
  })
  if (isClosed(activity) || activity.status === 'blocked') return
  if (activity.status.startsWith('awaiting_')) return showNewest(cmd, activity, output)
  if (activity.hold === 'pausing') {
    activity.hold = 'paused'
    return moveTo(cmd, activity, 'blocked', 'Paused after its turn')
  }
  if (run.nextWake) return await wakeAgain(cmd, activity, run)
  if (activity.approvalRequired && output && !(await isApproved(cmd, activity, output)))
    return askForReview(cmd, activity, run, output)
  await finish(cmd, activity, output)
}

async function keepText(cmd: Command, run: RunRow, activity: ActivityRow, text: string): Promise<OutputRow> {
  const agent = await effectiveAgent(cmd, activity.tenantId, run.agentRole)
  const author = { id: run.agentRole, name: agent?.name ?? run.agentRole, type: 'agent' as const }
  const { output } = await addVersion(cmd, activity, { text, runId: run.id, author })
  return output
}

async function askForReview(
  cmd: Command,
  activity: ActivityRow,
  run: RunRow,
  output: OutputRow,
): Promise<void> {
  await ask(cmd, {
    tenantId: activity.tenantId,
    campaignId: activity.campaignId,
    title: activity.title,
    type: activity.approvalType ?? 'content_review',
    description: output.version > 1 ? `Version ${output.version}, after feedback.` : null,
    output,
    waiting: [activity],
    status: 'awaiting_approval',
    askedBy: { id: run.agentRole, name: output.authorName, type: 'agent' },
  })
}
