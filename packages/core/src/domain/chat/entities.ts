import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../platform/database/columns.ts'
import { ownedByTenant } from '../../platform/database/scope.ts'
import type { ChatSource, chatRoles, unfinishedStates } from './schemas.ts'

/** What one user asks and is answered. Nobody else sees it. */
export const Conversation = defineEntity({
  name: 'Conversation',
  tableName: 'conversations',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    userId: refColumn(),
    /** The beginning of its first question. */
    title: p.string(),
    lastMessage: p.string(),
    messageCount: p.integer(),
    /** The answer that is being written; null when none is. */
    answerId: refColumn().strictNullable(),
    /** Until when it is: another one may be asked for then, whatever became of the process that writes it. */
    answerUntil: instantColumn().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  indexes: [{ name: 'conversations_by_user', properties: ['userId', 'updatedOn', 'id'] }],
  filters: ownedByTenant,
})

export const ConversationMessage = defineEntity({
  name: 'ConversationMessage',
  tableName: 'conversation_messages',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    conversationId: refColumn(),
    role: p.string().$type<(typeof chatRoles)[number]>(),
    content: p.text(),
    /** What an answer cites, as it was then. */
    sources: p.json().$type<ChatSource[]>(),
    /** Files of which the answer may contain something, cited or not. */
    fileIds: p.json().$type<string[]>(),
    unfinished: p.string().$type<(typeof unfinishedStates)[number]>().strictNullable(),
    createdOn: instantColumn(),
  },
  indexes: [{ name: 'conversation_messages_by_conversation', properties: ['conversationId', 'id'] }],
  filters: ownedByTenant,
})

export type ConversationRow = InferEntity<typeof Conversation>
export const chatEntities = [Conversation, ConversationMessage]
