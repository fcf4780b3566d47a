import { answerQuestion } from '../../domain/chat/answer.ts'
import { deleteConversation } from '../../domain/chat/conversations.ts'
import { getConversation, listConversations } from '../../domain/chat/queries.ts'
import {
  ChatQuestion,
  ConversationDeletion,
  ConversationDetail,
  ConversationList,
  chatEvents,
} from '../../domain/chat/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { eventStream } from '../../gateway/stream.ts'
import { team } from './access.ts'

export const message = eventStream({
  id: 'dashboard.chat.message',
  route: 'POST /chat/message',
  summary:
    'Ask about the knowledge base and the tenant’s work; the answer comes as it is written, with its sources',
  access: team,
  // Each request may call a model, which has a cost.
  limit: { requests: 20, perSeconds: 60, by: 'user' },
  body: ChatQuestion,
  events: chatEvents,
  errors: ['NOT_FOUND', 'CONFLICT', 'UNPROCESSABLE'],
  audit: 'chat.message',
  open: (ctx, { body }, channel) => answerQuestion(ctx, body, channel),
})

export const list = endpoint({
  id: 'dashboard.chat.list',
  route: 'GET /chat/conversations',
  summary: 'The caller’s own conversations, the one that was used last first',
  access: team,
  reply: { 200: ConversationList },
}).handle((ctx) => listConversations(ctx))

export const get = endpoint({
  id: 'dashboard.chat.get',
  route: 'GET /chat/conversations/:conversationId',
  summary: 'One of the caller’s own conversations, with the sources of each answer',
  access: team,
  reply: { 200: ConversationDetail },
}).handle((ctx, { params }) => getConversation(ctx, params.conversationId))

export const remove = endpoint({
  id: 'dashboard.chat.delete',
  route: 'DELETE /chat/conversations/:conversationId',
  summary: 'Delete one of the caller’s own conversations for good',
  access: team,
  reply: { 200: ConversationDeletion },
  audit: 'chat.delete',
}).handle((ctx, { params }) => deleteConversation(ctx, params.conversationId))
