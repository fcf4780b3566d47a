import type { Reply } from '../index.ts'
import type { Dispatch } from './dispatch.ts'
import type { BodyOf, Line, RunRoute } from './line.ts'
import type { TextSender } from './text.ts'

type Call<R extends RunRoute> = (body: BodyOf<R>) => Promise<Reply<'agent', R>>

/** Everything that Copydesk knows about a run: prompt, system prompt, what was written before, what the reviewer said. */
export type RunContext = Reply<'agent', 'GET /runs/:runId/context'>

/** One run, as `perform` gets it. Calls are tried again while Copydesk restarts or asks to wait. */
export interface AgentRun {
  readonly id: string
  readonly dispatch: Dispatch
  /** Aborted, with a `RunStopped` as its reason, when the work is not wanted any more. Hand it to your model's client. */
  readonly signal: AbortSignal
  context(): Promise<RunContext>
  /** Shows text to those who watch, as it is written. Never waits and never fails; call it for every token. */
  text(delta: string): void
  /** Puts a tool call on the record and its cost on the bill. Leave credentials out of `input` and `output`. */
  toolCall: Call<'POST /runs/:runId/tool-call'>
  /** Stops the activity until a person has dealt with what is in the way. */
  reportBlocker: Call<'POST /runs/:runId/actions/report-blocker'>
  /** Gives a part of the work to another role; one level deep. */
  createSubtask: Call<'POST /runs/:runId/actions/create-subtask'>
  /** Asks a person to look. */
  requestReview: Call<'POST /runs/:runId/actions/request-review'>
  /** Asks people to decide something. */
  createApproval: Call<'POST /runs/:runId/actions/create-approval'>
  /** Hands the work over. */
  reassign: Call<'POST /runs/:runId/actions/reassign'>
  /** Leaves a comment. */
  addComment: Call<'POST /runs/:runId/actions/add-comment'>
}

/** What `perform` returns. */
export interface RunResult {
  /** The piece. Left out, it is the text that was shown by `run.text`. */
  text?: string
  /** There was nothing to write, as when the piece was approved, or when an action has ended the turn. */
  nothingToDo?: boolean
  usage?: { inputTokens: number; outputTokens: number }
  /** The conversation with the model, which the next dispatch of the same activity names again. */
  sessionId?: string
}

export function createRun(dispatch: Dispatch, line: Line, text: TextSender, signal: AbortSignal): AgentRun {
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
  }
}
