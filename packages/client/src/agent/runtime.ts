import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, systemClock } from './clock.ts'
import { type Answer, type Dispatch, type Incoming, isDispatch, originOf, takeIn } from './dispatch.ts'
import { RunStopped } from './failure.ts'
import { fromNode, fromWeb, toNode } from './requests.ts'
import type { AgentRun, RunResult } from './run.ts'
import { type RunEnd, startWork, type Work } from './work.ts'

export interface AgentRuntimeOptions {
  /**
   * Base URL of Copydesk, without a path. Tokens are sent nowhere else, whatever a dispatch contains. Without
   * it, they are sent to the address in the dispatch, which is trusted only because of the secret.
   */
  baseUrl?: string
  /** The header with which Copydesk authenticates: `authHeader` and `authValue` of the agent. */
  secret: { header: string; value: string }
  /**
   * Executes one run. Its return value is delivered, an error is delivered as a failure, of the kind of a
   * `RunFailure`. Nothing else has to be sent.
   */
  perform(run: AgentRun): Promise<RunResult | string | void>
  /**
   * Maximum number of concurrent runs; default 4. At least the concurrency of all agents that use this
   * runtime.
   */
  concurrency?: number
  /** Delay after which Copydesk should dispatch again at the maximum; default 60,000 milliseconds. */
  busyRetryMs?: number
  /** Maximum size of a dispatch, in bytes; default 16 MiB. */
  maxBytes?: number
  /** Called once for every accepted run, when it has ended. */
  onEnd?(end: RunEnd): void
  fetch?: typeof globalThis.fetch
  clock?: Clock
}

export interface AgentRuntime {
  /** A fetch handler. */
  fetch(request: Request): Promise<Response>
  /** The same for `node:http`, Express and Connect; the body must not have been read. */
  node(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** The number of active runs. */
  readonly busy: number
  /**
   * Accepts no more runs and waits for active ones. Those that exceed `graceMs`, default 30,000, are stopped
   * and delivered as a failure that Copydesk retries.
   */
  close(graceMs?: number): Promise<void>
}

/** How many ended dispatches are remembered to detect repetitions. */
const remembered = 1_000

/**
 * An agent runtime: accepts runs from Copydesk, responds at once, executes them in the background and
 * delivers each result once.
 * @throws TypeError without a secret: anyone could dispatch runs
 */
export function createAgentRuntime(options: AgentRuntimeOptions): AgentRuntime {
  const { secret, concurrency = 4, busyRetryMs = 60_000, maxBytes = 16 << 20, clock = systemClock } = options
  if (secret.header === '' || secret.value === '')
    throw new TypeError(
      'createAgentRuntime needs a secret: the name of a header and the value that Copydesk sends in it',
    )
  const fetch = options.fetch ?? globalThis.fetch
  const atWork = new Set<Work>()
  /** By run id: its execution while active, and the token of its latest dispatch. */
  const known = new Map<string, { token: string; work: Work }>()
  let closing = false

  const begin = (dispatch: Dispatch, baseUrl: string) => {
    const { taskId, taskToken } = dispatch
    const perform = async (run: AgentRun) => {
      // The response is sent first, however long the run blocks the process.
      await new Promise((resolve) => setTimeout(resolve))
      return options.perform(run)
    }
    const work = startWork(dispatch, { baseUrl, clock, fetch, perform })
    atWork.add(work)
    known.delete(taskId)
    known.set(taskId, { token: taskToken, work })
    for (const [old, { work }] of known) {
      if (known.size <= remembered) break
      if (!atWork.has(work)) known.delete(old)
    }
    void work.ended.then((end) => {
      atWork.delete(work)
      options.onEnd?.(end)
    })
  }
  const take = async (incoming: Incoming): Promise<Answer> => {
    const dispatch = await takeIn(incoming, { secret, maxBytes })
    if (!isDispatch(dispatch)) return dispatch
    const { taskId, taskToken } = dispatch
    const before = known.get(taskId)
    const taken = { status: 202, text: `Run ${taskId} is accepted.` }
    if (before?.token === taskToken) return taken
    if (before?.work.isAlive) {
      before.token = taskToken
      before.work.adopt(taskToken)
      return taken
    }
    const baseUrl = options.baseUrl ?? originOf(dispatch)
    if (baseUrl === undefined) return { status: 400, text: 'callbackUrl is not the callback of the run.' }
    if (closing || atWork.size >= concurrency) {
      const text = closing ? 'This runtime is about to stop.' : `${atWork.size} runs are running already.`
      return { status: 503, text, headers: { 'retry-after': String(Math.ceil(busyRetryMs / 1_000)) } }
    }
    begin(dispatch, baseUrl)
    return taken
  }
  return {
    async fetch(request) {
      const { status, text, headers } = await take(fromWeb(request))
      return new Response(text, {
        status,
        headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
      })
    },
    async node(request, response) {
      try {
        toNode(response, await take(fromNode(request)))
      } catch {
        // The client has disconnected.
        response.destroy()
      }
    },
    get busy() {
      return atWork.size
    },
    async close(graceMs = 30_000) {
      closing = true
      const reason = new RunStopped('closing', 'The agent runtime was stopped before the work was done')
      const cancel = clock.after(graceMs, () => {
        for (const work of atWork) work.stop(reason)
      })
      await Promise.all([...atWork].map(({ ended }) => ended))
      cancel()
    },
  }
}
