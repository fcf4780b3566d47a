import type { Ctx } from '../../kernel/context.ts'
import { oneTenant } from '../../kernel/scope.ts'
import { ModelError } from '../../platform/models/port.ts'
import { openChatRun } from '../work/runs/lifecycle/chat-run.ts'
import { createAnswerText } from './answer-text.ts'
import { writeBySearch } from './by-search.ts'
import { beginTurn, endTurn, type Turn, type WrittenAnswer } from './conversations.ts'
import { earlierMessages } from './queries.ts'
import type { ChatQuestion, ChatSource } from './schemas.ts'
import { createSources } from './sources.ts'
import { lookedAt, searchFor } from './tools.ts'
import { type ModelTask, type TokensUsed, writeWithModel } from './with-model.ts'

/** The longest that an answer takes, milliseconds. */
const patienceMs = 90_000
/** How much later what was taken for it is free again, should the process die. */
const graceMs = 15_000

/** What someone is told who asks and waits. */
export type ChatNews =
  | { event: 'text_delta'; data: { delta: string } }
  | {
      event: 'completed'
      data: {
        conversationId: string
        messageId: string
        inputTokens: number
        outputTokens: number
        sources?: ChatSource[]
      }
    }
  | { event: 'error'; data: { error: string } }

interface Listener {
  readonly closed: boolean
  send(news: ChatNews): boolean
  close(): void
  onClose(fn: () => void): void
}

const brokenOff = 'The answer broke off; ask again'

/** Answers that this instance is writing, until they are kept: it does not stop before. */
export type OpenAnswers = Set<Promise<void>>

class Gone extends Error {}
class TooLate extends Error {}

/**
 * Answers a question from the tenant's knowledge base and its work, as far as the one who asks may see it, and keeps both. The model
 * stops when the listener goes. Serves `POST /dashboard/v1/chat/message`.
 * @throws DomainError `NOT_FOUND` for another user's conversation, or when there is no such campaign or activity; `CONFLICT` while an answer is
 *   being written in the conversation; `UNPROCESSABLE` when it is full
 */
export async function answerQuestion(ctx: Ctx, question: ChatQuestion, listener: Listener): Promise<void> {
  const about = await lookedAt(ctx, question.context)
  const until = new Date(ctx.clock.now() + patienceMs + graceMs)
  const turn = await beginTurn(ctx, question, until)
  const { openAnswers } = ctx.services
  // The request has been answered for its idempotency key: what follows is no part of that act.
  const later: Ctx = { ...ctx, trace: { ...ctx.trace, claim: undefined } }
  const written = write(later, { question: question.message, about, turn, until }, listener)
    .catch((error: unknown) => {
      ctx.log.error('an answer could not be kept', { conversationId: turn.conversationId, error })
      fail(listener, brokenOff)
    })
    .finally(() => {
      openAnswers.delete(written)
      listener.close()
    })
  openAnswers.add(written)
}

interface Task {
  question: string
  about: readonly string[]
  turn: Turn
  until: Date
}

async function write(ctx: Ctx, task: Task, listener: Listener): Promise<void> {
  const { conversationId, messageId } = task.turn
  const abort = new AbortController()
  const cancel = ctx.clock.after(patienceMs, () => abort.abort(new TooLate()))
  listener.onClose(() => abort.abort(new Gone()))
  const signal = AbortSignal.any([abort.signal, ctx.services.stopping])
  const sources = createSources()
  const send = (delta: string) => void listener.send({ event: 'text_delta', data: { delta } })
  const text = createAnswerText(sources.has, send)
  const unexpected = (error: unknown) => ({ inputTokens: 0, outputTokens: 0, error })
  const { error, ...tokens } = await answer(ctx, task, { sources, text, signal }).catch(unexpected)
  cancel()
  const cited = sources.pick(text.cited)
  const content = text.text.trim().toWellFormed()
  const kept: WrittenAnswer = { content, sources: cited, fileIds: sources.fileIds() }
  if (error !== undefined) kept.unfinished = signal.aborted ? 'stopped' : 'failed'
  const isKept = await endTurn(ctx, task.turn, content === '' ? undefined : kept)
  if (error !== undefined) return tell(ctx, error, signal, listener)
  if (!isKept) return fail(listener, 'The conversation was deleted meanwhile')
  const told = { conversationId, messageId, ...tokens, ...(cited.length > 0 && { sources: cited }) }
  listener.send({ event: 'completed', data: told })
}

async function answer(
  ctx: Ctx,
  { question, about, turn, until }: Task,
  means: Pick<ModelTask, 'sources' | 'text' | 'signal'>,
): Promise<TokensUsed & { error?: unknown }> {
  const earlier = await earlierMessages(ctx, turn.conversationId, turn.questionId)
  const found = await searchFor(ctx, means.sources, question)
  const run = await openChatRun(ctx, oneTenant(ctx), until)
  if (typeof run !== 'string') return writeWithModel(ctx, { ...means, question, earlier, about, run }, found)
  await writeBySearch(ctx, { question, earlier, found, why: run, text: means.text })
  return { inputTokens: 0, outputTokens: 0 }
}

/** Says why there is no answer, or no more of it. No one is left to be told who has gone. */
function tell({ log, services }: Ctx, error: unknown, { reason }: AbortSignal, listener: Listener): void {
  if (reason instanceof Gone) return
  if (reason instanceof TooLate) return fail(listener, 'The answer took too long; ask again')
  if (services.stopping.aborted) return fail(listener, 'The server is being stopped; ask again in a moment')
  if (error instanceof ModelError) return fail(listener, `The model could not answer: ${error.message}`)
  log.error('an answer broke off', { error })
  fail(listener, brokenOff)
}

function fail(listener: Listener, error: string): void {
  listener.send({ event: 'error', data: { error } })
}

declare module '../../kernel/services.ts' {
  interface Services {
    openAnswers: OpenAnswers
  }
}
