import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, systemClock } from './clock.ts'
import { type Answer, type Dispatch, type Incoming, isDispatch, originOf, takeIn } from './dispatch.ts'
import { RunStopped } from './failure.ts'
import { fromNode, fromWeb, toNode } from './requests.ts'
import type { AgentRun, RunResult } from './run.ts'
import { type RunEnd, startWork, type Work } from './work.ts'

export interface AgentRuntimeOptions {
  /**
   * Where Copydesk is, without a path. Tokens are sent to no other place, whatever a dispatch says. Without it, they are sent
   * to where the dispatch says, which is only as good as the secret.
   */
  baseUrl?: string
  /** The header that Copydesk proves itself with: `authHeader` and `authValue` of the agent. */
  secret: { header: string; value: string }
  /**
   * Does the work of one run. What it returns is delivered, what it throws is handed in as a failure; `RunFailure` says of what
   * kind. Nothing else has to be sent.
   */
  perform(run: AgentRun): Promise<RunResult | string | void>
  /** How many runs may be at work at the same time; default 4. Not fewer than all agents that work here may have. */
  concurrency?: number
  /** When Copydesk is to come again if that many are at work; default 60,000 milliseconds. */
  busyRetryMs?: number
  /** The largest dispatch that is taken, in bytes; default 16 MiB. */
  maxBytes?: number
  /** Called once for every run that was taken, when all is over. */
  onEnd?(end: RunEnd): void
  fetch?: typeof globalThis.fetch
  clock?: Clock
}

export interface AgentRuntime {
  /** Mount it where a fetch handler goes. */
  fetch(request: Request): Promise<Response>
  /** The same for `node:http`, Express and Connect; the body must not have been read. */
  node(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** How many runs are at work. */
  readonly busy: number
  /**
   * Takes no more work and waits for what is at work. What is not done after `graceMs`, default 30,000, is stopped and handed in
   * as a failure that Copydesk tries again.
   */
  close(graceMs?: number): Promise<void>
}

/** How many dispatches that have ended are known again. */
const remembered = 1_000

/**
 * An agent runtime: takes work from Copydesk, answers at once, works in the background and hands the result in once.
 * @throws TypeError when there is no secret: everybody could give it work
 */
export function createAgentRuntime(options: AgentRuntimeOptions): AgentRuntime {
  const { secret, concurrency = 4, busyRetryMs = 60_000, maxBytes = 16 << 20, clock = systemClock } = options
  if (secret.header === '' || secret.value === '')
    throw new TypeError(
      'createAgentRuntime needs a secret: the name of a header and the value that Copydesk sends in it',
    )
  const fetch = options.fetch ?? globalThis.fetch
  const atWork = new Set<Work>()
  /** By run: the work on it, as long as it is alive, and the token of its newest dispatch. */
  const known = new Map<string, { token: string; work: Work }>()
  let closing = false

  const begin = (dispatch: Dispatch, baseUrl: string) => {
    const { taskId, taskToken } = dispatch
    const perform = async (run: AgentRun) => {
      // The answer goes first, however long the work keeps the process busy.
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
    const taken = { status: 202, text: `Run ${taskId} is taken.` }
    if (before?.token === taskToken) return taken
    if (before?.work.isAlive) {
      before.token = taskToken
      before.work.adopt(taskToken)
      return taken
    }
    const baseUrl = options.baseUrl ?? originOf(dispatch)
    if (baseUrl === undefined) return { status: 400, text: 'callbackUrl is not the callback of the run.' }
    if (closing || atWork.size >= concurrency) {
      const text = closing ? 'This runtime is about to stop.' : `${atWork.size} runs are at work already.`
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
        // Its sender has left.
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
