import { adapterFor } from '../agents/adapters/adapters.ts'
import type { Ctx } from '../context.ts'
import { signals } from '../signals.ts'
import { begin } from './begin.ts'
import { Cancelled, deliverFailure, Draining, TimedOut } from './broken-off.ts'
import { claimRuns, type ClaimedRun, heldRuns, lostRuns, nextDue, renewLeases } from './claim-queries.ts'
import { takeBack } from './recover.ts'
import { isProcessGone, ownersHere } from './owner.ts'

export interface Dispatcher {
  /** A run may be waiting: look now. */
  poke(): void
  start(): Promise<void>
  /** Takes no new runs, lets those at work end for `graceMs`, then gives them up to another process. */
  stop(graceMs?: number): Promise<void>
  /** Runs at work in this process. */
  readonly busy: number
}

export interface DispatcherOptions {
  /** A context that reaches all tenants. */
  system: Ctx
  /** A context that acts as the agent of one run. */
  agentContext(run: { runId: string; attempt: number; tenantId: string; agentName: string }): Ctx
  /** Names this process for its leases. */
  owner: string
  /** Runs at the same time. */
  concurrency: number
  /** How long a run stays with a process that says nothing more, milliseconds. */
  leaseMs?: number
}

interface AtWork {
  abort: AbortController
  done: Promise<void>
}

const pollMs = 2_000

/** Claims runs and gives them to their adapters, in one process of one or many. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { system, owner, concurrency, leaseMs = 15_000 } = options
  const { db, clock, log } = system
  const atWork = new Map<string, AtWork>()
  const timers = new Set<() => void>()
  let unlisten: Array<() => Promise<void>> = []
  let running = false
  let looking: Promise<void> | undefined
  let again = false

  const later = (ms: number, fn: () => void) => {
    const cancel = clock.after(ms, () => {
      timers.delete(cancel)
      if (running) fn()
    })
    timers.add(cancel)
  }
  const poke = () => {
    if (!running) return
    again = true
    looking ??= look().finally(() => {
      looking = undefined
    })
  }
  const look = async () => {
    while (again && running) {
      again = false
      try {
        const free = concurrency - atWork.size
        if (free <= 0) return
        const now = clock.date()
        const leaseUntil = new Date(now.getTime() + leaseMs)
        const claimed = await claimRuns(db, { owner, now, leaseUntil, limit: free })
        for (const run of claimed) work(run)
        if (claimed.length === free) again = true
      } catch (error) {
        log.error('runs could not be claimed', { error })
      }
    }
  }
  const work = (claimed: ClaimedRun) => {
    const abort = new AbortController()
    const done = perform(claimed, abort)
      .catch((error: unknown) => log.error('a run broke off', { runId: claimed.id, error }))
      .finally(() => {
        atWork.delete(claimed.id)
        poke()
      })
    atWork.set(claimed.id, { abort, done })
  }
  const perform = async (claimed: ClaimedRun, abort: AbortController) => {
    const dispatch = await begin(system, claimed)
    if (!dispatch) return
    const { runId, attempt, tenantId, agent } = dispatch
    const ctx = options.agentContext({ runId, attempt, tenantId, agentName: agent.name })
    const cancelDeadline = clock.after(dispatch.timeoutMs, () => abort.abort(new TimedOut()))
    let outcome: 'finished' | 'accepted' = 'finished'
    try {
      outcome = await adapterFor(agent.adapterType).start(ctx, dispatch, abort.signal)
    } catch (error) {
      await deliverFailure(ctx, dispatch, error, abort.signal)
    } finally {
      cancelDeadline()
      // What was accepted goes on elsewhere; some of its text may be here already.
      if (outcome === 'finished') ctx.services.deltas.close(dispatch)
    }
  }
  const heartbeat = async () => {
    const ids = [...atWork.keys()]
    if (ids.length > 0) {
      const held = await renewLeases(db, owner, ids, new Date(clock.now() + leaseMs))
      for (const id of ids) {
        if (held.get(id)?.cancel) atWork.get(id)?.abort.abort(new Cancelled())
      }
    }
    for (const lost of await lostRuns(db.sql, clock.date())) {
      log.warn('a run lost its process or its time is over', { runId: lost.id, attempt: lost.attempt })
      await takeBack(system, lost)
    }
  }
  const beat = () => {
    heartbeat()
      .catch((error: unknown) => log.error('leases could not be renewed', { error }))
      .finally(() => later(leaseMs / 3, beat))
  }
  const poll = () => {
    poke()
    nextDue(db.sql, clock.date())
      .then((due) => Math.min(pollMs, due ? Math.max(due.getTime() - clock.now(), 10) : pollMs))
      .catch(() => pollMs)
      .then((ms) => later(ms, poll))
      .catch((error: unknown) => log.error('waiting runs could not be looked up', { error }))
  }
  return {
    poke,
    get busy() {
      return atWork.size
    },
    async start() {
      running = true
      ownersHere.add(owner)
      unlisten = [
        await db.listen(signals.runs, poke),
        await db.listen(signals.cancel, (runId) => atWork.get(runId)?.abort.abort(new Cancelled())),
      ]
      for (const held of await heldRuns(db.sql)) {
        if (held.owner && isProcessGone(held.owner, owner)) await takeBack(system, held)
      }
      beat()
      poll()
    },
    async stop(graceMs = 10_000) {
      running = false
      for (const cancel of timers) cancel()
      for (const end of unlisten.splice(0)) await end()
      // What was claimed at this moment is at work a moment later.
      await looking
      const all = Promise.all([...atWork.values()].map((run) => run.done))
      const giveUp = clock.after(graceMs, () => {
        for (const run of atWork.values()) run.abort.abort(new Draining())
      })
      await all
      giveUp()
      ownersHere.delete(owner)
    },
  }
}
