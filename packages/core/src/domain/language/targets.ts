import { byFilter, byReference } from './by-reference.ts'
import { anyTitled, byTitle } from './by-title.ts'
import { ambiguousTenant, type Found, notAll, ofKind, unknownName, type Wanted } from './choices.ts'
import type { SlotName } from './claims.ts'
import { findPieces } from './piece-queries.ts'
import { asked, type Reading } from './reading.ts'
import { isNarrowed, type Request, type Scene, within } from './scene.ts'

/**
 * Finds what a request speaks of: by id, by title, by what was spoken of before, or by what narrows it down.
 * @returns a question where nothing fits, or more than one thing does
 */
export async function findTargets(scene: Scene, request: Request, wanted: Wanted): Promise<Found | Reading> {
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
    return asked(`What do you want to ${wanted.verb}? Name it by its title or its id.`)
  return byFilter(scene, request, wanted)
}

/** Whether one of several is meant in two ways, or one and all of them. */
function isRankedTwice({ said, slots }: Request): boolean {
  const isPlaced = typeof slots.reference === 'number'
  return (isPlaced && slots.order !== undefined) || /\b(?:all|every|everything|each)\b/.test(said.text)
}

const wordsOf = ({ slots: { claims } }: Request, slots: readonly SlotName[]) =>
  claims.words.filter((_, at) => slots.some((slot) => claims.by[at] === slot))

async function byIds(scene: Scene, { said }: Request, wanted: Wanted): Promise<Found | Reading> {
  const { ids } = said
  const pieces = await findPieces(within(scene, said), ids)
  const missing = ids.find((id) => !pieces.some((piece) => piece.id === id))
  if (missing !== undefined) return asked(`Nothing with the id ${missing} is known here.`)
  return ofKind(scene, pieces, wanted)
}
