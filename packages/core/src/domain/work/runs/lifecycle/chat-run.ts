import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { type ModelCall, ModelError, type ModelFailure } from '../../../../platform/models/port.ts'
import { lockTenant } from '../../../accounts/tenants/status.ts'
import type { ModelChoice } from '../../../agents/models/registry.ts'
import { mayStillCost, watchTenantSpending } from '../budget/budget.ts'
import { tenantCap } from '../budget/caps.ts'
import { poolAllowance } from '../budget/free-pool.ts'
import { addCost } from '../budget/record-usage.ts'
import { heldBackBy } from '../budget/unproved.ts'
import { Run } from '../entities.ts'
import { heldRun } from './held-run.ts'

/** What the costs are told under: of answers to people, and of what a model says about ads. */
export type AnswerRole = 'chat' | 'search_term_classifier' | 'ads_optimizer'

/** A run that books what one answer costs. It holds no text: conversations are private. */
export interface ChatRun {
  id: string
  choices: readonly ModelChoice[]
  /** Micro-dollars that are left of the tenant's cap; null is without a cap. */
  allowanceMicros: number | null
}

/**
 * Opens a run for an answer, unless no model may be asked: every cap that holds back the work of agents holds back this too.
 * @param deadline until when this process has it; should the process die, another one ends it then
 * @returns a sentence for the person when no model may be asked
 */
export function openChatRun(
  ctx: Ctx,
  tenantId: string,
  deadline: Date,
  role: AnswerRole = 'chat',
): Promise<ChatRun | string> {
  return transact(ctx, async (txn) => {
    const { plan } = await lockTenant(txn, tenantId)
    const choices = modelsFor(txn, plan)
    const [first] = choices
    if (!first) return 'No model that can answer questions is available here.'
    const hindrance = await heldBackBy(txn, tenantId)
    if (hindrance === 'mailbox_unproved')
      return 'No model is asked before an admin has confirmed the e-mail address of the account.'
    if (hindrance)
      return 'No model is asked while a payment is overdue: it goes on by itself once it is paid.'
    const id = txn.newId()
    const cap = await tenantCap(txn, tenantId)
    if (cap && cap.spent >= cap.limit) return `No model is asked: ${cap.owner} has reached ${cap.allowance}.`
    const coming = cap ? await mayStillCost(txn, { id, tenantId }, null) : 0
    if (cap && coming > 0 && cap.spent + coming >= cap.limit)
      return `No model is asked at the moment: what is being written may use up ${cap.allowance}.`
    if ((await poolAllowance(txn, { id, tenantId }, { adapterType: 'local' })) !== 'granted')
      return 'No model is asked: the free plans of this server have used up what they may spend together this month.'
    txn.em.create(Run, {
      ...heldRun(txn, id, deadline),
      purpose: 'chat',
      tenantId,
      agentRole: role,
      adapter: 'local',
      model: first.model,
      // One that has a prompt counts as begun.
      prompt: '',
      systemPrompt: null,
    })
    return { id, choices, allowanceMicros: cap ? cap.limit - cap.spent : null }
  })
}

/** The built-in writer composes texts from briefs; it understands no questions. */
function modelsFor(txn: Transaction, plan: string): ModelChoice[] {
  try {
    return txn.services.models.choicesFor('', { plan }).filter(({ provider }) => provider.type !== 'builtin')
  } catch (error) {
    if (error instanceof ModelError) return []
    throw error
  }
}

/** Books one request to a model; what was spent was spent, whatever became of the answer. */
export function bookChatCall(
  ctx: Ctx,
  runId: string,
  call: ModelCall & { model: string; providerId: string },
): Promise<void> {
  return transact(ctx, async (txn) => {
    const run = await lockRun(txn, runId)
    const micros = await addCost(txn, run, null, call)
    if (call.status === 'completed') run.model = call.model
    if (micros > 0) await watchTenantSpending(txn, run.tenantId)
  })
}

/** Ends the run of an answer. @param failure why there is none, or not all of it */
export function endChatRun(
  ctx: Ctx,
  runId: string,
  failure?: { error: string; family: ModelFailure },
): Promise<void> {
  return transact(ctx, async (txn) => {
    const run = await lockRun(txn, runId)
    if (!run.open) return
    const now = txn.clock.date()
    run.open = false
    run.status = failure ? 'failed' : 'completed'
    run.error = failure?.error ?? null
    run.errorFamily = failure?.family ?? null
    run.leaseOwner = null
    run.leaseUntil = null
    run.completedAt = now
    run.durationMs = now.getTime() - run.createdOn.getTime()
  })
}

function lockRun(txn: Transaction, id: string) {
  return txn.em.findOneOrFail(Run, { id, purpose: 'chat' }, { lockMode: LockMode.PESSIMISTIC_WRITE })
}
