import { effectiveAgent } from '../agents/effective-queries.ts'
import type { Command } from '../context.ts'
import { attemptOf } from './attempt.ts'
import type { RunRow } from './entities.ts'

/** The lease of a run at an external runtime: no process of ours holds it. */

/** How long a runtime that may have been given a run may say nothing before the run is given out again, milliseconds. */
const unheardMs = 300_000

const graceSecDefault = 30

/** How long the agent of a run has to end its turn once it is to stop, milliseconds. */
export async function graceMs(cmd: Command, run: RunRow): Promise<number> {
  const agent = await effectiveAgent(cmd, run.tenantId, run.agentRole)
  return (agent?.adapterConfig.graceSec ?? graceSecDefault) * 1_000
}

/** A runtime certainly has this attempt: it holds the run until the deadline, and older attempts are fenced off. */
export async function handOver(cmd: Command, run: RunRow): Promise<void> {
  run.status = 'running'
  run.handedOverAt = cmd.clock.date()
  run.fence = run.attempt - 1
  run.leaseOwner = null
  run.leaseUntil = run.deadline
  if (run.cancelRequested) await expectEnd(cmd, run)
}

/** Nobody knows whether this attempt has reached its runtime: it has some time to say so. The run stays as it is meanwhile. */
export function waitForRuntime(cmd: Command, run: RunRow): void {
  run.leaseOwner = null
  run.leaseUntil = sooner(run.deadline, new Date(cmd.clock.now() + unheardMs))
}

/** What a runtime says with its token shows that the dispatch has reached it, whatever became of the answer. */
export async function noteAtRuntime(cmd: Command, run: RunRow): Promise<void> {
  if (run.adapter !== 'adapter_b' || run.purpose === 'probe' || run.handedOverAt !== null) return
  // An older attempt than the one that is on its way: whichever is first counts.
  if (attemptOf(cmd, run) !== run.attempt) return
  await handOver(cmd, run)
}

/** A runtime whose question was answered works on: the turn has more to it, and its end is waited for. */
export function noteGoesOn(run: RunRow): void {
  if (isAnswered(run)) run.leaseUntil = run.deadline
}

/** Gives a run at an external runtime that is to end no more time than its agent's grace; a process of ours hears of it at once. */
export async function expectEnd(cmd: Command, run: RunRow): Promise<void> {
  if (run.leaseOwner !== null) return
  run.leaseUntil = sooner(run.leaseUntil, new Date(cmd.clock.now() + (await graceMs(cmd, run))))
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
