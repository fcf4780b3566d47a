import type { Transaction } from '../../../../kernel/context.ts'

/**
 * What all runs have in common that never wait and belong to no activity, such as probes and answers of the chat: this process holds
 * them until their deadline; should it die, another one ends them.
 */
export function heldRun(txn: Transaction, id: string, deadline: Date) {
  const now = txn.clock.date()
  return {
    id,
    activityId: id,
    campaignId: null,
    status: 'running' as const,
    open: true,
    wakeReason: 'manual' as const,
    wakeNote: {},
    nextWake: null,
    priority: 0,
    notBefore: now,
    attempt: 1,
    leaseOwner: txn.services.settings.owner,
    leaseUntil: deadline,
    deadline,
    cancelRequested: false,
    error: null,
    errorFamily: null,
    failures: null,
    deadLetteredAt: null,
    inputTokens: 0,
    outputTokens: 0,
    costMicros: 0,
    priced: true,
    durationMs: null,
    startedAt: now,
    completedAt: null,
    createdOn: now,
  }
}
