import { ApiError } from '../errors.ts'
import type { Clock } from './clock.ts'
import type { Dispatch } from './dispatch.ts'
import { RunFailure, RunStopped, toFailure } from './failure.ts'
import { type AgentRun, createRun, type RunResult } from './run.ts'
import { type BodyOf, createRunConnection, type RunConnection } from './run-connection.ts'
import { createTextSender } from './text.ts'

/** How a run ended for this runtime. */
export interface RunEnd {
  runId: string
  /** `delivered`: Copydesk has the result; `failed`: it has the failure; `abandoned`: it accepts neither. */
  outcome: 'delivered' | 'failed' | 'abandoned'
  /** The error, unless the result was delivered. */
  error?: string
}

/** One active dispatch. */
export interface Work {
  readonly ended: Promise<RunEnd>
  /** False once nothing more can be sent: the same run would have to start again. */
  readonly isAlive: boolean
  /** Switches to a newer attempt, which continues the same execution. */
  adopt(token: string): void
  stop(reason: RunStopped): void
}

export interface WorkOptions {
  baseUrl: string
  clock: Clock
  fetch: typeof globalThis.fetch
  perform(run: AgentRun): Promise<RunResult | string | void>
}

type Delivery = BodyOf<'POST /runs/:runId/result'>

/**
 * Interval of heartbeats: short enough to learn of a cancellation, and several within the shortest timeout of
 * a run.
 */
const beatMs = 15_000
/** How long `perform` may take to end once its signal is aborted. */
const graceMs = 10_000
const longestMs = 86_400_000

export function startWork(dispatch: Dispatch, options: WorkOptions): Work {
  const { clock } = options
  const { taskId: runId, timeoutMs } = dispatch
  /** Aborts `perform`. */
  const stopping = new AbortController()
  /** Nothing may be sent any more. */
  const over = new AbortController()
  const line = createRunConnection({
    ...options,
    runId,
    token: dispatch.taskToken,
    onRefused: () => end(new RunStopped('over', 'Copydesk accepts nothing more for this attempt of the run')),
  })
  const text = createTextSender(clock, (delta, sequenceNum, signal) =>
    line.call('text', 'POST /runs/:runId/stream', {
      body: { delta, sequenceNum },
      signal: AbortSignal.any([signal, over.signal]),
    }),
  )
  let cancelClosing = () => {}
  const stop = (reason: RunStopped) => {
    if (stopping.signal.aborted) return
    text.stop()
    stopping.abort(reason)
    // A stop does not wait until Copydesk is reachable again.
    if (reason.why === 'closing') cancelClosing = clock.after(2 * graceMs, () => end(reason))
  }
  const end = (reason: RunStopped) => {
    stop(reason)
    over.abort(reason)
  }
  let cancelDeadline = () => {}
  const prolong = () => {
    cancelDeadline()
    const late = () =>
      end(new RunStopped('over', 'The lease of the run has expired, and Copydesk was not reachable'))
    cancelDeadline = clock.after(Math.min(timeoutMs, longestMs), late)
  }
  const beat = keepAlive(line, over.signal, {
    clock,
    everyMs: Math.min(beatMs, timeoutMs / 3),
    prolong,
    stop,
    end,
  })
  const work = async (): Promise<RunEnd> => {
    prolong()
    const run = createRun(dispatch, line, text, stopping.signal)
    const delivery = await inTime(options.perform(run), stopping.signal, clock)
      .then((result) => toDelivery(result, text.text))
      .catch((thrown: unknown) => toError(stopping.signal.aborted ? stopping.signal.reason : thrown))
    await text.end()
    return { runId, ...(await deliver(line, over.signal, delivery)) }
  }
  const settled = work()
    .catch((error: Error): RunEnd => ({ runId, outcome: 'abandoned', error: error.message }))
    .then((found) => {
      beat.stop()
      cancelDeadline()
      cancelClosing()
      end(new RunStopped('over', 'The run has ended'))
      return found
    })
  return {
    ended: settled,
    get isAlive() {
      return !stopping.signal.aborted
    },
    adopt(token) {
      line.token = token
      text.restart()
    },
    stop,
  }
}

/** Sends a heartbeat, whose response says whether the run is still wanted. */
function keepAlive(
  line: RunConnection,
  signal: AbortSignal,
  run: {
    clock: Clock
    everyMs: number
    prolong(): void
    stop(reason: RunStopped): void
    end(reason: RunStopped): void
  },
): { stop(): void } {
  const beat = async () => {
    const used = line.token
    try {
      const answer = await line.call('beat', 'POST /runs/:runId/heartbeat', { signal })
      // A repeated dispatch has brought a newer token meanwhile.
      if (line.token === used) line.token = answer.taskToken
      run.prolong()
      if (answer.cancel) run.stop(new RunStopped('cancelled', 'Stopped: the run was cancelled'))
    } catch (error) {
      if (error instanceof ApiError && error.status === 404)
        run.end(new RunStopped('over', 'Copydesk does not know this run'))
      // After any other error, the next heartbeat may succeed.
    }
    if (!signal.aborted) cancel = run.clock.after(run.everyMs, () => void beat())
  }
  let cancel = run.clock.after(run.everyMs, () => void beat())
  return { stop: () => cancel() }
}

/** Waits for `perform`; for a limited time once it was aborted. */
async function inTime<T>(performed: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  let cancel = () => {}
  const late = Promise.withResolvers<never>()
  const wait = () => void (cancel = clock.after(graceMs, () => late.reject(signal.reason)))
  signal.addEventListener('abort', wait, { once: true })
  try {
    return await Promise.race([performed, late.promise])
  } finally {
    signal.removeEventListener('abort', wait)
    cancel()
  }
}

function toDelivery(result: RunResult | string | void, shown: string): Delivery {
  const {
    text = shown,
    nothingToDo = false,
    usage,
    sessionId,
  }: RunResult = typeof result === 'string' ? { text: result } : (result ?? {})
  if (!nothingToDo && text.trim() === '')
    throw new RunFailure('invalid', 'The agent wrote nothing, and did not say that there was nothing to do')
  return {
    status: 'success',
    ...(text !== '' && { text: text.toWellFormed() }),
    ...(usage && { usage }),
    metadata: { ...(nothingToDo && { nothingToDo }), ...(sessionId !== undefined && { sessionId }) },
  }
}

function toError(thrown: unknown): Delivery {
  const { error, ...metadata } = toFailure(thrown)
  return { status: 'error', error, metadata }
}

/** Delivers the result. An existing result counts as success: the response to an earlier attempt was lost. */
async function deliver(
  line: RunConnection,
  signal: AbortSignal,
  body: Delivery,
): Promise<Omit<RunEnd, 'runId'>> {
  try {
    await line.call('end', 'POST /runs/:runId/result', { body, signal })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 401 || error.status === 404) throw error
    if (error.status !== 409) {
      if (body.status === 'error') throw error
      const refused = new RunFailure('invalid', `Copydesk refused the result: ${error.message}`)
      return deliver(line, signal, toError(refused))
    }
  }
  return body.error === undefined ? { outcome: 'delivered' } : { outcome: 'failed', error: body.error }
}
