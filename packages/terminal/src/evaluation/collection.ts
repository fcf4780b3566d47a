import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Failure } from '../shell/failure.ts'

/** A document that is searched. */
export interface EvalDocument {
  id: string
  title: string
  text: string
}

/** A query with the documents that answer it, and how well: 1 or more. */
export interface EvalQuery {
  id: string
  text: string
  relevant: ReadonlyMap<string, number>
}

/** What a collection may have; a file beyond it is refused before it takes memory. */
export const collectionLimits = {
  /** As many files as a dataset holds. */
  documents: 10_000,
  queries: 10_000,
  judgements: 1_000_000,
  /** Of one line. */
  characters: 1_000_000,
} as const

/** @throws Failure that names the file and the line */
export async function readDocuments(folder: string): Promise<EvalDocument[]> {
  const file = join(folder, 'corpus.jsonl')
  const documents: EvalDocument[] = []
  const seen = new Set<string>()
  for await (const { line, place } of linesOf(file)) {
    const { _id: id, title = '', text } = recordOf(line, place)
    const isWhole = isId(id) && typeof title === 'string' && typeof text === 'string'
    if (!isWhole) throw new Failure(`${place}: expected {"_id": "…", "title": "…", "text": "…"}`)
    if (seen.has(id)) throw new Failure(`${place}: there is a document ${id} already`)
    seen.add(id)
    documents.push({ id, title, text })
    limit(documents.length, collectionLimits.documents, 'documents', place)
  }
  if (documents.length === 0) throw new Failure(`${file} has no documents`)
  return documents
}

/** The queries that have judgements, in the order of the file. @throws Failure that names the file and the line */
export async function readQueries(folder: string): Promise<EvalQuery[]> {
  const judged = await readJudgements(folder)
  const file = join(folder, 'queries.jsonl')
  const queries: EvalQuery[] = []
  const seen = new Set<string>()
  for await (const { line, place } of linesOf(file)) {
    const { _id: id, text } = recordOf(line, place)
    if (!isId(id) || typeof text !== 'string' || text.trim() === '')
      throw new Failure(`${place}: expected {"_id": "…", "text": "…"}`)
    if (seen.has(id)) throw new Failure(`${place}: there is a query ${id} already`)
    seen.add(id)
    limit(seen.size, collectionLimits.queries, 'queries', place)
    const relevant = judged.get(id)
    if (relevant) queries.push({ id, text: text.trim(), relevant })
  }
  if (queries.length === 0) throw new Failure(`${file} has no query that a judgement names`)
  return queries
}

/** By the id of the query. Judgements of 0 or less say that a document is no answer, as no judgement does. */
async function readJudgements(folder: string): Promise<Map<string, Map<string, number>>> {
  const places = [join(folder, 'qrels.tsv'), join(folder, 'qrels', 'test.tsv')]
  const file = places.find((path) => existsSync(path))
  if (!file) throw new Failure(`There is neither ${places.join(' nor ')}`)
  const judged = new Map<string, Map<string, number>>()
  let count = 0
  for await (const { line, place, number } of linesOf(file)) {
    const [query = '', document = '', given = '', ...more] = line.split('\t').map((cell) => cell.trim())
    if (number === 1 && query === 'query-id') continue
    const score = Number(given)
    const isWhole = query !== '' && document !== '' && /^-?\d{1,6}$/.test(given) && more.length === 0
    if (!isWhole)
      throw new Failure(`${place}: expected a query id, a document id and a whole number, between tabs`)
    count += 1
    limit(count, collectionLimits.judgements, 'judgements', place)
    if (score <= 0) continue
    const relevant = judged.get(query) ?? new Map<string, number>()
    judged.set(query, relevant.set(document, score))
  }
  return judged
}

interface Line {
  line: string
  /** For messages: the file and the number of the line. */
  place: string
  number: number
}

/** The lines of a file that are not blank. @throws Failure for one that is too long */
async function* linesOf(file: string): AsyncGenerator<Line> {
  const input = createReadStream(file, { encoding: 'utf8' })
  let open = 0
  // A file without line ends would be read whole before its first line is seen.
  input.on('data', (part) => {
    const last = part.lastIndexOf('\n')
    open = last < 0 ? open + part.length : part.length - last - 1
    if (open > collectionLimits.characters)
      input.destroy(new Failure(`${file} has a line of more than ${collectionLimits.characters} characters`))
  })
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined)
  input.once('error', (error) => failed.reject(error))
  const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]()
  try {
    for (let number = 1; ; number += 1) {
      const next = await Promise.race([reader.next(), failed.promise])
      if (next.done) break
      const place = `${file}, line ${number}`
      const line = number === 1 ? next.value.replace(/^\ufeff/, '') : next.value
      if (line.length > collectionLimits.characters)
        throw new Failure(`${place} has more than ${collectionLimits.characters} characters`)
      if (line.trim() !== '') yield { line, place, number }
    }
  } finally {
    input.destroy()
  }
}

function recordOf(line: string, place: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // Said below.
  }
  throw new Failure(`${place} is not an object of JSON`)
}

const isId = (id: unknown): id is string => typeof id === 'string' && id !== '' && id.length <= 200

function limit(count: number, most: number, what: string, place: string): void {
  if (count > most) throw new Failure(`${place}: a collection may have ${most} ${what}`)
}
