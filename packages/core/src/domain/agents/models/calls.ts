import type { Transaction } from '../../../kernel/context.ts'
import type { ModelCall } from '../../../platform/models/port.ts'
import { LlmCall } from './entities.ts'
import { noteState, type ProviderWord } from './queries.ts'

/** A request as it is to be kept. */
export interface BookedCall extends Omit<ModelCall, 'text'> {
  model: string
  /** Default: a new one. */
  id?: string
  /** Null for what a remote runtime reports of its own provider. */
  providerId: string | null
}

/**
 * Keeps a request to a model with what it cost, and what it tells of its provider.
 * @param run whose request it was
 * @returns micro-dollars, and whether the model has a price at all
 */
export async function saveCall(
  txn: Transaction,
  run: { id: string; tenantId: string; agentRole: string },
  call: BookedCall,
): Promise<{ micros: number; priced: boolean }> {
  const { inputTokens, outputTokens, estimated = false } = call.usage
  const cost = txn.services.models.costOf(call.model, { inputTokens, outputTokens })
  const now = txn.clock.date()
  txn.em.create(LlmCall, {
    id: call.id ?? txn.newId(),
    tenantId: run.tenantId,
    runId: run.id,
    agentRole: run.agentRole,
    providerId: call.providerId,
    model: call.model,
    inputTokens,
    outputTokens,
    estimated,
    costMicros: cost.micros,
    priced: cost.priced,
    durationMs: Math.max(0, Math.round(call.durationMs)),
    status: call.status,
    family: call.family ?? null,
    createdOn: now,
  })
  const word = call.providerId === null ? undefined : wordOf(call)
  if (word && call.providerId !== null) await noteState(txn.tx, call.providerId, word, now)
  return cost
}

/** What a request tells of its provider. One that was cancelled, refused or wrong in itself tells nothing. */
function wordOf({ status, family, limits }: BookedCall): ProviderWord | undefined {
  if (status === 'completed') return { status: 'healthy', message: null, limits }
  switch (family) {
    case 'auth':
      return { status: 'degraded', message: 'The last call was refused: the key is not accepted.', limits }
    case 'quota':
      return {
        status: 'degraded',
        message: 'The last call was refused: overloaded, or its quota is used up.',
        limits,
      }
    case 'transient':
      return { status: 'degraded', message: 'The last call broke off or got no answer.', limits }
    default:
      return undefined
  }
}
