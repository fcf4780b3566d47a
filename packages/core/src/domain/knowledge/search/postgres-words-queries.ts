import type { Ctx } from '../../../kernel/context.ts'
import { count, like, select, table } from '../../../platform/database/read.ts'
import { KnowledgeChunk } from '../datasets/entities.ts'
import { searchedFiles } from './chunk-queries.ts'
import type { Ranked, WordQuery } from './words.ts'

const ranked = select({
  seq: like(table(KnowledgeChunk, 'c').seq, 's.seq'),
  score: count('s.score'),
  /** How many chunks the most frequent term has among the candidates. */
  most: count('s.most'),
})

/** How many chunks are ranked; each term has its part of them in each dataset, so that those with a rare one are among them. */
const mostCandidates = 1_000
/** In how many chunks terms are counted, over all terms. */
const mostCounts = 30_000

/** How often a term stands in the words of `w`; in headings it counts twice. To count takes longer than to see that there is none. */
const frequency = (n: number) => {
  const term = `(select query from term where n = ${n})`
  return `case when w.words @@ ${term} then 2 * ts_rank_cd('{0.5, 0.5, 0.5, 1}', w.words, ${term})::float8 else 0 end`
}

/**
 * `searchWords` with the index of PostgreSQL, whose own ranking does not know how rare a word is. Idf is that of FTS5; what is frequent
 * and how long texts are is told from the candidates. What the index has found of a term is all there is of it, except of those with more
 * chunks than are taken: these are looked for in the other candidates too.
 */
export async function postgresWords(ctx: Ctx, query: WordQuery): Promise<Ranked[]> {
  const { datasetIds, terms, most } = query
  const forms = terms.reduce((sum, term) => sum + term.forms.length, 0)
  const candidates = Math.min(mostCandidates, mostCounts / forms)
  const mostOfTerm = Math.ceil(candidates / (forms * datasetIds.length))
  // Nearly everything that the index finds is searched: to look at the files of the best takes less time than to look at all files first.
  const found = await rank(ctx, query, { mostOfTerm, searchedOnly: false })
  const isCut = found[0] === undefined || found[0].most >= mostOfTerm
  return found.length < most && isCut ? rank(ctx, query, { mostOfTerm, searchedOnly: true }) : found
}

/** @param options `searchedOnly`: of chunks that are not searched none is a candidate, or they are left out at the end */
function rank(
  ctx: Ctx,
  { datasetIds, terms: words, most }: WordQuery,
  { mostOfTerm, searchedOnly }: { mostOfTerm: number; searchedOnly: boolean },
) {
  // Each form of a word is a term of its own; a text has one of them, and the rarest tells the most that the word can give.
  const terms = words.flatMap((word) => word.forms)
  const wordOf = `('{${words.flatMap(({ forms }, word) => forms.map(() => word + 1)).join()}}'::int[])[n::int]`
  const isFiller = `('{${words.map((word) => word.isFiller).join()}}'::bool[])[word]`
  const { sql, params } = searchedFiles(ctx, datasetIds)
  const fileOf = (row: string) =>
    `from (select * from knowledge_files where id = ${row}.file_id offset 0) f where f.version = ${row}.version and ${sql}`
  const each = (part: (n: number) => string, between = ', ') =>
    terms.map((_, index) => part(index + 1)).join(between)
  // The number of terms and the limits are parts of the text: the server expects a hundred terms otherwise, and compiles what runs for
  // milliseconds; and for a limit that it does not know it plans to stop early, which it then never does. Each term has a column for its
  // numbers, since rows of them would have to be joined and grouped. `offset 0` keeps the order in which things are looked up: without statistics, a file would be looked for among all of its tenant.
  return ranked.allOf(
    ctx.sql,
    `with term as materialized (
      select n, query, words, numnode(query) = 1 as single from (
        select n, phraseto_tsquery('knowledge_english', plain) as query, to_tsvector('knowledge_english', plain) as words from (
          select n, knowledge_plain(given) as plain
          from jsonb_array_elements_text(?::jsonb) with ordinality as t (given, n) limit ${terms.length}) t) t
      where numnode(query) > 0),
    candidate as materialized (
      select distinct on (w.seq) w.* from (values ${datasetIds.map(() => '(?)').join()}) as d (id) cross join term t cross join lateral (
        select w.seq, w.file_id, w.version, w.length::float8 as length, ${each((n) => `${frequency(n)} as tf${n}`)}
        from knowledge_words w
        where knowledge_keys(w.dataset_id, w.words) @> knowledge_keys(d.id, t.words) and (t.single or w.words @@ t.query)
          ${searchedOnly ? `and (select true ${fileOf('w')})` : ''}
        limit ${mostOfTerm}) w
      order by w.seq),
    counted as (
      select greatest((select sum(f.chunks_count) from knowledge_files f where ${sql})::float8, count(*)) as chunks,
        avg(length) as average, ${each((n) => `nullif(count(*) filter (where tf${n} > 0), 0) as df${n}`)}
      from candidate),
    rarity as (
      select average, greatest(${each((n) => `df${n}`)}) as most,
        ${each((n) => `case when df${n} > 0 then greatest(1e-6, ln((chunks - df${n} + 0.5) / (df${n} + 0.5))) end as idf${n}`)}
      from counted),
    measure as materialized (
      select *, (
        select sum(coalesce(idf, case when ${isFiller} then 0 else rarest end)) from (
          select ${wordOf} as word, max(case n ${each((n) => `when ${n} then idf${n}`, ' ')} end) as idf from term group by 1) t) as best
      from (select *, greatest(${each((n) => `idf${n}`)}) as rarest from rarity) r),
    scored as (
      select c.seq, c.file_id, c.version, m.most, least(1, (
        ${each((n) => `coalesce(m.idf${n} * c.tf${n} / (c.tf${n} + c.slow), 0)`, ' + ')}) / m.best) as score
      from measure m cross join lateral (
        select *, 1.2 * (0.25 + 0.75 * length / m.average) as slow from candidate offset 0) c
      order by 5 desc, 1 offset 0)
    select ${ranked.columns} from scored s cross join lateral (select ${fileOf('s')} offset 0) f
    order by 2 desc, 1 limit ${most}`,
    [JSON.stringify(terms), ...datasetIds, ...(searchedOnly ? params : []), ...params, ...params],
  )
}
