import { byTitle } from './by-title.ts'
import {
  byAge,
  type MatchResult,
  mostAtOnce,
  ofKind,
  optionsFor,
  type TargetSpec,
  whichOf,
} from './choices.ts'
import { clarificationAnswer, type Interpretation } from './interpretation.ts'
import { findPieces, listByState, listPending, type Piece } from './piece-queries.ts'
import { filterOf, isNarrowed, type LanguageRequest, type QueryContext, scopedTo } from './query-context.ts'

/**
 * Finds what was spoken of before.
 * @returns undefined where nothing was, and the words mean something without it too
 */
export async function byReference(
  scene: QueryContext,
  request: LanguageRequest,
  wanted: TargetSpec,
): Promise<MatchResult | Interpretation | undefined> {
  const { reference, order } = request.slots
  for await (const { ids } of scene.earlier()) {
    if (ids.length === 0) continue
    const pieces = await thatFit(
      scene,
      request,
      wanted,
      await findPieces(scene.ctx, ids.slice(0, mostAtOnce)),
    )
    // The oldest of one thing is no answer to anything.
    if (pieces.length === 0 || (order && pieces.length === 1)) continue
    if (order) return ofKind(scene, byAge(pieces, order).slice(0, 1), wanted)
    const isBoth = /\bboth\b/.test(request.said.text)
    if (reference === 'many' && !(isBoth && pieces.length !== 2)) return ofKind(scene, pieces, wanted)
    if (typeof reference === 'number') {
      const one = pieces.at(reference)
      return one
        ? ofKind(scene, [one], wanted)
        : clarificationAnswer(`There were only ${pieces.length}.`, optionsFor(pieces, wanted))
    }
    return pieces.length === 1 ? ofKind(scene, pieces, wanted) : whichOf(pieces, wanted)
  }
  // "the first one" and "that post" mean something without a word before them too.
  if (typeof reference === 'number' || order || isNarrowed(request)) return undefined
  return clarificationAnswer(
    `It is not clear what "${reference === 'many' ? 'these' : 'it'}" is. Name it by its title or its id.`,
  )
}

/** Of what was spoken of before, what a request that narrows it down means as well. */
async function thatFit(
  scene: QueryContext,
  request: LanguageRequest,
  wanted: TargetSpec,
  pieces: readonly Piece[],
): Promise<Piece[]> {
  const { said } = request
  const own = pieces.filter(({ tenantId }) => said.tenants.length === 0 || tenantId === said.tenants[0]?.id)
  if (!isNarrowed({ ...request, said: { ...said, tenants: [] } })) return own
  const { items } = await fitting(scene, request, wanted)
  const fit = new Set(items.flatMap(({ id, other }) => [id, other]))
  return own.filter(({ id, other }) => fit.has(id) || (other !== null && fit.has(other)))
}

/** Finds all that a request narrows down to, or the one of it that is meant. */
export async function byFilter(
  scene: QueryContext,
  request: LanguageRequest,
  wanted: TargetSpec,
): Promise<MatchResult | Interpretation> {
  const { slots } = request
  const { items, total } = await fitting(scene, request, wanted)
  // A title may be made of words that say what is made.
  if (items.length === 0 && slots.phrase.length > 0)
    return byTitle(scene, request, wanted, [slots.phrase.join(' ')])
  if (items.length === 0)
    return clarificationAnswer(
      wanted.kind === 'activity' ? 'There is no such work.' : 'Nothing that fits waits for a verdict.',
    )
  const place = slots.order ? 0 : slots.reference
  if (typeof place === 'number') {
    const one = items.at(place)
    return one ? ofKind(scene, [one], wanted) : whichOf(items, wanted)
  }
  if (slots.all) {
    if (total > mostAtOnce)
      return clarificationAnswer(`That is ${total}; at most ${mostAtOnce} can be decided at once.`)
    const found = await ofKind(scene, items, wanted)
    return 'pieces' in found ? { ...found, all: true } : found
  }
  const one = items.length === 1 && (isNarrowed(request) || slots.state !== undefined)
  return one ? ofKind(scene, items, wanted) : whichOf(items, wanted)
}

async function fitting(scene: QueryContext, request: LanguageRequest, { kind, states = [] }: TargetSpec) {
  const { slots, said } = request
  const [ctx, filter] = [scopedTo(scene, said), filterOf(scene.ctx, request)]
  const asked = slots.state === 'pending' ? undefined : slots.state
  if (kind === 'approval' || (kind === 'any' && asked === undefined))
    return listPending(ctx, filter, mostAtOnce, slots.order)
  const meant = asked === undefined ? states : [asked]
  const lists = await Promise.all(
    meant.map((state) => listByState(ctx, state, filter, mostAtOnce, slots.order)),
  )
  return {
    items: lists.flatMap(({ items }) => items).slice(0, mostAtOnce),
    total: lists.reduce((sum, { total }) => sum + total, 0),
  }
}
