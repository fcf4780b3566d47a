import { type Ctx, signals } from '../../../../kernel/context.ts'
import { createSpacing } from '../../../../platform/spacing.ts'
import { adapterFor } from '../adapters/adapters.ts'
import { Cancelled, Draining, deliverFailure, TimedOut } from '../lifecycle/abort.ts'
import { start } from '../lifecycle/start.ts'
import {
  anyWaiting,
  type ClaimedRun,
  claimable,
  claimRuns,
  heldRuns,
  lostRuns,
  nextDue,
  renewLeases,
} from './claim-queries.ts'
import { isProcessGone, ownersHere } from './lease.ts'
import { takeBack } from './recover.ts'

export interface Dispatcher {
  /** A run may be waiting: look now. */
  wakeUp(): void
  start(): Promise<void>
  /** Takes no new runs, lets those in progress end for `graceMs`, then gives them up to another process. */
  stop(graceMs?: number): Promise<void>
  /** Runs in progress in this process. */
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

interface InFlight {
  abort: AbortController
  done: Promise<void>
}

interface State extends Required<DispatcherOptions> {
  inFlight: Map<string, InFlight>
  /** Cancel what is to be done later. */
  timers: Set<() => void>
  unlisten: Array<() => Promise<void>>
  running: boolean
  /** Runs are being claimed. */
  looking: Promise<void> | undefined
  /** More may have come since it began to look. */
  again: boolean
  /** Another process was claiming for the same agents. */
  contested: boolean
  pace: (ms: number) => Promise<void>
}

const pollMs = 2_000
/** Between two claims in a row: several runs that end and begin share one. */
const claimMs = 10
/** How often a claim is put off by that time while most places are taken, or another process claims for the same agents. */
const mostPauses = 5

/** Claims runs and gives them to their adapters, in one process of one or many. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const state: State = {
    ...options,
    leaseMs: options.leaseMs ?? 15_000,
    inFlight: new Map(),
    timers: new Set(),
    unlisten: [],
    running: false,
    looking: undefined,
    again: false,
    contested: false,
    pace: createSpacing(),
  }
  return {
    wakeUp: () => wakeUp(state),
    start: () => begin(state),
    stop: (graceMs) => drain(state, graceMs),
    get busy() {
      return state.inFlight.size
    },
  }
}

async function begin(state: State): Promise<void> {
  const { system, owner, inFlight } = state
  const { db } = system
  state.running = true
  ownersHere.add(owner)
  state.unlisten = [
    await db.listen(signals.runs, () => wakeUp(state)),
    await db.listen(signals.cancel, (runId) => inFlight.get(runId)?.abort.abort(new Cancelled())),
  ]
  for (const held of await heldRuns(db.sql)) {
    if (held.owner && isProcessGone(held.owner, owner)) await takeBack(system, held)
  }
  beat(state)
  poll(state)
}

async function drain(state: State, graceMs = 10_000): Promise<void> {
  const { system, owner, inFlight } = state
  state.running = false
  for (const cancel of state.timers) cancel()
  for (const end of state.unlisten.splice(0)) await end()
  // What was claimed at this moment is running a moment later.
  await state.looking
  const all = Promise.all([...inFlight.values()].map((run) => run.done))
  const giveUp = system.clock.after(graceMs, () => {
    for (const run of inFlight.values()) run.abort.abort(new Draining())
  })
  await all
  giveUp()
  ownersHere.delete(owner)
}

function wakeUp(state: State): void {
  if (!state.running) return
  state.again = true
  state.looking ??= claim(state).finally(() => {
    state.looking = undefined
  })
}

async function claim(state: State): Promise<void> {
  const { system, owner, concurrency, leaseMs, inFlight } = state
  const { db, clock, log } = system
  while (state.again && state.running) {
    state.again = false
    try {
      // A look is cheap, so a run that comes when all is at rest begins at once.
      if (concurrency <= inFlight.size || !(await anyWaiting(db.sql, clock.date()))) continue
      await gather(state)
      const limit = claimable(concurrency - inFlight.size)
      if (!state.running || limit === 0) continue
      const now = clock.date()
      const leaseUntil = new Date(now.getTime() + leaseMs)
      const { claimed, busy } = await claimRuns(db, { owner, now, leaseUntil, limit })
      for (const run of claimed) work(state, run)
      state.contested = busy
      if (busy || claimed.length === limit) state.again = true
    } catch (error) {
      log.error('runs could not be claimed', { error })
    }
  }
}

/** Waits until several runs can share a claim: not at all after a rest, and for long only while there is enough to do. */
async function gather(state: State): Promise<void> {
  const { inFlight, concurrency, pace } = state
  await pace(claimMs)
  const isPutOff = () => state.running && (state.contested || inFlight.size * 2 > concurrency)
  for (let i = 1; i < mostPauses && isPutOff(); i += 1) await pace(claimMs)
}

function work(state: State, claimed: ClaimedRun): void {
  const abort = new AbortController()
  const done = perform(state, claimed, abort)
    .catch((error: unknown) => state.system.log.error('a run broke off', { runId: claimed.id, error }))
    .finally(() => {
      state.inFlight.delete(claimed.id)
      wakeUp(state)
    })
  state.inFlight.set(claimed.id, { abort, done })
}

async function perform(
  { system, agentContext }: State,
  claimed: ClaimedRun,
  abort: AbortController,
): Promise<void> {
  const dispatch = await start(system, claimed)
  if (!dispatch) return
  const { runId, attempt, tenantId, agent } = dispatch
  const ctx = agentContext({ runId, attempt, tenantId, agentName: agent.name })
  const cancelDeadline = system.clock.after(dispatch.timeoutMs, () => abort.abort(new TimedOut()))
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

/** Keeps the leases of what is in progress, and takes back what other processes have lost, again and again. */
function beat(state: State): void {
  const { system, leaseMs } = state
  heartbeat(state).then(
    (passedOver) => later(state, passedOver ? leaseMs / 15 : leaseMs / 3, beat),
    (error: unknown) => {
      system.log.error('leases could not be renewed', { error })
      later(state, leaseMs / 3, beat)
    },
  )
}

/** @returns whether leases may be left that could not be renewed at this moment */
async function heartbeat({ system, owner, leaseMs, inFlight }: State): Promise<boolean> {
  const { db, clock, log } = system
  const ids = [...inFlight.keys()]
  let passedOver = false
  if (ids.length > 0) {
    const held = await renewLeases(db, owner, ids, new Date(clock.now() + leaseMs))
    passedOver = ids.some((id) => inFlight.has(id) && !held.has(id))
    for (const id of ids) {
      if (held.get(id)?.cancel) inFlight.get(id)?.abort.abort(new Cancelled())
    }
  }
  for (const lost of await lostRuns(db.sql, clock.date())) {
    log.warn('a run lost its process or its time is over', { runId: lost.id, attempt: lost.attempt })
    await takeBack(system, lost)
  }
  return passedOver
}

/** Looks for runs now, and again when the next one is due. */
function poll(state: State): void {
  const { db, clock, log } = state.system
  wakeUp(state)
  nextDue(db.sql, clock.date())
    .then((due) => Math.min(pollMs, due ? Math.max(due.getTime() - clock.now(), 10) : pollMs))
    .catch(() => pollMs)
    .then((ms) => later(state, ms, poll))
    .catch((error: unknown) => log.error('waiting runs could not be looked up', { error }))
}

function later(state: State, ms: number, next: (state: State) => void): void {
  const cancel = state.system.clock.after(ms, () => {
    state.timers.delete(cancel)
    if (state.running) next(state)
  })
  state.timers.add(cancel)
}
