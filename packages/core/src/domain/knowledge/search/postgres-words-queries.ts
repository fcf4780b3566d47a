import type { Ctx } from '../../../kernel/context.ts'
import { count, like, select, table } from '../../../platform/database/read.ts'
import { KnowledgeChunk } from '../datasets/entities.ts'
import { countSearched, inSearchedVersion, searchedFiles } from './chunk-queries.ts'
import type { Ranked, WordQuery } from './words.ts'

const ranked = select({
  seq: like(table(KnowledgeChunk, 'c').seq, 'h.seq'),
  score: count('least(1, sum(i.idf * h.tf / (h.tf + 1.2 * (0.25 + 0.75 * h.length / m.average))) / m.best)'),
})

/** How many chunks are ranked; each term has its part of them, so that those with a rare one are among them. */
const mostCandidates = 2_000

/**
 * `searchWords` with the index of PostgreSQL, whose own ranking does not know how rare a word is. Idf is that of FTS5; what is frequent
 * and how long texts are is told from the candidates.
 */
export async function postgresWords(ctx: Ctx, { datasetIds, terms, most }: WordQuery): Promise<Ranked[]> {
  const { sql, params } = searchedFiles(ctx, datasetIds)
  const inDatasets = datasetIds.map((id) => `'${id}'`).join(' | ')
  // The number of terms is a part of the text: the server expects a hundred otherwise, and compiles what runs for milliseconds.
  return ranked.allOf(
    ctx.sql,
    `with term as (
      select n, query from (
        select n, phraseto_tsquery('knowledge_english', knowledge_plain(given)) as query
        from jsonb_array_elements_text(?::jsonb) with ordinality as t (given, n) limit ${terms.length}) t
      where numnode(query) > 0),
    candidate as materialized (
      select distinct w.seq, w.length::float8 as length from term t cross join lateral (
        select w.seq, w.length from knowledge_words w ${inSearchedVersion('w')}
        where w.words @@ (?::tsquery && t.query) and ${sql} limit ?) w),
    tried as materialized (
      select c.seq, c.length, t.n, 2 * ts_rank_cd('{0.5, 0.5, 0.5, 1}', w.words, t.query) as tf
      from candidate c join knowledge_words w on w.seq = c.seq cross join term t),
    hit as (select * from tried where tf > 0),
    whole as (
      select greatest(?::float8, count(*)) as chunks, avg(length) as average from candidate),
    idf as (
      select h.n, greatest(1e-6, ln((w.chunks - count(*) + 0.5) / (count(*) + 0.5))) as idf
      from hit h cross join whole w group by h.n, w.chunks),
    measure as (
      select w.average, (select sum(coalesce(i.idf, (select max(idf) from idf))) from term t left join idf i using (n)) as best
      from whole w)
    select ${ranked.columns} from hit h join idf i using (n) cross join measure m
    group by h.seq, m.best order by 2 desc, 1 limit ?`,
    [
      JSON.stringify(terms),
      inDatasets,
      ...params,
      Math.ceil(mostCandidates / terms.length),
      await countSearched(ctx, datasetIds),
      most,
    ],
  )
}
