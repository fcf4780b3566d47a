import { LockMode } from '@mikro-orm/core'
import { isPerson, type Transaction } from '../../../../kernel/context.ts'
import { notify } from '../../../people/notifications/notify.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import { block, isClosed, isWaiting, logActivity, moveTo, pauseNow } from '../../activities/state.ts'
import { Run, type RunRow, type Wake } from '../entities.ts'
import { turnOf } from './claim-queries.ts'
import { coalesce } from './coalesce.ts'
import { expectEnd } from './lease.ts'

/** The run of an activity that is pending or running, locked. */
export async function lockOpenRun(txn: Transaction, activityId: string): Promise<RunRow | null> {
  return txn.em.findOne(Run, { activityId, open: true }, { lockMode: LockMode.PESSIMISTIC_WRITE })
}

/**
 * Gives the activity to its agent: inserts the run that will be claimed, or folds into the one that is there. The caller
 * holds the activity's lock. An activity of a person gets no run; the person is told.
 * One that is woken again and again in vain rests before its next run, longer each time, and is blocked in the end.
 * @param notBefore the earliest instant to start, for retries
 * @returns the run, or null when a person has the activity, has paused it or has to help, or when it waits for an earlier step
 */
export async function wake(
  txn: Transaction,
  activity: ActivityRow,
  wake: Wake,
  notBefore?: Date,
): Promise<RunRow | null> {
  const now = txn.clock.date()
  // A person's act is something new.
  if (isPerson(txn)) activity.idleRuns = 0
  // Only the step before it starts a step, however often it is spoken of meanwhile.
  if (activity.status === 'created' && activity.dependsOn.length > 0 && wake.reason !== 'new_task')
    return null
  if (!activity.agentRole) {
    await tellAssignee(txn, activity)
    return null
  }
  // What was just created never had a run, so there is none to look for.
  const open = activity.status === 'created' ? null : await lockOpenRun(txn, activity.id)
  if (open?.status === 'running') {
    open.nextWake = coalesce(open.nextWake, wake)
    // What it waited for has come before its turn was over: the end of the turn must not wait for it any more.
    if (activity.status !== 'in_progress' && !isClosed(activity)) {
      activity.blocker = null
      moveTo(txn, activity, 'in_progress', `Answered during the turn (${wake.reason.replaceAll('_', ' ')})`)
      await expectEnd(txn, open)
    }
    return open
  }
  if (activity.hold !== null) {
    await hold(txn, activity, wake, notBefore)
    return null
  }
  const whole = coalesce(
    open ? { reason: open.wakeReason, note: open.wakeNote } : await kept(txn, activity),
    wake,
  )
  if (!open && isLooping(activity)) {
    await stopGoingRound(txn, activity)
    await saveWake(txn, activity, whole)
    return null
  }
  activity.wakeReason = whole.reason
  activity.blocker = null
  moveTo(txn, activity, 'assigned', `Given to ${activity.agentRole} (${wake.reason.replaceAll('_', ' ')})`)
  if (open) {
    open.wakeReason = whole.reason
    open.wakeNote = whole.note ?? {}
    // A wait that a provider asked for outlives a wake that knows nothing of it.
    if (notBefore) open.notBefore = notBefore
    // The rest that Copydesk ordered does not: someone has something new to say.
    else if (isPerson(txn) && !open.failures) open.notBefore = now
    txn.signal('runs')
    return open
  }
  txn.signal('runs')
  const rested = new Date(now.getTime() + pauseMs(activity.idleRuns))
  return txn.em.create(Run, {
    id: txn.newId(),
    tenantId: activity.tenantId,
    activityId: activity.id,
    campaignId: activity.campaignId,
    beforeStart: activity.beforeStart,
    agentRole: activity.agentRole,
    status: 'pending',
    open: true,
    wakeReason: whole.reason,
    wakeNote: whole.note ?? {},
    nextWake: null,
    priority: activity.priority,
    turn: turnOf(now, activity.priority),
    notBefore: notBefore && notBefore > rested ? notBefore : rested,
    attempt: 0,
    leaseOwner: null,
    leaseUntil: null,
    deadline: null,
    cancelRequested: false,
    adapter: null,
    model: null,
    prompt: null,
    systemPrompt: null,
    error: null,
    errorFamily: null,
    failures: null,
    deadLetteredAt: null,
    handedOverAt: null,
    inputTokens: 0,
    outputTokens: 0,
    costMicros: 0,
    priced: true,
    durationMs: null,
    transcriptChars: 0,
    startedAt: null,
    completedAt: null,
    createdOn: now,
  })
}

/** A wake that came during the run becomes the next run. */
export async function wakeAgain(txn: Transaction, activity: ActivityRow, run: RunRow): Promise<void> {
  const next = run.nextWake
  run.nextWake = null
  await txn.em.flush()
  if (next) await wake(txn, activity, next)
}

/** Keeps what the agent is to be told until the activity is woken by what it waits for. The caller holds its lock. */
export async function saveWake(txn: Transaction, activity: ActivityRow, wake: Wake): Promise<void> {
  const last = await latestRun(txn, activity.id)
  if (last) last.nextWake = coalesce(last.nextWake, wake)
}

/** Keeps a wake until a person resumes the activity, with the time before which a provider is to be left alone. */
async function hold(txn: Transaction, activity: ActivityRow, wake: Wake, notBefore?: Date): Promise<void> {
  await saveWake(txn, activity, wake)
  const last = await latestRun(txn, activity.id)
  if (last && notBefore) last.notBefore = notBefore
  pauseNow(txn, activity)
}

/** Takes what was kept for an activity while it waited for something else. */
async function kept(txn: Transaction, activity: ActivityRow): Promise<Wake | null> {
  if (!isWaiting(activity)) return null
  const last = await latestRun(txn, activity.id)
  const wake = last?.nextWake ?? null
  if (last) last.nextWake = null
  return wake
}

const latestRun = (txn: Transaction, activityId: string) =>
  txn.em.findOne(Run, { activityId }, { orderBy: { id: 'desc' } })

async function tellAssignee(txn: Transaction, activity: ActivityRow): Promise<void> {
  moveTo(txn, activity, 'assigned', 'Given to a person')
  logActivity(txn, activity, { kind: 'assigned', message: 'Waits for a person' })
  if (!activity.assigneeUserId) return
  await notify(txn, {
    tenantId: activity.tenantId,
    to: [activity.assigneeUserId],
    type: 'campaign_update',
    title: `For you: ${activity.title}`,
    body: activity.inputPrompt.slice(0, 500),
    subjectKind: 'activities',
    subjectId: activity.id,
  })
}

/** Runs in a row that may bring nothing new before the next one has to wait. */
const patience = 3

/** Runs in a row that bring nothing new before a person has to look. */
const mostIdleRuns = 8

const firstPauseMs = 60_000
const longestPauseMs = 3_600_000

/**
 * How long an activity rests before its next run, milliseconds: nothing at first, then a minute, doubled with each further
 * run without a new text, an hour at the most.
 */
function pauseMs(idleRuns: number): number {
  return idleRuns < patience ? 0 : Math.min(firstPauseMs * 2 ** (idleRuns - patience), longestPauseMs)
}

/** True when an activity was woken so often in vain that only a person can help. */
function isLooping(activity: ActivityRow): boolean {
  return activity.idleRuns >= mostIdleRuns
}

/** Stops an activity that goes round in circles, and tells people. */
function stopGoingRound(txn: Transaction, activity: ActivityRow): Promise<void> {
  return block(txn, activity, {
    type: 'no_progress',
    description: `${activity.idleRuns} runs in a row have brought nothing new.`,
    resolution: 'Say in an intervention note what is to be done, or try the activity again.',
  })
}
