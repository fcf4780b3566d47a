import { quoted } from '@copydesk/language'
import { normalize } from '../../kernel/text.ts'
import { byAge, type MatchResult, notAll, ofKind, optionsFor, type TargetSpec, whichOf } from './choices.ts'
import { clarificationAnswer, type Interpretation } from './interpretation.ts'
import type { Piece } from './piece-queries.ts'
import { filterOf, type LanguageRequest, parser, type QueryContext, scopedTo } from './query-context.ts'
import { searchPieces } from './title-queries.ts'

/** The most that a title may mean at once. */
const mostTitled = 50

/** Whether there is anything that is called as what is left over of a request. */
export async function anyTitled(
  scene: QueryContext,
  request: LanguageRequest,
  { kind }: TargetSpec,
): Promise<boolean> {
  const { slots, said } = request
  const options = { wanted: kind, limit: 1 }
  const looks = [slots.phrase, slots.title].map(
    (words) => () => searchPieces(scopedTo(scene, said), words.join(' '), {}, options),
  )
  looks.push(() => searchPieces(scene.ctx, [...said.partOfName, ...slots.phrase].join(' '), {}, options))
  for (const look of looks) if ((await look()).length > 0) return true
  return false
}

/**
 * Finds what has a title.
 * @param titles as it was said, and without the words that say what is made
 */
export async function byTitle(
  scene: QueryContext,
  request: LanguageRequest,
  wanted: TargetSpec,
  [title = '', rest = '']: readonly string[],
): Promise<MatchResult | Interpretation> {
  const { said, slots } = request
  const ctx = scopedTo(scene, said)
  const filter = filterOf(scene.ctx, request)
  // The words that say what is made may belong to the title, and so may a part of a tenant's name.
  const asWritten = { ...filter, deliverableType: undefined }
  const search = { wanted: wanted.kind, limit: mostTitled + 1 }
  const made = slots.phrase.filter((word) => !slots.title.includes(word))
  const tries = [
    said.partOfName.length > 0 && {
      look: () => searchPieces(scene.ctx, [...said.partOfName, title].join(' '), asWritten, search),
      words: [...said.partOfName, title].join(' '),
    },
    { look: () => searchPieces(ctx, title, asWritten, search), words: title },
    rest !== '' &&
      rest !== title && { look: () => searchPieces(ctx, rest, filter, search), words: rest, others: made },
  ].filter((one) => one !== false)
  for (const { look, words, others } of tries) {
    const found = distinct(await look()).filter((piece) => parser.accountsFor(piece.title, words, others))
    const exact = found.filter((piece) => normalize(piece.title).trim() === normalize(title).trim())
    const pieces = exact.length > 0 ? exact : found
    if (pieces.length > mostTitled && slots.all)
      return clarificationAnswer(`That is more than ${mostTitled}; say more of their titles.`)
    if (pieces.length === 1 && typeof slots.reference === 'number' && slots.reference > 0)
      return clarificationAnswer('There is only one of that title.', optionsFor(pieces, wanted))
    if (pieces.length === 1 || (pieces.length > 1 && slots.all && said.quotes.length === 0))
      return ofKind(scene, pieces, wanted)
    if (pieces.length > 1 && slots.order) return ofKind(scene, byAge(pieces, slots.order).slice(0, 1), wanted)
    if (pieces.length > 1) return whichOf(pieces, wanted)
  }
  return noTitle(scene, request, wanted, title)
}

/** A question and the work that it is about have one title, and are one thing to people. */
function distinct(pieces: readonly Piece[]): Piece[] {
  const asking = new Set(pieces.flatMap(({ kind, other }) => (kind === 'approval' ? (other ?? []) : [])))
  return pieces.filter(({ kind, id }) => kind === 'approval' || !asking.has(id))
}

async function noTitle(
  scene: QueryContext,
  request: LanguageRequest,
  wanted: TargetSpec,
  title: string,
): Promise<Interpretation> {
  const { ctx } = scene
  const { said, slots } = request
  const search = { wanted: wanted.kind, limit: 3 }
  const near: Piece[] = []
  for (const word of normalize(title)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((one) => one.length > 3)
    .slice(0, 4))
    for (const piece of await searchPieces(scopedTo({ ctx }, said), word, {}, search))
      if (!near.some(({ id }) => id === piece.id)) near.push(piece)
  const options = optionsFor(distinct(near), wanted)
  if (said.quotes.length === 0 && (slots.all || slots.state !== undefined || slots.limit !== undefined))
    return notAll(slots.title, options)
  const what = wanted.kind === 'approval' ? 'Nothing that waits for a verdict' : 'Nothing'
  const question = `${what} is called ${quoted(title)}.${near.length > 0 ? ' Do you mean one of these?' : ''}`
  return clarificationAnswer(question, options, { unsure: true })
}
