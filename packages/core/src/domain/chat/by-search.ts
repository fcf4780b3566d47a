import type { Ctx } from '../../kernel/context.ts'
import { normalize } from '../../kernel/text.ts'
import { termsOf } from '../knowledge/search/terms.ts'
import { interpret } from '../language/interpret.ts'
import type { Interpretation } from '../language/interpretation.ts'
import { findPieces } from '../language/piece-queries.ts'
import { loadContext } from '../language/query-context.ts'
import type { AnswerText } from './answer-text.ts'
import { inline } from './prompt.ts'
import type { EarlierMessage } from './queries.ts'
import type { ChatSource } from './schemas.ts'

/** How much is quoted: chunks, and sentences and characters of each. */
const mostQuoted = 3
const mostSentences = 2
const mostQuoteChars = 500

/** How many rows of a table are shown. */
const mostRows = 15

/** What is answered without a model. */
export interface SearchTask {
  question: string
  earlier: readonly EarlierMessage[]
  found: readonly ChatSource[]
  /** Why no model is asked. */
  why: string
  text: AnswerText
}

/**
 * Answers from what a search has found, in its own words, and from the tenant's work where the question is understood by its words; it
 * says that no model was asked.
 */
export async function writeBySearch(
  ctx: Ctx,
  { question, earlier, found, why, text }: SearchTask,
): Promise<void> {
  const history = earlier.filter(({ role }) => role === 'user').map(({ content }) => content)
  const reading = await interpret(await loadContext(ctx), question.slice(0, 2_000), history.slice(-5))
  const quotes = quotesFor(question, found)
  const ofWork = reading.unsure
    ? undefined
    : ((await workAnswer(ctx, reading)) ?? (quotes.length === 0 ? questionBack(reading) : undefined))
  text.write(`${why} This answer comes from a search.\n\n`)
  if (ofWork) text.write(`${ofWork}\n\n`)
  if (!ofWork && quotes.length === 0)
    text.write(
      'I do not know: nothing was found in the knowledge base, and the question was not understood as one about the work here.',
    )
  // Of a question about the work the words stand in some text as well, by chance.
  if (quotes.length > 0 && reading.answer.type !== 'data')
    text.write(`Nearest to the question in the knowledge base:\n\n${quotes.join('\n')}`)
  text.flush()
}

/** What is told of the tenant's work; of an act where the person does it. Nothing for a question back. */
async function workAnswer(ctx: Ctx, { answer, ids }: Interpretation): Promise<string | undefined> {
  const { data, action } = answer
  const links = await linksOf(ctx, ids)
  if (action) {
    const where = [...links.values()].slice(0, mostRows).map((link) => `- ${link}`)
    return [
      `I change nothing myself. You can do it here (${inline(action.description, 300)}):`,
      ...where,
    ].join('\n')
  }
  if (!data) return undefined
  const [head, ...lines] = data.table ?? []
  return [
    inline(data.text, 2_000),
    ...(head ? ['', ...tableOf(head, lines.slice(0, mostRows), links)] : []),
  ].join('\n')
}

/** A question back, with what can be asked instead, word for word. */
function questionBack({ answer: { clarification } }: Interpretation): string | undefined {
  if (!clarification) return undefined
  const options = (clarification.options ?? []).map((option) => `- ${inline(option, 200)}`)
  return [inline(clarification.question, 500), ...options].join('\n')
}

/** Links to approvals and activities, by id. */
async function linksOf(ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> {
  const pieces = await findPieces(ctx, ids.slice(0, 50))
  return new Map(
    pieces.map(({ id, kind, title }) => [
      id,
      `[${inline(title, 120)}](/${kind === 'approval' ? 'approvals' : 'activities'}/${id})`,
    ]),
  )
}

function tableOf(
  head: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  links: ReadonlyMap<string, string>,
): string[] {
  const idAt = head.indexOf('Id')
  const titleAt = head.indexOf('Title')
  // There is one tenant, and links say more than ids.
  const shown = head.map((_, at) => at).filter((at) => head[at] !== 'Tenant' && at !== idAt)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(shown.map((at) => inline(head[at] ?? '', 60))),
    line(shown.map(() => '---')),
    ...rows.map((row) =>
      line(shown.map((at) => (at === titleAt && links.get(row[idAt] ?? '')) || inline(row[at] ?? '', 120))),
    ),
  ]
}

/** The sentences of each source that say most about a question, each with its number. */
function quotesFor(question: string, found: readonly ChatSource[]): string[] {
  const terms = termsOf(question).words.map(normalize)
  return found.slice(0, mostQuoted).map((source) => {
    const { n, content, fileName, page } = source
    const where = `${inline(fileName, 80)}${page === undefined ? '' : `, page ${page}`}`
    return `- “${inline(bestOf(content, terms), mostQuoteChars)}” (${where}) [${n}]`
  })
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })

function bestOf(content: string, terms: readonly string[]): string {
  const parts = [...sentences.segment(content)].map(({ segment }, at) => {
    const folded = normalize(segment)
    return { segment, at, hits: terms.filter((term) => folded.includes(term)).length }
  })
  return parts
    .toSorted((a, b) => b.hits - a.hits || a.at - b.at)
    .slice(0, mostSentences)
    .toSorted((a, b) => a.at - b.at)
    .map(({ segment }) => segment.trim())
    .join(' ')
}
