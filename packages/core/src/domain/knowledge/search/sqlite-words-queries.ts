import type { Ctx } from '../../../kernel/context.ts'
import type { SqlValue } from '../../../platform/database/database.ts'
import { count, like, select, table } from '../../../platform/database/read.ts'
import { KnowledgeChunk } from '../datasets/entities.ts'
import { countSearched, inSearchedVersion, searchedFiles } from './chunk-queries.ts'
import { bestPossible, type Ranked, type WordQuery } from './words.ts'

const c = table(KnowledgeChunk, 'c')

const newest = select({ seq: count('max(seq)') })
// In a text that has a term without end, only the term's idf is left of the score.
const rarity = select({ idf: count('-bm25(knowledge_words, 0, 1e15, 1e15) / 2.2') })
const ranked = select({ seq: like(c.seq, 'w.seq'), score: count('-w.score') })

/** How many chunks are ranked, and how many of them are looked up, before it shows that few of them are searched. */
const usualCandidates = 4_000
const usualLookups = 300
const mostCandidates = 100_000

/** A term with its idf; undefined where no text has the term. */
interface Term {
  text: string
  idf: number | undefined
}

/** `searchWords` with FTS5, whose `bm25()` counts the words in the texts of all tenants. */
export async function sqliteWords(ctx: Ctx, { datasetIds, terms, most }: WordQuery): Promise<Ranked[]> {
  const weighed = await weigh(
    ctx,
    terms.flatMap(({ forms }) => forms),
  )
  if (weighed.every(({ idf }) => idf === undefined)) return []
  const rarities = new Map(weighed.map(({ text, idf }) => [text, idf]))
  const wanted = rarest(weighed, await countSearched(ctx, datasetIds))
  const match = `{dataset_id} : (${anyOf(datasetIds)}) AND {heading text} : (${anyOf(wanted)})`
  const { sql, params } = searchedFiles(ctx, datasetIds)
  // The order of the subquery is that of the rows: joined in this order, no more of them are looked up than are wanted.
  const read = (candidates: number, lookups: number) =>
    ranked.all(
      ctx.sql,
      `from (select seq, score from (
          select rowid as seq, bm25(knowledge_words, 0, 2, 1) as score from knowledge_words where knowledge_words match ? limit ?)
        order by score, seq limit ?) w
      cross join knowledge_chunks c on c.seq = w.seq cross ${inSearchedVersion('c')} where ${sql} limit ?`,
      [match, candidates, lookups, ...params, most] satisfies SqlValue[],
    )
  const usual = await read(usualCandidates, usualLookups)
  const rows = usual.length < most ? await read(mostCandidates, mostCandidates) : usual
  const best = bestPossible(
    terms.flatMap(({ forms, isFiller }) => {
      const idf = highest(forms.map((form) => rarities.get(form)))
      return idf === undefined && isFiller ? [] : [idf]
    }),
  )
  return rows.map(({ seq, score }) => ({ seq, score: Math.min(1, score / best) }))
}

/** A text has a term in one of its languages: the idf of the rarest form is the most that the term can give. */
function highest(rarities: ReadonlyArray<number | undefined>): number | undefined {
  const present = rarities.filter((idf) => idf !== undefined)
  return present.length === 0 ? undefined : Math.max(...present)
}

/** The rarest terms, of which the chunks are expected to have no more in all than are ranked; one at least. */
function rarest(terms: readonly Term[], chunks: number): string[] {
  let expected = 0
  return terms
    .toSorted((a, b) => (b.idf ?? Number.POSITIVE_INFINITY) - (a.idf ?? Number.POSITIVE_INFINITY))
    .filter(({ idf }, index) => {
      // The idf is the logarithm of how many texts lack the term for each that has it.
      const before = expected
      expected += idf === undefined ? 0 : chunks / (1 + Math.exp(idf))
      return index === 0 || before === 0 || expected <= usualCandidates
    })
    .map(({ text }) => text)
}

/** Counting takes a look at every text with the term: it is done again when a hundredth more has been added. */
async function weigh(ctx: Ctx, terms: readonly string[]): Promise<Term[]> {
  const { rarities } = ctx.services.knowledgeCache
  const last = (await newest.get(ctx.sql, 'from knowledge_chunks'))?.seq ?? 0
  const weighed: Term[] = []
  for (const text of terms) {
    const known = rarities.get(text)
    if (known && last - known.counted <= known.counted / 100) {
      weighed.push({ text, idf: known.idf })
      continue
    }
    const match = `{heading text} : ${phrase(text)}`
    const row = await rarity.get(ctx.sql, 'from knowledge_words where knowledge_words match ? limit 1', [
      match,
    ])
    if (row) rarities.set(text, { idf: row.idf, counted: last })
    weighed.push({ text, idf: row?.idf })
  }
  return weighed
}

/** A string of FTS5, in which nothing is an operator. */
const phrase = (text: string) => `"${text.replaceAll('"', '""')}"`
const anyOf = (texts: readonly string[]) => texts.map(phrase).join(' OR ')
