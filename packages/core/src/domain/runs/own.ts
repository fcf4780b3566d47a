import { LockMode } from '@mikro-orm/core'
import type { ActivityRow } from '../activities/entities.ts'
import { isClosed, lockActivity } from '../activities/state.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { isAtWork } from './attempt.ts'
import { Run, type RunRow } from './entities.ts'
import { noteAtRuntime, noteGoesOn } from './lease.ts'

/**
 * A task token speaks for exactly one run.
 * @throws DomainError `UNAUTHORIZED` when the caller is not that run's agent
 */
export function requireOwnRun(ctx: Ctx, runId: string): void {
  if (ctx.actor.type === 'agent' && ctx.actor.id === runId) return
  throw new DomainError('UNAUTHORIZED', 'This token belongs to another run')
}

/**
 * Loads the caller's run with its activity, both locked, activity first.
 * @throws DomainError `UNAUTHORIZED` for another's run; `NOT_FOUND`; `UNPROCESSABLE` for a probe
 */
export async function lockOwnRun(
  cmd: Command,
  runId: string,
): Promise<{ run: RunRow; activity: ActivityRow }> {
  requireOwnRun(cmd, runId)
  const known = await cmd.em.findOne(Run, { id: runId })
  if (!known) throw notFound('run')
  if (known.purpose === 'probe')
    throw new DomainError('UNPROCESSABLE', 'This run only tries the agent out: there is no work behind it')
  const activity = await lockActivity(cmd, known.activityId)
  const run = await cmd.em.findOneOrFail(
    Run,
    { id: runId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
  return { run, activity }
}

/** A run, and the activity that it is for; a probe is for none. */
export interface OwnRun {
  run: RunRow
  activity: ActivityRow | null
}

/**
 * Like `lockOwnRun`, for what a probe may do as well.
 * @throws DomainError `UNAUTHORIZED` for another's run; `NOT_FOUND`
 */
export async function lockOwnRunOrProbe(cmd: Command, runId: string): Promise<OwnRun> {
  requireOwnRun(cmd, runId)
  const known = await cmd.em.findOne(Run, { id: runId })
  if (known?.purpose !== 'probe') return lockOwnRun(cmd, runId)
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const run = await cmd.em.findOneOrFail(Run, { id: runId }, { lockMode, refresh: true })
  return { run, activity: null }
}

/**
 * Like `lockOwnRunOrProbe`, for what only a run at work may do.
 * @param isWork false for what shows only that its runtime lives
 * @throws DomainError also `UNAUTHORIZED` when the run has ended or was taken over by a newer attempt
 */
export async function lockAtWork(cmd: Command, runId: string, isWork = true): Promise<OwnRun> {
  const found = await lockOwnRunOrProbe(cmd, runId)
  if (!isAtWork(cmd, found.run)) throw ended()
  await noteAtRuntime(cmd, found.run)
  if (isWork) noteGoesOn(found.run)
  return found
}

const ended = () => new DomainError('UNAUTHORIZED', 'This run has ended')

/**
 * Like `lockOwnRun`, for acts that only a run at work may do.
 * @throws DomainError also `UNAUTHORIZED` when the run has ended or was taken over by a newer attempt
 */
export async function lockRunAtWork(
  cmd: Command,
  runId: string,
): Promise<{ run: RunRow; activity: ActivityRow }> {
  const found = await lockOwnRun(cmd, runId)
  if (!isAtWork(cmd, found.run)) throw ended()
  await noteAtRuntime(cmd, found.run)
  noteGoesOn(found.run)
  return found
}

/**
 * Like `lockRunAtWork`, for acts that move the activity on.
 * @throws DomainError also `UNPROCESSABLE` when nothing moves it on any more, as after it was given to somebody else
 */
export async function lockOpenWork(
  cmd: Command,
  runId: string,
): Promise<{ run: RunRow; activity: ActivityRow }> {
  const found = await lockRunAtWork(cmd, runId)
  if (isClosed(found.activity))
    throw new DomainError('UNPROCESSABLE', `The activity is already ${found.activity.status}`)
  return found
}
