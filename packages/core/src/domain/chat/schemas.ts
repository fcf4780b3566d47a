import { z } from 'zod'
import { isoDate, ulid } from '../../platform/wire.ts'

/** The longest question, characters. */
const maxMessageChars = 4_000
/** Questions and answers of one conversation, so that it is read as one. */
export const maxMessages = 100
/** Conversations that one user keeps; the one that was used the longest ago makes way for a new one. */
export const maxConversations = 100
/** The longest answer, characters. */
export const maxAnswerChars = 20_000

export const ChatQuestion = z.object({
  message: z.string().trim().min(1).max(maxMessageChars),
  /** Absent for a new conversation. */
  conversationId: ulid.optional(),
  /** What the user is looking at. */
  context: z.object({ campaignId: ulid.optional(), activityId: ulid.optional() }).optional(),
})
export type ChatQuestion = z.output<typeof ChatQuestion>

/** What stands behind the `[n]` of an answer, as it was when the answer was written. */
export const ChatSource = z.object({
  n: z.int(),
  chunkId: ulid,
  fileId: ulid,
  fileName: z.string(),
  datasetId: ulid,
  /** The whole chunk. */
  content: z.string(),
  page: z.int().optional(),
  /** The headings above it. */
  heading: z.string().optional(),
  url: z.string().optional(),
})
export type ChatSource = z.output<typeof ChatSource>

export const chatRoles = ['user', 'assistant'] as const
/** `stopped` when its reader had gone, `failed` when the model broke off. */
export const unfinishedStates = ['stopped', 'failed'] as const

const Conversation = z.object({
  id: ulid,
  title: z.string(),
  /** The beginning of the newest message. */
  lastMessage: z.string(),
  createdOn: isoDate,
  updatedOn: isoDate,
})
export const ConversationList = z.object({ data: z.array(Conversation) })
export type ConversationList = z.output<typeof ConversationList>

export const ConversationDetail = z.object({
  id: ulid,
  title: z.string(),
  messages: z.array(
    z.object({
      id: ulid,
      role: z.enum(chatRoles),
      /** Of an answer Markdown without HTML and pictures; its links lead to items of the tenant only. */
      content: z.string(),
      createdOn: isoDate,
      sources: z.array(ChatSource).optional(),
      /** Absent where it is whole. */
      unfinished: z.enum(unfinishedStates).optional(),
    }),
  ),
})
export type ConversationDetail = z.output<typeof ConversationDetail>

export const ConversationDeletion = z.object({ deleted: z.literal(true) })

/** What someone hears who asks and waits. */
export const chatEvents = {
  text_delta: z.object({ delta: z.string() }),
  completed: z.object({
    conversationId: ulid,
    messageId: ulid,
    inputTokens: z.int(),
    outputTokens: z.int(),
    sources: z.array(ChatSource).optional(),
  }),
  error: z.object({ error: z.string() }),
}
