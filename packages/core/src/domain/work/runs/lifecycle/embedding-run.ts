import { LockMode } from '@mikro-orm/core'
import type { Ctx } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { watchTenantSpending } from '../budget/budget.ts'
import { tenantCap } from '../budget/caps.ts'
import { poolAllowance } from '../budget/free-pool.ts'
import { addCost } from '../budget/record-usage.ts'
import { Run } from '../entities.ts'
import { heldRun } from './held-run.ts'

/** What the costs of embedding documents are told under. */
const role = 'embedding'

/** Texts of a tenant that a model has embedded. */
export interface EmbeddedTexts {
  /** The run of the ingestion, a ULID: it is there from the first booking on. */
  runId: string
  tenantId: string
  model: string
  tokens: number
  /** No one counted the tokens: they follow from the length of the texts. */
  estimated: boolean
  durationMs: number
}

/** Whether embedding by a model costs something, as far as its price is known. */
export function isPricedEmbedding(ctx: Ctx, model: string): boolean {
  const { micros, priced } = ctx.services.models.costOf(model, { inputTokens: 1_000_000, outputTokens: 0 })
  return priced && micros > 0
}

/**
 * Why no texts of a tenant may be embedded that cost something, as a sentence for people: its cap is reached, or that of the free plans.
 * @returns undefined when they may
 */
export function embeddingHeldBack(ctx: Ctx, tenantId: string): Promise<string | undefined> {
  return transact(ctx, async (txn) => {
    const cap = await tenantCap(txn, tenantId)
    if (cap && cap.spent >= cap.limit) return `${cap.owner} has reached ${cap.allowance}`
    const pool = await poolAllowance(txn, { id: '', tenantId }, { adapterType: 'local' })
    return pool === 'reached'
      ? 'The free plans of this server have used up what they may spend together this month'
      : undefined
  })
}

/** Books texts that were embedded on the run of their ingestion; what was spent was spent, whatever becomes of the file. */
export function bookEmbedding(ctx: Ctx, embedded: EmbeddedTexts): Promise<void> {
  const { runId, tenantId, model, tokens, estimated, durationMs } = embedded
  return transact(ctx, async (txn) => {
    const now = txn.clock.date()
    const known = await txn.em.findOne(Run, { id: runId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    // It never waits and holds nothing that a process could lose: it has always ended.
    const ended = {
      open: false,
      status: 'completed' as const,
      completedAt: now,
      leaseOwner: null,
      leaseUntil: null,
    }
    const run =
      known ??
      txn.em.create(Run, {
        ...heldRun(txn, runId, now),
        ...ended,
        deadline: null,
        purpose: 'embedding',
        tenantId,
        agentRole: role,
        adapter: 'local',
        model,
        prompt: null,
        systemPrompt: null,
      })
    run.completedAt = now
    run.durationMs = now.getTime() - run.createdOn.getTime()
    const usage = { inputTokens: tokens, outputTokens: 0, ...(estimated && { estimated: true as const }) }
    const call = { model, providerId: null, usage, durationMs, status: 'completed' as const }
    const micros = await addCost(txn, run, null, call)
    if (micros > 0) await watchTenantSpending(txn, tenantId)
  })
}
