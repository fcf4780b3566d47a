import type { Ctx } from '../../../kernel/context.ts'
import { RerankFault } from '../../../platform/reranking/reranker.ts'
import type { FoundChunk } from './chunk-queries.ts'

/** How many of the best are ranked by the model. */
const most = 50

/**
 * How well the best chunks answer a query, as the configured model says.
 * @param chunks the best first
 * @returns by number, from 0 to 1; undefined where no model is configured, and where it fails: that is logged
 */
export async function rerank(
  ctx: Ctx,
  query: string,
  chunks: readonly FoundChunk[],
): Promise<ReadonlyMap<number, number> | undefined> {
  const { reranker } = ctx.services
  if (!reranker || chunks.length === 0) return undefined
  const best = chunks.slice(0, most)
  try {
    const texts = best.map(({ heading, text }) => (heading === null ? text : `${heading}\n\n${text}`))
    const scores = await reranker.score(query, texts)
    return new Map(best.map(({ seq }, n) => [seq, scores[n] ?? 0]))
  } catch (error) {
    if (!(error instanceof RerankFault)) throw error
    ctx.log.warn('results were not reranked', { reason: error.message, error })
    return undefined
  }
}
