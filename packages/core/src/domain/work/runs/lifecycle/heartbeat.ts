import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { effectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import { isClosed } from '../../activities/state.ts'
import type { RunRow } from '../entities.ts'
import { endsEarly, graceMs, isAnswered } from '../queue/lease.ts'
import { lockAtWork, taskToken } from './authorize-run.ts'
import type { Heartbeat } from './schemas.ts'

/** However often its runtime says that it lives, a run is over a day after it began. */
const longestRunMs = 86_400_000

/**
 * Says that an external runtime is still in progress: its time begins again, with a fresh token, and it hears whether it is to
 * stop: then it has the grace of its agent from here on, and no more. One whose question was answered during its turn is to
 * end it within the grace since the answer. A run in a process of ours has the time of its adapter, which a heartbeat does not change. Serves
 * `POST /agent/v1/runs/:runId/heartbeat`.
 * @throws DomainError `UNAUTHORIZED` for another's run and one that has ended; `NOT_FOUND`
 */
export function heartbeat(ctx: Ctx, runId: string): Promise<Heartbeat> {
  return transact(ctx, async (txn) => {
    const { run, activity } = await lockAtWork(txn, runId, false)
    // Asked before the lease changes: whether it is told to stop.
    const cancel = run.cancelRequested || isAnswered(run) || (activity !== null && isClosed(activity))
    if (activity && run.leaseOwner === null) await prolong(txn, run)
    const deadline = run.deadline ?? txn.clock.date()
    return {
      runId,
      expiresAt: deadline,
      taskToken: await taskToken(txn, { runId, attempt: run.attempt, deadline }),
      cancel,
    }
  })
}

async function prolong(txn: Transaction, run: RunRow): Promise<void> {
  if (run.cancelRequested) return await grantGrace(txn, run)
  if (isAnswered(run)) return
  const agent = await effectiveAgent(txn, run.tenantId, run.agentRole)
  if (!agent) return
  const now = txn.clock.now()
  const timeoutMs = Math.min(agent.adapterConfig.timeoutSec, 3_600) * 1_000
  const last = (run.startedAt?.getTime() ?? now) + longestRunMs
  const deadline = new Date(Math.min(now + timeoutMs, last))
  // A shorter time that was set meanwhile is for the runs to come.
  if (run.deadline && deadline <= run.deadline) return
  run.deadline = deadline
  run.leaseUntil = deadline
}

/** It hears for the first time that it is to stop: the grace of its agent begins, and nothing makes it longer. */
async function grantGrace(txn: Transaction, run: RunRow): Promise<void> {
  if (!endsEarly(run) || run.deadline === null) return
  const end = new Date(Math.min(txn.clock.now() + (await graceMs(txn, run)), run.deadline.getTime()))
  run.deadline = end
  run.leaseUntil = end
}
