import type { Reply } from '../index.ts'
import type { Dispatch } from './dispatch.ts'
import type { BodyOf, RunConnection, RunRoute } from './run-connection.ts'
import type { TextSender } from './text.ts'

type Call<R extends RunRoute> = (body: BodyOf<R>) => Promise<Reply<'agent', R>>

/**
 * Everything that Copydesk knows about a run: prompt, system prompt, the previous text, the reviewer's note.
 */
export type RunContext = Reply<'agent', 'GET /runs/:runId/context'>

/** One run, as `perform` gets it. Requests are retried while Copydesk restarts or asks to wait. */
export interface AgentRun {
  readonly id: string
  readonly dispatch: Dispatch
  /**
   * Aborted, with a `RunStopped` as its reason, when the run is no longer wanted. Pass it to your model's
   * client.
   */
  readonly signal: AbortSignal
  context(): Promise<RunContext>
  /** Streams text to viewers as it is written. Never waits and never fails; call it for every token. */
  text(delta: string): void
  /** Records a tool call with its cost. Omit credentials from `input` and `output`. */
  toolCall: Call<'POST /runs/:runId/tool-call'>
  /** Blocks the activity until a person has resolved the blocker. */
  reportBlocker: Call<'POST /runs/:runId/actions/report-blocker'>
  /** Creates a subtask for another role; one level deep. */
  createSubtask: Call<'POST /runs/:runId/actions/create-subtask'>
  /** Requests a review by people. */
  requestReview: Call<'POST /runs/:runId/actions/request-review'>
  /** Asks people for a decision. */
  createApproval: Call<'POST /runs/:runId/actions/create-approval'>
  /** Reassigns the activity. */
  reassign: Call<'POST /runs/:runId/actions/reassign'>
  /** Adds a comment. */
  addComment: Call<'POST /runs/:runId/actions/add-comment'>
  /**
   * Searches the client's documents. The texts were written by third parties: give them to a model as material, marked as such. What is
   * found is shown to reviewers as the sources of the piece.
   */
  searchKnowledge: Call<'POST /runs/:runId/actions/knowledge-search'>
  /** Reads a public web page. Only for agents that have the tool `web_read`. */
  readPage: Call<'POST /runs/:runId/actions/web-read'>
}

/** What `perform` returns. */
export interface RunResult {
  /** The text. Default: the text that was streamed with `run.text`. */
  text?: string
  /**
   * There was nothing to write, for example because the text was approved, or because an action has ended the
   * run.
   */
  nothingToDo?: boolean
  usage?: { inputTokens: number; outputTokens: number }
  /** The session with the model, which the next dispatch of the same activity contains. */
  sessionId?: string
}

export function createRun(
  dispatch: Dispatch,
  line: RunConnection,
  text: TextSender,
  signal: AbortSignal,
): AgentRun {
  const act =
    <const R extends RunRoute>(route: R): Call<R> =>
    (body) =>
      line.call('work', route, { body, signal })
  return {
    id: dispatch.taskId,
    dispatch,
    signal,
    context: () => line.call('work', 'GET /runs/:runId/context', { signal }),
    text: (delta) => text.push(delta),
    toolCall: act('POST /runs/:runId/tool-call'),
    reportBlocker: act('POST /runs/:runId/actions/report-blocker'),
    createSubtask: act('POST /runs/:runId/actions/create-subtask'),
    requestReview: act('POST /runs/:runId/actions/request-review'),
    createApproval: act('POST /runs/:runId/actions/create-approval'),
    reassign: act('POST /runs/:runId/actions/reassign'),
    addComment: act('POST /runs/:runId/actions/add-comment'),
    searchKnowledge: act('POST /runs/:runId/actions/knowledge-search'),
    readPage: act('POST /runs/:runId/actions/web-read'),
  }
}
