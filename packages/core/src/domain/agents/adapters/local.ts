import { z } from 'zod'
import { ModelError, type ModelTool } from '../../../platform/models/port.ts'
import type { Ctx } from '../../context.ts'
import {
  addComment,
  createApproval,
  createSubtask,
  reportBlocker,
  requestReview,
} from '../../runs/actions.ts'
import type { Dispatch } from '../../runs/begin.ts'
import { reportToolCall } from '../../runs/report.ts'
import { deliver } from '../../runs/result.ts'
import { BlockerReport, NewApproval, NewComment, NewSubtask, ReviewRequest } from '../../runs/schemas.ts'
import type { EffectiveAgent } from '../effective-queries.ts'
import type { Adapter } from './adapters.ts'

/** The built-in loop: a model of a configured provider, in this process, with the run's actions as its tools. */
export const localAdapter: Adapter = {
  async check(ctx: Ctx, agent: EffectiveAgent) {
    const provider = ctx.services.models.providerOf(agent.model)
    const { ok, message, detail } = await provider.check()
    return [
      {
        name: `model ${ctx.services.models.nameFor(agent.model)}`,
        ok,
        detail: detail ? `${message} (${detail})` : message,
      },
    ]
  },

  async start(ctx: Ctx, dispatch: Dispatch, signal: AbortSignal) {
    const { runId, agent, model } = dispatch
    // The piece stands as it was approved, so no token is spent on it.
    if (dispatch.settled) {
      await deliver(ctx, runId, { status: 'success', text: '', nothingToDo: true })
      return 'finished'
    }
    const started = ctx.clock.now()
    const calls: Array<Promise<unknown>> = []
    const inputs = new Map<string, unknown>()
    const result = await ctx.services.models.providerOf(model).generate(
      {
        model,
        system: dispatch.systemPrompt,
        prompt: dispatch.prompt,
        brief: dispatch.brief,
        tools: toolsFor(ctx, runId, agent.toolNames),
        maxTurns: agent.adapterConfig.maxTurnsPerRun,
        signal,
      },
      {
        textDelta: (delta) => ctx.services.deltas.push(dispatch, delta),
        toolCall: ({ id, input }) => void inputs.set(id, input),
        toolResult: ({ id, name, output, error, durationMs }) => {
          const call = {
            toolName: name,
            method: 'call',
            input: inputs.get(id),
            output,
            durationMs,
            status: error ? ('error' as const) : ('success' as const),
            ...(error && { error }),
          }
          calls.push(
            reportToolCall(ctx, runId, call).catch((failure: unknown) =>
              ctx.log.warn('a tool call could not be kept', { runId, error: failure }),
            ),
          )
        },
      },
    )
    await Promise.all(calls)
    if (result.text.trim() === '' && calls.length === 0)
      throw new ModelError('invalid', 'The model answered with nothing')
    const { inputTokens, outputTokens } = result.usage
    await deliver(ctx, runId, {
      status: 'success',
      text: result.text,
      ...(result.text.trim() === '' && { nothingToDo: true }),
      usage: { inputTokens, outputTokens },
      durationMs: ctx.clock.now() - started,
    })
    return 'finished'
  },
}

/** The run's actions as tools; an agent has those that its configuration names. */
function toolsFor(ctx: Ctx, runId: string, names: readonly string[]): ModelTool[] {
  const tool = <S extends z.ZodType>(
    name: string,
    description: string,
    input: S,
    act: (value: z.output<S>) => Promise<unknown>,
  ): ModelTool => ({
    name,
    description,
    input,
    execute: (value) => act(value as z.output<S>),
  })
  const all = [
    tool('report_blocker', 'Stop and tell a person what is in the way.', BlockerReport, (value) =>
      reportBlocker(ctx, runId, value),
    ),
    tool('create_subtask', 'Give a part of the work to another agent role.', NewSubtask, (value) =>
      createSubtask(ctx, runId, value),
    ),
    tool('request_review', 'Ask a person to look at the work before you go on.', ReviewRequest, (value) =>
      requestReview(ctx, runId, value),
    ),
    tool('create_approval', 'Ask people to decide something.', NewApproval, (value) =>
      createApproval(ctx, runId, value),
    ),
    tool('add_comment', 'Leave a comment for the people who work on this.', NewComment, (value) =>
      addComment(ctx, runId, value),
    ),
  ]
  return all.filter(({ name }) => names.includes(name))
}
