import { LockMode } from '@mikro-orm/core'
import type { ActivityRow } from '../activities/entities.ts'
import { standStill } from '../activities/hold.ts'
import { logActivity } from '../activities/log.ts'
import { isClosed, isWaiting, moveTo } from '../activities/state.ts'
import type { Command } from '../context.ts'
import { notify } from '../notifications/notify.ts'
import { isPerson } from '../actor.ts'
import { coalesce } from './coalesce.ts'
import { Run, type RunRow, type Wake } from './entities.ts'
import { expectEnd } from './lease.ts'
import { isGoingRound, pauseMs, stopGoingRound } from './progress.ts'

/** The run of an activity that is pending or running, locked. */
export async function lockOpenRun(cmd: Command, activityId: string): Promise<RunRow | null> {
  return cmd.em.findOne(Run, { activityId, open: true }, { lockMode: LockMode.PESSIMISTIC_WRITE })
}

/**
 * Gives the activity to its agent: inserts the run that will be claimed, or folds into the one that is there. The caller
 * holds the activity's lock. An activity of a person gets no run; the person is told.
 * One that is woken again and again in vain rests before its next run, longer each time, and is blocked in the end.
 * @param notBefore the earliest instant to start, for retries
 * @returns the run, or null when a person has the activity, has paused it or has to help, or when it waits for an earlier step
 */
export async function wake(
  cmd: Command,
  activity: ActivityRow,
  wake: Wake,
  notBefore?: Date,
): Promise<RunRow | null> {
  const now = cmd.clock.date()
  // A person's act is something new.
  if (isPerson(cmd)) activity.idleRuns = 0
  // Only the step before it starts a step, however often it is spoken of meanwhile.
  if (activity.status === 'created' && activity.dependsOn.length > 0 && wake.reason !== 'new_task')
    return null
  if (!activity.agentRole) {
    await tellAssignee(cmd, activity)
    return null
  }
  // What was just created never had a run, so there is none to look for.
  const open = activity.status === 'created' ? null : await lockOpenRun(cmd, activity.id)
  if (open?.status === 'running') {
    open.nextWake = coalesce(open.nextWake, wake)
    // What it waited for has come before its turn was over: the end of the turn must not wait for it any more.
    if (activity.status !== 'in_progress' && !isClosed(activity)) {
      activity.blocker = null
      moveTo(cmd, activity, 'in_progress', `Answered during the turn (${wake.reason.replaceAll('_', ' ')})`)
      await expectEnd(cmd, open)
    }
    return open
  }
  if (activity.hold !== null) {
    await hold(cmd, activity, wake, notBefore)
    return null
  }
  const whole = coalesce(
    open ? { reason: open.wakeReason, note: open.wakeNote } : await kept(cmd, activity),
    wake,
  )
  if (!open && isGoingRound(activity)) {
    await stopGoingRound(cmd, activity)
    await keep(cmd, activity, whole)
    return null
  }
  activity.wakeReason = whole.reason
  activity.blocker = null
  moveTo(cmd, activity, 'assigned', `Given to ${activity.agentRole} (${wake.reason.replaceAll('_', ' ')})`)
  if (open) {
    open.wakeReason = whole.reason
    open.wakeNote = whole.note ?? {}
    // A wait that a provider asked for outlives a wake that knows nothing of it.
    if (notBefore) open.notBefore = notBefore
    // The rest that Copydesk ordered does not: somebody has something new to say.
    else if (isPerson(cmd) && !open.failures) open.notBefore = now
    cmd.signal('runs')
    return open
  }
  cmd.signal('runs')
  const rested = new Date(now.getTime() + pauseMs(activity.idleRuns))
  return cmd.em.create(Run, {
    id: cmd.newId(),
    tenantId: activity.tenantId,
    activityId: activity.id,
    campaignId: activity.campaignId,
    agentRole: activity.agentRole,
    status: 'pending',
    open: true,
    wakeReason: whole.reason,
    wakeNote: whole.note ?? {},
    nextWake: null,
    priority: activity.priority,
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
export async function wakeAgain(cmd: Command, activity: ActivityRow, run: RunRow): Promise<void> {
  const next = run.nextWake
  run.nextWake = null
  await cmd.em.flush()
  if (next) await wake(cmd, activity, next)
}

/** Keeps what the agent is to be told until the activity is woken by what it waits for. The caller holds its lock. */
export async function keep(cmd: Command, activity: ActivityRow, wake: Wake): Promise<void> {
  const last = await latestRun(cmd, activity.id)
  if (last) last.nextWake = coalesce(last.nextWake, wake)
}

/** Keeps a wake until a person resumes the activity, with the time before which a provider is to be left alone. */
async function hold(cmd: Command, activity: ActivityRow, wake: Wake, notBefore?: Date): Promise<void> {
  await keep(cmd, activity, wake)
  const last = await latestRun(cmd, activity.id)
  if (last && notBefore) last.notBefore = notBefore
  standStill(cmd, activity)
}

/** Takes what was kept for an activity while it waited for something else. */
async function kept(cmd: Command, activity: ActivityRow): Promise<Wake | null> {
  if (!isWaiting(activity)) return null
  const last = await latestRun(cmd, activity.id)
  const wake = last?.nextWake ?? null
  if (last) last.nextWake = null
  return wake
}

const latestRun = (cmd: Command, activityId: string) =>
  cmd.em.findOne(Run, { activityId }, { orderBy: { id: 'desc' } })

async function tellAssignee(cmd: Command, activity: ActivityRow): Promise<void> {
  moveTo(cmd, activity, 'assigned', 'Given to a person')
  logActivity(cmd, activity, { kind: 'assigned', message: 'Waits for a person' })
  if (!activity.assigneeUserId) return
  await notify(cmd, {
    tenantId: activity.tenantId,
    to: [activity.assigneeUserId],
    type: 'campaign_update',
    title: `For you: ${activity.title}`,
    body: activity.inputPrompt.slice(0, 500),
    subjectKind: 'activities',
    subjectId: activity.id,
  })
}
