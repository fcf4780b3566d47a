import type { Ctx } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { type Condition, equals, where } from '../../kernel/paging-queries.ts'
import { oneTenant, within } from '../../kernel/scope.ts'
import { placeholders, type Sql } from '../../platform/database/database.ts'
import { pick, type RowOf, select, table } from '../../platform/database/read.ts'
import { Dataset, KnowledgeFile } from '../knowledge/datasets/entities.ts'
import { Conversation, ConversationMessage } from './entities.ts'
import { type ConversationDetail, type ConversationList, maxConversations, maxMessages } from './schemas.ts'

const c = table(Conversation, 'c')
const m = table(ConversationMessage, 'm')
const d = table(Dataset, 'd')
const f = table(KnowledgeFile, 'f')

/** The condition on conversations `c` that they are the caller's own. */
const own = (ctx: Ctx): Condition =>
  where(within(ctx.scope, 'c.tenant_id'), equals('c.user_id', ctx.actor.id))

const listed = select(pick(c, 'id', 'title', 'lastMessage', 'createdOn', 'updatedOn'))

/** The caller's conversations, the one that was used last first. Serves `GET /dashboard/v1/chat/conversations`. */
export async function listConversations(ctx: Ctx): Promise<ConversationList> {
  const { sql, params } = own(ctx)
  const data = await listed.all(
    ctx.sql,
    `from conversations c where ${sql} order by c.updated_on desc, c.id desc limit ${maxConversations}`,
    params,
  )
  return { data }
}

const titled = select(pick(c, 'id', 'title'))
const said = select(pick(m, 'id', 'role', 'content', 'createdOn', 'sources', 'unfinished'))

/** Serves `GET /dashboard/v1/chat/conversations/:conversationId`. @throws DomainError `NOT_FOUND` also for another user's */
export async function getConversation(ctx: Ctx, id: string): Promise<ConversationDetail> {
  const { sql, params } = where(own(ctx), equals(c.id, id))
  const conversation = await titled.get(ctx.sql, `from conversations c where ${sql}`, params)
  if (!conversation) throw notFound('conversation')
  const inScope = within(ctx.scope, 'm.tenant_id')
  const messages = await said.all(
    ctx.sql,
    `from conversation_messages m where m.conversation_id = ? and ${inScope.sql} order by m.id limit ${maxMessages}`,
    [id, ...inScope.params],
  )
  return { ...conversation, messages: messages.map(toMessage) }
}

function toMessage({ sources, unfinished, ...message }: RowOf<typeof said>) {
  return {
    ...message,
    ...(sources.length > 0 && { sources }),
    ...(unfinished !== null && { unfinished }),
  }
}

const earlier = select(pick(m, 'role', 'content', 'fileIds'))
/** Something that was said before. */
export type EarlierMessage = Pick<RowOf<typeof earlier>, 'role' | 'content'>

/** How much of a conversation is looked at for an answer. */
const mostEarlier = 12

/**
 * What was said last before a message, oldest first. An answer into which a file may have gone that is not searched any more is
 * left out: what was taken out of search is in no prompt.
 */
export async function earlierMessages(
  ctx: Ctx,
  conversationId: string,
  before: string,
): Promise<EarlierMessage[]> {
  const inScope = within(ctx.scope, 'm.tenant_id')
  const rows = await earlier.all(
    ctx.sql,
    `from conversation_messages m where m.conversation_id = ? and m.id < ? and ${inScope.sql}
     order by m.id desc limit ${mostEarlier}`,
    [conversationId, before, ...inScope.params],
  )
  const searched = await searchedAmong(ctx, [...new Set(rows.flatMap(({ fileIds }) => fileIds))])
  return rows
    .filter(({ fileIds }) => fileIds.every((id) => searched.has(id)))
    .map(({ role, content }) => ({ role, content }))
    .toReversed()
}

const file = select(pick(f, 'id'))

async function searchedAmong(ctx: Ctx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const { sql, params } = within(ctx.scope, 'f.tenant_id')
  const rows = await file.all(
    ctx.sql,
    `from knowledge_files f where f.id in (${placeholders(ids)}) and f.enabled = true and f.version > 0 and ${sql}`,
    [...ids, ...params],
  )
  return new Set(rows.map(({ id }) => id))
}

const dataset = select(pick(d, 'id'))

/** The datasets of the context's tenant. */
export async function datasetIds(ctx: Ctx): Promise<string[]> {
  const rows = await dataset.all(ctx.sql, 'from datasets d where d.tenant_id = ? order by d.id limit 20', [
    oneTenant(ctx),
  ])
  return rows.map(({ id }) => id)
}

/** Those of the caller's conversations that make way for a new one. */
export async function surplusConversations(ctx: Ctx): Promise<string[]> {
  const { sql, params } = own(ctx)
  const rows = await titled.all(
    ctx.sql,
    `from conversations c where ${sql} order by c.updated_on desc, c.id desc limit 100 offset ${maxConversations - 1}`,
    params,
  )
  return rows.map(({ id }) => id)
}

/** Removes the conversations of people who are gone for good. @returns how many */
export async function deleteChatsOfLeavers(tx: Sql): Promise<number> {
  const left = `select c.id from conversations c join users u on u.id = c.user_id where u.status = 'deactivated'`
  await tx.run(`delete from conversation_messages where conversation_id in (${left})`, [])
  return tx.run(`delete from conversations where id in (${left})`, [])
}
