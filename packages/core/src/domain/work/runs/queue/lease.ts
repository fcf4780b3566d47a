import { hostname } from 'node:os'
import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { effectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import { Run, type RunRow } from '../entities.ts'

/** Which attempt of the run the caller is. */
export const attemptOf = (ctx: Ctx, run: RunRow): number => ctx.actor.attempt ?? run.attempt

/** True while this attempt of the run may still act: it was not fenced off. */
export function isAtWork(ctx: Ctx, run: RunRow): boolean {
  const attempt = attemptOf(ctx, run)
  return run.open && run.fence < attempt && attempt <= run.attempt
}

/** The lease of a run at an external runtime: no process of ours holds it. */

/** How long a runtime that may have been given a run may say nothing before the run is given out again, milliseconds. */
const unheardMs = 300_000

const graceSecDefault = 30

/** How long the agent of a run has to end its turn once it is to stop, milliseconds. */
export async function graceMs(txn: Transaction, run: RunRow): Promise<number> {
  const agent = await effectiveAgent(txn, run.tenantId, run.agentRole)
  return (agent?.adapterConfig.graceSec ?? graceSecDefault) * 1_000
}

/** A runtime certainly has this attempt: it holds the run until the deadline, and older attempts are fenced off. */
export async function handOver(txn: Transaction, run: RunRow): Promise<void> {
  run.status = 'running'
  run.handedOverAt = txn.clock.date()
  run.fence = run.attempt - 1
  run.leaseOwner = null
  run.leaseUntil = run.deadline
  if (run.cancelRequested) await expectEnd(txn, run)
}

/** Leaves a run to an external runtime that has taken it: no process holds it any more, its deadline does. */
export async function releaseToRuntime(
  ctx: Ctx,
  { runId, attempt }: { runId: string; attempt: number },
): Promise<void> {
  await transact(ctx, async (txn) => {
    const run = await txn.em.findOneOrFail(Run, { id: runId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    const isOurs = run.open && run.status === 'running' && run.attempt === attempt
    if (isOurs && run.handedOverAt === null) await handOver(txn, run)
  })
}

/** No one knows whether this attempt has reached its runtime: it has some time to say so. The run stays as it is meanwhile. */
export function waitForRuntime(txn: Transaction, run: RunRow): void {
  run.leaseOwner = null
  run.leaseUntil = sooner(run.deadline, new Date(txn.clock.now() + unheardMs))
}

/** What a runtime says with its token shows that the dispatch has reached it, whatever became of the answer. */
export async function noteAtRuntime(txn: Transaction, run: RunRow): Promise<void> {
  if (run.adapter !== 'adapter_b' || run.purpose !== 'work' || run.handedOverAt !== null) return
  // An older attempt than the one that is on its way: whichever is first counts.
  if (attemptOf(txn, run) !== run.attempt) return
  await handOver(txn, run)
}

/** A runtime whose question was answered works on: the turn has more to it, and its end is waited for. */
export function noteGoesOn(run: RunRow): void {
  if (isAnswered(run)) run.leaseUntil = run.deadline
}

/** Gives a run at an external runtime that is to end no more time than its agent's grace; a process of ours hears of it at once. */
export async function expectEnd(txn: Transaction, run: RunRow): Promise<void> {
  if (run.leaseOwner !== null) return
  run.leaseUntil = sooner(run.leaseUntil, new Date(txn.clock.now() + (await graceMs(txn, run))))
}

/** True while a run has nothing left to do but to end, since what it has asked was answered during its turn. */
export function isAnswered(run: RunRow): boolean {
  return run.handedOverAt !== null && !run.cancelRequested && endsEarly(run)
}

/** True while an external runtime has to say something before the run's time is over. */
export function endsEarly({ leaseOwner, leaseUntil, deadline }: RunRow): boolean {
  return leaseOwner === null && leaseUntil !== null && deadline !== null && leaseUntil < deadline
}

function sooner(first: Date | null, second: Date): Date {
  return first !== null && first < second ? first : second
}

/** Names a process for its leases: host, process id, and a part that is new at every start. */
export function leaseOwner(boot: string): string {
  return `${hostname()}:${process.pid}:${boot}`
}

/** Those that are running in this very process: several instances may share it. */
export const ownersHere = new Set<string>()

/** True when `other` is a process of this machine that certainly runs no more. */
export function isProcessGone(other: string, self: string): boolean {
  const [host, pid] = other.split(':')
  const [ownHost, ownPid] = self.split(':')
  if (host !== ownHost || other === self) return false
  // The same process id under another boot: an instance beside us, or the number was used again, by us.
  if (pid === ownPid) return !ownersHere.has(other)
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH'
  }
}
