import type { Ctx } from '../../kernel/context.ts'
import { dayIn } from '../../kernel/periods.ts'
import { oneTenant } from '../../kernel/scope.ts'
import { type ModelCall, ModelError } from '../../platform/models/port.ts'
import type { ModelChoice } from '../agents/models/registry.ts'
import { zoneOf } from '../insight/costs/queries.ts'
import { bookChatCall, type ChatRun, endChatRun } from '../work/runs/lifecycle/chat-run.ts'
import type { AnswerText } from './answer-text.ts'
import { type PromptParts, promptOf, systemPrompt } from './prompt.ts'
import type { Sources } from './sources.ts'
import { chatTools } from './tools.ts'

/** Requests to the model for one answer, and the tokens of each. */
const mostTurns = 6
const mostTokens = 1_500

/** What an answer is written with. */
export interface ModelTask extends Omit<PromptParts, 'sources'> {
  run: ChatRun
  sources: Sources
  text: AnswerText
  signal: AbortSignal
}

/** Tokens that were used, over all requests. */
export interface TokensUsed {
  inputTokens: number
  outputTokens: number
}

const unsupported =
  'I do not know: neither the knowledge base nor the work in Copydesk says anything about it.'
const uncited =
  '(No source of the knowledge base and nothing of the work in Copydesk stands behind this answer.)'
const usedUp = '(The answer ends here: what may be spent on models this month is used up.)'
const cutOff = '(The answer is cut off here: it was as long as an answer may be.)'

/**
 * Lets a model write an answer, or the next one where a model fails before it has written anything. What it costs is booked however
 * it ends. Each answer that nothing stands behind says so.
 * @returns what was used, and the error that it ended with, if it did
 */
export async function writeWithModel(
  ctx: Ctx,
  task: ModelTask,
  found: PromptParts['sources'],
): Promise<TokensUsed & { error?: unknown }> {
  const { run, sources, text, signal } = task
  const used: TokensUsed = { inputTokens: 0, outputTokens: 0 }
  let spent = 0
  let booked = Promise.resolve()
  let hasRead = false
  const tools = chatTools(ctx, sources, () => (hasRead = true))
  const system = systemPrompt(dayIn(ctx.clock.date(), await zoneOf(ctx, oneTenant(ctx))))
  const prompt = promptOf({ ...task, sources: found })

  const book = ({ model, provider }: ModelChoice, call: ModelCall) => {
    used.inputTokens += call.usage.inputTokens
    used.outputTokens += call.usage.outputTokens
    spent += ctx.services.models.costOf(model, call.usage).micros
    booked = booked.then(() => bookChatCall(ctx, run.id, { ...call, model, providerId: provider.id }))
    // It is waited for below; one that failed meanwhile is told there.
    booked.catch(() => undefined)
  }
  const ask = (choice: ModelChoice) => {
    const { model, provider } = choice
    const textDelta = (delta: string) => {
      if (!signal.aborted) text.write(delta)
    }
    // What is written after a read does not go on with the sentence before.
    const toolCall = () => {
      text.flush()
      if (text.text !== '' && !text.text.endsWith('\n\n')) text.write('\n\n')
    }
    return provider.generate(
      {
        model,
        system,
        prompt,
        tools,
        maxTurns: mostTurns,
        maxOutputTokens: mostTokens,
        signal,
        mayGoOn: () =>
          isUsedUp(run, spent) ? new Enough(usedUp) : text.full ? new Enough(cutOff) : undefined,
      },
      { textDelta, toolCall, toolResult: () => undefined, modelCall: (call) => book(choice, call) },
    )
  }

  let error: unknown
  try {
    const { finishReason } = await firstOf(run.choices, ask, () => {
      text.flush()
      return text.text === ''
    })
    text.flush()
    if (text.text.trim() === '') text.write(unsupported)
    else {
      if (finishReason === 'length') text.write(`\n\n${cutOff}`)
      if (text.cited.size === 0 && !hasRead) text.write(`\n\n${uncited}`)
    }
  } catch (failure) {
    if (failure instanceof Enough) text.write(`\n\n${failure.message}`)
    else error = failure
  }
  text.flush()
  await booked
  await endChatRun(ctx, run.id, error === undefined ? undefined : failureOf(error))
  return { ...used, ...(error !== undefined && { error }) }
}

/** Ends an answer between two requests. */
class Enough extends Error {}

const isUsedUp = ({ allowanceMicros }: ChatRun, spent: number) =>
  allowanceMicros !== null && spent >= allowanceMicros

/** @throws the error of the last that was asked */
async function firstOf<T>(
  choices: readonly ModelChoice[],
  ask: (choice: ModelChoice) => Promise<T>,
  mayAskAnother: () => boolean,
): Promise<T> {
  let failure: unknown
  for (const choice of choices) {
    try {
      return await ask(choice)
    } catch (error) {
      failure = error
      if (!(error instanceof ModelError) || !mayAskAnother()) break
    }
  }
  throw failure
}

function failureOf(error: unknown): NonNullable<Parameters<typeof endChatRun>[2]> {
  if (error instanceof ModelError) return { error: error.message, family: error.family }
  return { error: error instanceof Error ? error.message : 'It was ended', family: 'internal' }
}
