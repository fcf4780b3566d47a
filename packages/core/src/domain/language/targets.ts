import type { SlotName } from '@copydesk/language'
import { byFilter, byReference } from './by-reference.ts'
import { anyTitled, byTitle } from './by-title.ts'
import { ambiguousTenant, type MatchResult, notAll, ofKind, type TargetSpec, unknownName } from './choices.ts'
import { clarificationAnswer, type Interpretation } from './interpretation.ts'
import { findPieces } from './piece-queries.ts'
import { isNarrowed, type LanguageRequest, type QueryContext, scopedTo } from './query-context.ts'

/**
 * Finds what a request speaks of: by id, by title, by what was spoken of before, or by what narrows it down.
 * @returns a question where nothing fits, or more than one thing does
 */
export async function findTargets(
  scene: QueryContext,
  request: LanguageRequest,
  wanted: TargetSpec,
): Promise<MatchResult | Interpretation> {
  const { said, slots } = request
  const vague = ambiguousTenant(request, wanted)
  if (vague) return vague
  const [title] = said.quotes
  // What is named exactly leaves nothing else to be a name.
  if ((said.ids.length > 0 || title !== undefined) && slots.title.length > 0) return notAll(slots.title)
  const ranked = slots.order ?? (typeof slots.reference === 'number' ? slots.reference : undefined)
  if (ranked !== undefined && isRankedTwice(request))
    return notAll(wordsOf(request, ['place', 'order', 'quantity']))
  if (said.ids.length > 0) return byIds(scene, request, wanted)
  if (title !== undefined) return byTitle(scene, request, wanted, [title])
  if (slots.unknownName !== undefined && !(await anyTitled(scene, request, wanted)))
    return unknownName(scene, slots.unknownName, wanted.verb)
  const words = [slots.phrase.join(' '), slots.title.join(' ')]
  if (slots.title.length > 0) return byTitle(scene, request, wanted, words)
  if (slots.reference !== undefined || slots.order !== undefined) {
    const meant = await byReference(scene, request, wanted)
    if (meant) return meant
  }
  if (wanted.kind === 'activity' && slots.state === undefined && !isNarrowed(request) && !slots.all)
    return clarificationAnswer(`What do you want to ${wanted.verb}? Name it by its title or its id.`)
  return byFilter(scene, request, wanted)
}

/** Whether one of several is meant in two ways, or one and all of them. */
function isRankedTwice({ said, slots }: LanguageRequest): boolean {
  const isPlaced = typeof slots.reference === 'number'
  return (isPlaced && slots.order !== undefined) || /\b(?:all|every|everything|each)\b/.test(said.text)
}

const wordsOf = ({ slots: { claims } }: LanguageRequest, slots: readonly SlotName[]) =>
  claims.words.filter((_, at) => slots.some((slot) => claims.by[at] === slot))

async function byIds(
  scene: QueryContext,
  { said }: LanguageRequest,
  wanted: TargetSpec,
): Promise<MatchResult | Interpretation> {
  const { ids } = said
  const pieces = await findPieces(scopedTo(scene, said), ids)
  const missing = ids.find((id) => !pieces.some((piece) => piece.id === id))
  if (missing !== undefined) return clarificationAnswer(`Nothing with the id ${missing} is known here.`)
  return ofKind(scene, pieces, wanted)
}
