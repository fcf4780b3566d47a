import { emptyRow, row, type StyledLine, span } from '../render/row.ts'
import { shorten } from '../render/width.ts'
import { counted } from '../render/words.ts'
import type { EvaluatedQuery, Evaluation } from './evaluate.ts'

const namedOf = (ids: readonly string[]) => (ids.length === 0 ? 'nothing' : ids.join(' '))

/** An evaluation as a person reads it. */
export function evaluationRows(
  { queries, top, recall, ndcg, rankSources, searchMs, lost }: Evaluation,
  width: number,
): StyledLine[] {
  const how = rankSources.join(' and ') || 'nothing found'
  return [
    row(span(`recall@${top}  `, 'dim'), span(recall.toFixed(4), 'strong')),
    row(span(`nDCG@${top}    `, 'dim'), span(ndcg.toFixed(4), 'strong')),
    row(span(`${counted(queries, 'query', 'queries')}, ranked by: ${how}; `, 'dim')),
    row(span(`half of them took up to ${searchMs.p50} ms, 95 % up to ${searchMs.p95} ms`, 'dim')),
    ...(lost.length === 0 ? [] : [emptyRow, row(span('Lost most:', 'strong'))]),
    ...lost.flatMap((query) => lostRows(query, top, width)),
  ]
}

function lostRows(
  { id, text, ndcg, missed, found }: EvaluatedQuery,
  top: number,
  width: number,
): StyledLine[] {
  return [
    row(
      span(`${ndcg.toFixed(2)}  `, 'warn'),
      span(`${id}  `, 'accent'),
      shorten(text, Math.max(20, width - 20)),
    ),
    row(span(`      missed among ${top}: `, 'dim'), namedOf(missed)),
    row(span('      found: ', 'dim'), namedOf(found)),
  ]
}
