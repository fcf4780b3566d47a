import type { Ctx } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { toUsd } from '../../../../kernel/money.ts'
import type { ModelSink } from '../../../../platform/models/port.ts'
import type { ModelChoice } from '../../../agents/models/registry.ts'
import { readSkillTool } from '../../../agents/skills/reading.ts'
import { knowledgeSearchTool, webReadTool } from '../../sources/collect.ts'
import { bookCall, noteRun, type RunCall } from '../budget/record-usage.ts'
import { reportToolCall } from '../lifecycle/report.ts'
import type { Dispatch } from '../lifecycle/start.ts'
import type { TranscriptCursor } from '../lifecycle/transcript.ts'

/** What is read is no evidence that anything was done, and can be read again by another model. */
const readingTools: ReadonlySet<string> = new Set([readSkillTool, knowledgeSearchTool, webReadTool])

/** The agent may spend no more on the activity. */
export class CapReached extends Error {
  override readonly name = 'CapReached'
}

/** Keeps the record of one run of the built-in loop while it goes on: text, tools, and what each request cost. */
export interface LocalRecord {
  sinkFor(choice: ModelChoice): ModelSink
  /** True when anything was written or done that another try would repeat. */
  readonly told: boolean
  readonly toolsUsed: boolean
  /** Whether the agent has given the work to someone else: a person, an approval, a subtask. */
  readonly handedOver: boolean
  mayGoOn(): Error | undefined
  /** Puts a remark of the platform into the transcript. */
  note(text: string): void
  /** Takes the last request to a model for who books it together with the result; undefined when it is being booked. */
  takeLast(): RunCall | undefined
  /** Books a request that was taken after all. */
  book(call: RunCall): void
  /** Settles when everything so far is stored. */
  written(): Promise<void>
}

export function createRecord(ctx: Ctx, dispatch: Dispatch): LocalRecord {
  const { runId, agent, allowanceMicros } = dispatch
  const { deltas, models } = ctx.services
  const calls = new Map<string, { input: unknown; asked: TranscriptCursor }>()
  let told = false
  let toolsUsed = false
  let handedOver = false
  let spent = 0
  let writing = Promise.resolve()
  /** A request that was just made: if the result follows at once, it is booked with that. */
  let last: RunCall | undefined

  /** What is written a moment later still stands where it happened. */
  const here = (): TranscriptCursor => ({ id: ctx.newId(), at: ctx.clock.date() })
  /** One after the other, so that the transcript has the order of what happened. */
  const store = (what: string, work: () => Promise<unknown>) => {
    writing = writing.then(work).then(
      () => undefined,
      (error: unknown) => {
        // A run that was ended by someone else takes no more.
        const level = error instanceof DomainError ? 'warn' : 'error'
        ctx.log[level](`${what} could not be kept`, { runId, error })
      },
    )
  }
  const book = (call: RunCall) => store('a request to a model', () => bookCall(ctx, runId, call))
  const takeLast = () => {
    const taken = last
    last = undefined
    return taken
  }
  const bookLast = () => {
    const call = takeLast()
    if (call) book(call)
  }
  return {
    get told() {
      return told
    },
    get toolsUsed() {
      return toolsUsed
    },
    get handedOver() {
      return handedOver
    },
    sinkFor: ({ model, provider }) => ({
      textDelta(delta) {
        told = true
        deltas.push(dispatch, delta)
      },
      toolCall({ id, name, input }) {
        if (!readingTools.has(name)) told = true
        calls.set(id, { input, asked: here() })
      },
      toolResult({ id, name, output, error, durationMs }) {
        if (!readingTools.has(name)) toolsUsed = true
        const call = calls.get(id)
        if (error === undefined && handsOver(name, call?.input)) handedOver = true
        const report = {
          toolName: name,
          method: 'call',
          input: call?.input,
          output,
          durationMs,
          status: error === undefined ? ('success' as const) : ('error' as const),
          ...(error !== undefined && { error: error.slice(0, 10_000) }),
        }
        const places = { asked: call?.asked ?? here(), answered: here() }
        store('a tool call', () => reportToolCall(ctx, runId, report, places))
      },
      modelCall(call) {
        spent += models.costOf(model, call.usage).micros
        bookLast()
        const booked: RunCall = { ...call, id: ctx.newId(), model, providerId: provider.id, place: here() }
        last = booked
        setImmediate(() => last === booked && bookLast())
      },
    }),
    mayGoOn() {
      if (allowanceMicros === null || spent < allowanceMicros) return undefined
      const cap = toUsd(agent.maxCostMicrosPerActivity ?? 0)
      return new CapReached(`${agent.name} has spent the $${cap} that it may spend on one activity`)
    },
    note(text) {
      const place = here()
      store('a note', () => noteRun(ctx, runId, text, place))
    },
    takeLast,
    book,
    written() {
      bookLast()
      return writing
    },
  }
}

function handsOver(tool: string, input: unknown): boolean {
  const { blockCurrentActivity = true, blocking = true } = (input ?? {}) as Record<string, unknown>
  if (tool === 'create_approval') return blockCurrentActivity !== false
  if (tool === 'create_subtask') return blocking !== false
  return tool === 'report_blocker' || tool === 'request_review'
}
