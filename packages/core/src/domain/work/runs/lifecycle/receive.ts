import type { Ctx } from '../../../../kernel/context.ts'
import { invalid } from '../../../../kernel/errors.ts'
import { failureFamilies } from '../../../agents/models/entities.ts'
import { SessionName } from '../../agent-control/schemas.ts'
import { requireOwnRun } from './authorize-run.ts'
import { type DeliveredResult, deliver } from './result.ts'
import type { Callback, RunResult } from './schemas.ts'

/** Serves `POST /agent/v1/runs/:runId/result`. @throws DomainError see `deliver` */
export async function acceptResult(
  ctx: Ctx,
  runId: string,
  result: RunResult,
): Promise<{ received: true; runId: string }> {
  requireOwnRun(ctx, runId)
  await deliver(ctx, runId, toDelivery(result, result.metadata))
  return { received: true, runId }
}

/**
 * Serves `POST /agent/v1/callback/:runId`, whose body may have the endpoint's own shape or the webhook adapter's.
 * @throws DomainError see `deliver`; `VALIDATION_ERROR` for a success without text
 */
export async function acceptCallback(
  ctx: Ctx,
  runId: string,
  callback: Callback,
): Promise<{ received: true }> {
  requireOwnRun(ctx, runId)
  const success = callback.status === 'success' || callback.status === 'completed'
  const textField = 'output' in callback || callback.status === 'completed' ? 'output' : 'text'
  const text = ('output' in callback ? callback.output : 'text' in callback ? callback.text : undefined) ?? ''
  if (success && text.trim() === '') throw invalid(textField, `A successful result needs ${textField}`)
  await deliver(
    ctx,
    runId,
    toDelivery({
      status: success ? 'success' : 'error',
      text,
      error: callback.error?.trim() || 'The runtime reported a failure without a reason',
      usage: callback.usage ?? undefined,
      durationMs: 'durationMs' in callback ? callback.durationMs : undefined,
      sessionId: 'sessionId' in callback ? (callback.sessionId ?? undefined) : undefined,
    }),
  )
  return { received: true }
}

/**
 * A runtime may name the family of its failure in `metadata.family`, and how long its provider asks to be left alone in
 * `metadata.retryAfterMs`; what has no family is not tried again. Its session stands in `metadata.sessionId`, or where the
 * shape of the callback has it.
 */
function toDelivery(
  result: Omit<RunResult, 'metadata'> & { sessionId?: string | undefined },
  metadata: Record<string, unknown> = {},
): DeliveredResult {
  const { usage, durationMs } = result
  const session = SessionName.safeParse(result.sessionId ?? metadata['sessionId'])
  const sessionId = session.success ? session.data : undefined
  if (result.status === 'success') {
    return {
      status: 'success',
      text: result.text ?? '',
      nothingToDo: metadata['nothingToDo'] === true,
      usage,
      durationMs,
      sessionId,
    }
  }
  const family = failureFamilies.find((name) => name === metadata['family'])
  const wait = metadata['retryAfterMs']
  return {
    status: 'error',
    error: result.error ?? '',
    ...(family && { family }),
    ...(typeof wait === 'number' && wait > 0 && { retryAfterMs: Math.ceil(wait) }),
    usage,
    durationMs,
    sessionId,
  }
}
