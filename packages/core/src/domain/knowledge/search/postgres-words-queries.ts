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

/** How often the term `t` stands in the words of `w`; in headings it counts twice. */
const frequency = `2 * ts_rank_cd('{0.5, 0.5, 0.5, 1}', w.words, t.query)`

/**
 * `searchWords` with the index of PostgreSQL, whose own ranking does not know how rare a word is. Idf is that of FTS5; what is frequent
 * and how long texts are is told from the candidates. What the index has found of a term is all there is of it, except of those with more
 * chunks than are taken: these are looked for in the other candidates too.
 */
export async function postgresWords(ctx: Ctx, { datasetIds, terms, most }: WordQuery): Promise<Ranked[]> {
  const { sql, params } = searchedFiles(ctx, datasetIds)
  const mostOfTerm = Math.ceil(mostCandidates / terms.length)
  const inDatasets = datasetIds.map((id) => `'${id}'`).join(' | ')
  // The number of terms and the limit are parts of the text: the server expects a hundred terms otherwise, and compiles what runs for
  // milliseconds; and for a limit that it does not know it plans to stop early, which it then never does.
  return ranked.allOf(
    ctx.sql,
    `with term as (
      select n, query from (
        select n, phraseto_tsquery('knowledge_english', knowledge_plain(given)) as query
        from jsonb_array_elements_text(?::jsonb) with ordinality as t (given, n) limit ${terms.length}) t
      where numnode(query) > 0),
    pair as materialized (
      select t.n, w.* from term t cross join lateral (
        select w.seq, w.length::float8 as length, ${frequency} as tf
        from knowledge_words w ${inSearchedVersion('w')}
        where w.words @@ (?::tsquery && t.query) and ${sql} limit ${mostOfTerm}) w),
    candidate as materialized (select distinct seq, length from pair),
    frequent as (select n, query from term t where (select count(*) from pair p where p.n = t.n) >= ?),
    hit as materialized (
      select n, seq, length, tf from pair where tf > 0 and n not in (select n from frequent)
      union all select t.n, c.seq, c.length, ${frequency} as tf
      from frequent t cross join candidate c join knowledge_words w on w.seq = c.seq
      where w.words @@ t.query),
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
    [JSON.stringify(terms), inDatasets, ...params, mostOfTerm, await countSearched(ctx, datasetIds), most],
  )
}
