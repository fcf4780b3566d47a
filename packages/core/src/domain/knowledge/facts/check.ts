import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../../kernel/context.ts'
import { inThread } from '../../../kernel/in-thread.ts'
import type { ContentCheck } from '../../work/brand/schemas.ts'
import type { TenantKnowledge } from '../../work/sources/ports.ts'
import { ownDatasets } from '../datasets/role-queries.ts'
import type { KnowledgeResult } from '../search/schemas.ts'
import { searchKnowledge } from '../search/search.ts'
import { type FactStatement, statementsOf } from './statements.ts'

/** How many statements of one text are looked up: each is a search. */
const mostStatements = 24
const passagesEach = 5
/** Texts of up to this many characters are worked on at once: a thread would take longer. */
const shortText = 20_000
const longestQuote = 500

/**
 * Holds the numbers, prices, dates and names of a text against what the tenant says of itself; see `TenantKnowledge.check`. A tenant
 * without documents has nothing looked up.
 */
export const checkAgainstKnowledge: TenantKnowledge['check'] = async (ctx, tenantId, text) => {
  const datasetIds = await ownDatasets(ctx, tenantId)
  if (datasetIds.length === 0) return []
  const all = text.length > shortText ? await inThread(ctx, 'statements', text) : statementsOf(text)
  const statements = all
    .filter(({ words, about }) => words.length + about.length > 0)
    .slice(0, mostStatements)
  const results = new Map<string, KnowledgeResult>()
  const found: Array<{ statement: FactStatement; chunks: string[] }> = []
  for (const statement of statements) {
    const passages = await passagesFor(ctx, datasetIds, statement)
    for (const passage of passages) results.set(passage.chunkId, passage)
    found.push({ statement, chunks: passages.map(({ chunkId }) => chunkId) })
    // Other requests have their turn between two searches.
    await setImmediate()
  }
  const passages = [...results.values()]
  const placeOf = new Map(passages.map(({ chunkId }, place) => [chunkId, place]))
  const input = {
    found: found.map(({ statement, chunks }) => ({
      statement,
      passages: chunks.flatMap((id) => placeOf.get(id) ?? []),
    })),
    passages: passages.map(({ content, metadata }) => ({ text: content, heading: metadata.heading ?? null })),
  }
  const size = passages.reduce((sum, { content }) => sum + content.length, 0)
  const contradictions =
    size > shortText
      ? await inThread(ctx, 'contradictions', input)
      : (await import('./contradictions.ts')).findContradictions(input.found, input.passages)
  return contradictions.flatMap(({ statement, passage, said }) => {
    const result = passages[passage]
    return result ? [toCheck(statement, said, result)] : []
  })
}

async function passagesFor(
  ctx: Ctx,
  datasetIds: string[],
  { words, about }: FactStatement,
): Promise<KnowledgeResult[]> {
  const query = [...words, ...about].slice(0, 24).join(' ').slice(0, 1_000)
  const search = { query, datasetIds, topK: passagesEach, hybridAlpha: 0 }
  return (await searchKnowledge(ctx, search)).results
}

function toCheck(
  statement: string,
  said: string,
  { chunkId, fileId, datasetId, fileName, metadata }: KnowledgeResult,
): ContentCheck {
  const { pageNumber: page, heading, url } = metadata
  return {
    kind: 'contradicts_source',
    phrase: statement.slice(0, longestQuote).toWellFormed(),
    count: 1,
    source: {
      title: fileName,
      text: said.slice(0, longestQuote).toWellFormed(),
      chunkId,
      fileId,
      datasetId,
      ...(page !== undefined && { page }),
      ...(heading !== undefined && { heading }),
      ...(url !== undefined && { url }),
    },
  }
}
