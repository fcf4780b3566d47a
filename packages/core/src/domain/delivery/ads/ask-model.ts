import type { z } from 'zod'
import type { Ctx } from '../../../kernel/context.ts'
import { type ModelCall, ModelError } from '../../../platform/models/port.ts'
import type { ModelChoice } from '../../agents/models/registry.ts'
import {
  type AnswerRole,
  bookChatCall,
  type ChatRun,
  endChatRun,
  openChatRun,
} from '../../work/runs/lifecycle/chat-run.ts'

/** The longest that a model is waited for, milliseconds. */
const patienceMs = 60_000
/** How much later its run is ended by others, should the process die. */
const graceMs = 15_000

/** A first answer, and a second one when the first was refused. */
const mostTurns = 2
const mostTokens = 4_000

/** Something that a model answers by calling one tool. */
export interface AdQuestion<T> {
  role: Exclude<AnswerRole, 'chat'>
  system: string
  prompt: string
  tool: { name: string; description: string; input: z.ZodType<T> }
}

/**
 * Asks a model of the tenant about its ads. What that costs counts against the cap of the tenant, and nothing is asked when it is used up.
 * @returns what it has said, and its name; undefined where there is none, or none has answered: rules decide then
 * @throws the reason of `signal`
 */
export async function askAdModel<T>(
  ctx: Ctx,
  tenantId: string,
  question: AdQuestion<T>,
  signal: AbortSignal,
): Promise<{ said: T; model: string } | undefined> {
  const until = new Date(ctx.clock.now() + patienceMs + graceMs)
  const run = await openChatRun(ctx, tenantId, until, question.role)
  if (typeof run === 'string') return undefined
  const late = new AbortController()
  const cancel = ctx.clock.after(patienceMs, () => late.abort(new Error('The model took too long')))
  let failure: unknown
  try {
    for (const choice of run.choices) {
      try {
        const said = await ask(ctx, run, choice, question, AbortSignal.any([signal, late.signal]))
        failure = undefined
        return said && { said: said.value, model: choice.model }
      } catch (error) {
        failure = error
        signal.throwIfAborted()
        ctx.log.warn('a model could not answer about ads', {
          role: question.role,
          model: choice.model,
          error,
        })
      }
    }
    return undefined
  } finally {
    cancel()
    await endChatRun(ctx, run.id, failure === undefined ? undefined : asFailure(failure))
  }
}

/** Ends the conversation once the tool was called well. */
class Said extends Error {}

async function ask<T>(
  ctx: Ctx,
  run: ChatRun,
  { model, provider }: ModelChoice,
  { system, prompt, tool }: AdQuestion<T>,
  signal: AbortSignal,
): Promise<{ value: T } | undefined> {
  const calls: ModelCall[] = []
  let said: { value: T } | undefined
  const execute = async (input: unknown) => {
    said = { value: tool.input.parse(input) }
    return 'Thank you.'
  }
  try {
    await provider.generate(
      {
        model,
        system,
        prompt,
        tools: [{ ...tool, execute }],
        maxTurns: mostTurns,
        maxOutputTokens: mostTokens,
        signal,
        mayGoOn: () => (said ? new Said() : undefined),
      },
      {
        textDelta: nothing,
        toolCall: nothing,
        toolResult: nothing,
        modelCall: (call) => void calls.push(call),
      },
    )
  } catch (error) {
    if (!(error instanceof Said)) throw error
  } finally {
    // What was spent was spent, whatever has become of the answer.
    for (const call of calls) await bookChatCall(ctx, run.id, { ...call, model, providerId: provider.id })
  }
  return said
}

const nothing = () => undefined

const asFailure = (error: unknown) =>
  error instanceof ModelError
    ? { error: error.message, family: error.family }
    : { error: error instanceof Error ? error.message : 'The model failed', family: 'transient' as const }
