import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../kernel/context.ts'
import { DomainError, notFound } from '../../kernel/errors.ts'
import { oneTenant } from '../../kernel/scope.ts'
import { transact } from '../../kernel/transact.ts'
import { Conversation, ConversationMessage, type ConversationRow } from './entities.ts'
import { surplusConversations } from './queries.ts'
import { type ChatQuestion, type ChatSource, maxMessages, type unfinishedStates } from './schemas.ts'

/** A question that is being answered. */
export interface Turn {
  conversationId: string
  /** Of the question. */
  questionId: string
  /** Of the answer, which is not stored yet. */
  messageId: string
}

/**
 * Keeps a question, and the conversation for its answer until `until`.
 * @throws DomainError `NOT_FOUND` also for another user's conversation; `CONFLICT` while an answer is being written in it;
 *   `UNPROCESSABLE` when it is full
 */
export function beginTurn(ctx: Ctx, { message, conversationId }: ChatQuestion, until: Date): Promise<Turn> {
  return transact(ctx, async (txn) => {
    const now = txn.clock.date()
    const conversation = conversationId
      ? await lockOwn(txn, conversationId)
      : await newConversation(txn, message, now)
    if (conversation.answerUntil && conversation.answerUntil > now)
      throw new DomainError('CONFLICT', 'An answer is being written in this conversation; wait for it')
    if (conversation.messageCount + 2 > maxMessages)
      throw new DomainError('UNPROCESSABLE', 'This conversation is full; start a new one')
    const [questionId, messageId] = [txn.newId(), txn.newId()]
    conversation.answerId = messageId
    conversation.answerUntil = until
    addMessage(txn, conversation, { id: questionId, role: 'user', content: message })
    const { id, tenantId } = conversation
    // Not what was said: that is the user's own affair.
    txn.audit({ tenantId, resourceType: 'conversation', resourceId: id, after: { messageId: questionId } })
    return { conversationId: id, questionId, messageId }
  })
}

async function newConversation(txn: Transaction, message: string, now: Date): Promise<ConversationRow> {
  const tenantId = oneTenant(txn)
  await remove(txn, await surplusConversations({ ...txn, sql: txn.tx }))
  return txn.em.create(Conversation, {
    id: txn.newId(),
    tenantId,
    userId: txn.actor.id,
    title: beginningOf(message, 80),
    lastMessage: '',
    messageCount: 0,
    answerId: null,
    answerUntil: null,
    createdOn: now,
    updatedOn: now,
  })
}

/** An answer as it is to be kept. */
export interface WrittenAnswer {
  content: string
  sources: ChatSource[]
  fileIds: string[]
  unfinished?: (typeof unfinishedStates)[number]
}

/**
 * Keeps an answer, or that there is none, and lets the next question in.
 * @returns false when the conversation was deleted meanwhile, or someone else is answering in it by now
 */
export function endTurn(ctx: Ctx, turn: Turn, answer: WrittenAnswer | undefined): Promise<boolean> {
  return transact(ctx, async (txn) => {
    const conversation = await txn.em.findOne(
      Conversation,
      { id: turn.conversationId },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    )
    if (conversation?.answerId !== turn.messageId) return false
    conversation.answerId = null
    conversation.answerUntil = null
    if (answer) addMessage(txn, conversation, { ...answer, id: turn.messageId, role: 'assistant' })
    return true
  })
}

function addMessage(
  txn: Transaction,
  conversation: ConversationRow,
  message: Partial<WrittenAnswer> & { id: string; role: 'user' | 'assistant'; content: string },
): void {
  const { sources = [], fileIds = [], unfinished = null, ...rest } = message
  const now = txn.clock.date()
  txn.em.create(ConversationMessage, {
    ...rest,
    tenantId: conversation.tenantId,
    conversationId: conversation.id,
    sources,
    fileIds,
    unfinished,
    createdOn: now,
  })
  conversation.lastMessage = beginningOf(message.content, 200)
  conversation.messageCount += 1
  conversation.updatedOn = now
}

/** Serves `DELETE /dashboard/v1/chat/conversations/:conversationId`. @throws DomainError `NOT_FOUND` also for another user's */
export function deleteConversation(ctx: Ctx, id: string): Promise<{ deleted: true }> {
  return transact(ctx, async (txn) => {
    const { tenantId, messageCount } = await lockOwn(txn, id)
    await remove(txn, [id])
    txn.audit({ tenantId, resourceType: 'conversation', resourceId: id, before: { messages: messageCount } })
    return { deleted: true }
  })
}

async function remove(txn: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await txn.em.nativeDelete(ConversationMessage, { conversationId: { $in: [...ids] } })
  await txn.em.nativeDelete(Conversation, { id: { $in: [...ids] } })
}

async function lockOwn(txn: Transaction, id: string): Promise<ConversationRow> {
  const found = await txn.em.findOne(
    Conversation,
    { id, userId: txn.actor.id },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  if (!found) throw notFound('conversation')
  return found
}

/** The beginning of a text in one line, and no half of a character. */
function beginningOf(text: string, most: number): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
