import type { Ctx } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { isLeftToOthers, type Refusal } from '../queue/older-attempt.ts'
import { deliver } from './result.ts'
import type { Dispatch } from './start.ts'

/** Why a run is told to stop: the reason of its signal. */
export class TimedOut extends Error {}
export class Cancelled extends Error {}
/** The process stops: the run is left to its lease, so that another process goes on with it. */
export class Draining extends Error {}

const leftToOthers = 'a dispatch came to nothing; the run is left to another attempt'

/**
 * Hands in the failure of a run whose adapter has thrown, in its family; a result that came meanwhile stands.
 * @param error what the adapter has thrown
 * @param signal the one that the adapter was given
 */
export async function deliverFailure(
  ctx: Ctx,
  dispatch: Dispatch,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  const reason: unknown = signal.aborted ? signal.reason : undefined
  if (reason instanceof Draining) return
  const failure = error as Refusal
  const { runId } = dispatch
  try {
    if (await isLeftToOthers(ctx, dispatch, reason === undefined ? failure : undefined))
      return ctx.log.info(leftToOthers, { runId, attempt: dispatch.attempt, error: failure.message })
    if (reason instanceof TimedOut) {
      return await deliver(ctx, runId, {
        status: 'error',
        error: 'The run took longer than its agent may',
        family: 'transient',
        timedOut: true,
      })
    }
    if (reason instanceof Cancelled)
      return await deliver(ctx, runId, { status: 'error', error: 'Stopped by a person', family: 'invalid' })
    if (!failure.family) ctx.log.error('an adapter failed', { runId, error })
    await deliver(ctx, runId, {
      status: 'error',
      error: failure.family
        ? (failure.message ?? 'failed')
        : 'The run failed inside of Copydesk; the log has the details',
      family: failure.family ?? 'internal',
      ...(failure.retryAfterMs !== undefined && { retryAfterMs: failure.retryAfterMs }),
    })
  } catch (refused) {
    // Someone else has ended the run meanwhile: its result stands.
    if (!(refused instanceof DomainError)) throw refused
    ctx.log.info('a late result was refused', { runId, code: refused.code })
  }
}
