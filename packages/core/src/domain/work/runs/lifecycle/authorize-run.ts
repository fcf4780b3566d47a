import { LockMode } from '@mikro-orm/core'
import { LRUCache } from 'lru-cache'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError, notFound } from '../../../../kernel/errors.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import { isClosed, lockActivity } from '../../activities/state.ts'
import { Run, type RunRow } from '../entities.ts'
import { isAtWork, noteAtRuntime, noteGoesOn } from '../queue/lease.ts'

/** The token by which the agent of one attempt of a run reports: good until the deadline, and no longer than the run. */
export function taskToken(
  ctx: Ctx,
  run: { runId: string; attempt: number; deadline: Date },
): Promise<string> {
  const { runId, attempt, deadline } = run
  const exp = Math.ceil(deadline.getTime() / 1000)
  return ctx.services.tokens.sign('task', { sub: runId, attempt, exp })
}

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
  txn: Transaction,
  runId: string,
): Promise<{ run: RunRow; activity: ActivityRow }> {
  requireOwnRun(txn, runId)
  const { purpose, activityId } = await placeOf(txn, runId)
  if (purpose === 'probe')
    throw new DomainError('UNPROCESSABLE', 'This run only tries the agent out: there is no work behind it')
  // Sent in this order, so locked in this order.
  const [activity, run] = await Promise.all([lockActivity(txn, activityId), lockRun(txn, runId)])
  return { run, activity }
}

/** What a run is for, which never changes. */
type Place = Pick<RunRow, 'activityId' | 'purpose'>

const places = new LRUCache<string, Place>({ max: 2_000 })

/** @throws DomainError `NOT_FOUND`, also where another tenant's run may be known */
async function placeOf(txn: Transaction, runId: string): Promise<Place> {
  const known = places.get(runId)
  if (known) return known
  const run = await txn.em.findOne(Run, { id: runId })
  if (!run) throw notFound('run')
  const { activityId, purpose } = run
  const place = { activityId, purpose }
  places.set(runId, place)
  return place
}

async function lockRun(txn: Transaction, id: string): Promise<RunRow> {
  const run = await txn.em.findOne(Run, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
  if (!run) throw notFound('run')
  return run
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
export async function lockOwnRunOrProbe(txn: Transaction, runId: string): Promise<OwnRun> {
  requireOwnRun(txn, runId)
  const { purpose } = await placeOf(txn, runId)
  if (purpose !== 'probe') return lockOwnRun(txn, runId)
  return { run: await lockRun(txn, runId), activity: null }
}

/**
 * Like `lockOwnRunOrProbe`, for what only a run in progress may do.
 * @param isWork false for what shows only that its runtime lives
 * @throws DomainError also `UNAUTHORIZED` when the run has ended or was taken over by a newer attempt
 */
export async function lockAtWork(txn: Transaction, runId: string, isWork = true): Promise<OwnRun> {
  const found = await lockOwnRunOrProbe(txn, runId)
  if (!isAtWork(txn, found.run)) throw ended()
  await noteAtRuntime(txn, found.run)
  if (isWork) noteGoesOn(found.run)
  return found
}

const ended = () => new DomainError('UNAUTHORIZED', 'This run has ended')

/**
 * Like `lockOwnRun`, for acts that only a run in progress may do.
 * @throws DomainError also `UNAUTHORIZED` when the run has ended or was taken over by a newer attempt
 */
export async function lockRunAtWork(
  txn: Transaction,
  runId: string,
): Promise<{ run: RunRow; activity: ActivityRow }> {
  const found = await lockOwnRun(txn, runId)
  if (!isAtWork(txn, found.run)) throw ended()
  await noteAtRuntime(txn, found.run)
  noteGoesOn(found.run)
  return found
}

/**
 * Like `lockRunAtWork`, for acts that move the activity on.
 * @throws DomainError also `UNPROCESSABLE` when nothing moves it on any more, as after it was given to someone else
 */
export async function lockOpenWork(
  txn: Transaction,
  runId: string,
): Promise<{ run: RunRow; activity: ActivityRow }> {
  const found = await lockRunAtWork(txn, runId)
  if (isClosed(found.activity))
    throw new DomainError('UNPROCESSABLE', `The activity is already ${found.activity.status}`)
  return found
}
