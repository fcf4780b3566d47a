import { fold } from '../text-match.ts'
import { nearest } from './names.ts'
import { findPieces, listByState, listPending, type Piece, searchPieces } from './piece-queries.ts'
import { quoted, spaced } from './plain.ts'
import { asked, mostOptions, nameOf, type Reading } from './reading.ts'
import { filterOf, isNarrowed, type Request, type Scene, within } from './scene.ts'
import type { Asked } from './slots.ts'

export interface Wanted {
  /** `approval` is a question that waits, `activity` a piece of work, `any` whichever it is. */
  kind: 'approval' | 'activity' | 'any'
  /** The request that a choice would be, before the piece: `approve`. */
  verb: string
  /** What comes after the piece: ` because …`. */
  after?: string
  /** In which states work is that this can be done to. */
  states?: ReadonlyArray<Exclude<Asked, 'pending'>>
}

/** The most that one command names. */
export const mostAtOnce = 500

export interface Found {
  pieces: Piece[]
  /** True where all that fits is meant, and not what was named. */
  all?: true
}

/**
 * Finds what a request speaks of: by id, by title, by what was spoken of before, or by what narrows it down.
 * @returns a question where nothing fits, or more than one thing does
 */
export async function findTargets(scene: Scene, request: Request, wanted: Wanted): Promise<Found | Reading> {
  const { said, slots } = request
  const vague = ambiguousTenant(request, wanted)
  if (vague) return vague
  if (said.ids.length > 0) return byIds(scene, said.ids, wanted)
  const [title] = said.quotes
  if (title !== undefined) return byTitle(scene, request, wanted, [title])
  if (slots.unknownName !== undefined && !(await anyTitled(scene, request, wanted)))
    return unknownName(scene, slots.unknownName, wanted.verb)
  const words = [slots.phrase.join(' '), slots.title.join(' ')]
  if (slots.title.length > 0) return byTitle(scene, request, wanted, words)
  if (slots.reference !== undefined) {
    const meant = await byReference(scene, request, wanted)
    if (meant) return meant
  }
  if (wanted.kind === 'activity' && slots.state === undefined && !isNarrowed(request) && !slots.all)
    return asked(`What do you want to ${wanted.verb}? Name it by its title or its id.`)
  return byFilter(scene, request, wanted)
}

/** One that is meant by a name that several tenants share. */
export function ambiguousTenant({ said }: Request, { verb }: Pick<Wanted, 'verb'>): Reading | undefined {
  if (said.tenants.length < 2) return undefined
  return asked(
    `Which tenant do you mean?`,
    said.tenants.map(({ id, name }) => `${verb} for tenant ${id} (${quoted(name)})`),
  )
}

export function unknownName({ counts }: Pick<Scene, 'counts'>, name: string, verb: string): Reading {
  const known = counts.map(({ tenantId: id, tenantName }) => ({ id, name: tenantName }))
  return asked(
    `There is nothing called ${quoted(name)} among the tenants that you work for. ${known.length > 0 ? 'Do you mean one of these?' : ''}`,
    nearest(name, known).map((one) => `${verb} for tenant ${one.id} (${quoted(one.name)})`),
    { unsure: true },
  )
}

async function anyTitled(scene: Scene, request: Request, { kind }: Wanted): Promise<boolean> {
  const { slots, said } = request
  const options = { wanted: kind, limit: 1 }
  const looks = [slots.phrase, slots.title].map(
    (words) => () => searchPieces(within(scene, said), words.join(' '), {}, options),
  )
  looks.push(() => searchPieces(scene.ctx, [...said.partOfName, ...slots.phrase].join(' '), {}, options))
  for (const look of looks) if ((await look()).length > 0) return true
  return false
}

async function byIds(scene: Scene, ids: readonly string[], wanted: Wanted): Promise<Found | Reading> {
  const pieces = await findPieces(scene.ctx, ids)
  const missing = ids.find((id) => !pieces.some((piece) => piece.id === id))
  if (missing !== undefined) return asked(`Nothing with the id ${missing} is known here.`)
  return ofKind(scene, pieces, wanted)
}

async function byTitle(
  scene: Scene,
  request: Request,
  wanted: Wanted,
  [title = '', rest = '']: readonly string[],
): Promise<Found | Reading> {
  const { said, slots } = request
  const ctx = within(scene, said)
  const filter = filterOf(scene.ctx, request)
  // The words that say what is made may belong to the title, and so may a part of a tenant's name.
  const asWritten = { ...filter, deliverableType: undefined }
  const search = { wanted: wanted.kind, limit: mostOptions + 1 }
  const tries = [
    said.partOfName.length > 0 &&
      (() => searchPieces(scene.ctx, [...said.partOfName, title].join(' '), asWritten, search)),
    () => searchPieces(ctx, title, asWritten, search),
    rest !== '' && rest !== title && (() => searchPieces(ctx, rest, filter, search)),
  ].filter((look) => look !== false)
  for (const look of tries) {
    const found = distinct(await look())
    const exact = found.filter((piece) => fold(piece.title).trim() === fold(title).trim())
    const pieces = exact.length > 0 ? exact : found
    if (pieces.length === 1 || (pieces.length > 1 && slots.all && said.quotes.length === 0))
      return ofKind(scene, pieces, wanted)
    if (pieces.length > 1) return whichOf(pieces, wanted)
  }
  return noTitle(scene, request, wanted, title)
}

/** A question and the work that it is about have one title, and are one thing to people. */
function distinct(pieces: readonly Piece[]): Piece[] {
  const asking = new Set(pieces.flatMap(({ kind, other }) => (kind === 'approval' ? (other ?? []) : [])))
  return pieces.filter(({ kind, id }) => kind === 'approval' || !asking.has(id))
}

async function noTitle(scene: Scene, { said }: Request, wanted: Wanted, title: string): Promise<Reading> {
  const { ctx } = scene
  const search = { wanted: wanted.kind, limit: 3 }
  const near: Piece[] = []
  for (const word of fold(title)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((one) => one.length > 3)
    .slice(0, 4))
    for (const piece of await searchPieces(within({ ctx }, said), word, {}, search))
      if (!near.some(({ id }) => id === piece.id)) near.push(piece)
  const what = wanted.kind === 'approval' ? 'Nothing that waits for a verdict' : 'Nothing'
  const question = `${what} is called ${quoted(title)}.${near.length > 0 ? ' Do you mean one of these?' : ''}`
  return asked(question, optionsFor(distinct(near), wanted), { unsure: true })
}

async function byReference(
  scene: Scene,
  request: Request,
  wanted: Wanted,
): Promise<Found | Reading | undefined> {
  const { reference } = request.slots
  for await (const { ids } of scene.earlier()) {
    if (ids.length === 0) continue
    const pieces = await findPieces(scene.ctx, ids.slice(0, mostAtOnce))
    if (pieces.length === 0) continue
    if (reference === 'many') return ofKind(scene, pieces, wanted)
    if (typeof reference === 'number') {
      const one = pieces.at(reference)
      return one
        ? ofKind(scene, [one], wanted)
        : asked(`There were only ${pieces.length}.`, optionsFor(pieces, wanted))
    }
    return pieces.length === 1 ? ofKind(scene, pieces, wanted) : whichOf(pieces, wanted)
  }
  // "the first one" and "that post" mean something without a word before them too.
  if (typeof reference === 'number' || isNarrowed(request)) return undefined
  return asked(
    `It is not clear what "${reference === 'many' ? 'these' : 'it'}" is. Name it by its title or its id.`,
  )
}

async function byFilter(scene: Scene, request: Request, wanted: Wanted): Promise<Found | Reading> {
  const { slots } = request
  const { items, total } = await fitting(scene, request, wanted)
  // A title may be made of words that say what is made.
  if (items.length === 0 && slots.phrase.length > 0)
    return byTitle(scene, request, wanted, [slots.phrase.join(' ')])
  if (items.length === 0)
    return asked(
      wanted.kind === 'activity' ? 'There is no such work.' : 'Nothing that fits waits for a verdict.',
    )
  if (typeof slots.reference === 'number') {
    const one = items.at(slots.reference)
    return one ? ofKind(scene, [one], wanted) : whichOf(items, wanted)
  }
  if (slots.all) {
    if (total > mostAtOnce) return asked(`That is ${total}; at most ${mostAtOnce} can be decided at once.`)
    const found = await ofKind(scene, items, wanted)
    return 'pieces' in found ? { ...found, all: true } : found
  }
  const one = items.length === 1 && (isNarrowed(request) || slots.state !== undefined)
  return one ? ofKind(scene, items, wanted) : whichOf(items, wanted)
}

async function fitting(scene: Scene, request: Request, { kind, states = [] }: Wanted) {
  const { slots, said } = request
  const [ctx, filter] = [within(scene, said), filterOf(scene.ctx, request)]
  if (kind !== 'activity') return listPending(ctx, filter, mostAtOnce)
  const meant = slots.state !== undefined && slots.state !== 'pending' ? [slots.state] : states
  const lists = await Promise.all(meant.map((state) => listByState(ctx, state, filter, mostAtOnce)))
  return {
    items: lists.flatMap(({ items }) => items).slice(0, mostAtOnce),
    total: lists.reduce((sum, { total }) => sum + total, 0),
  }
}

/** The same pieces as what an act is done to: the question about work, or the work that a question is about. */
async function ofKind(scene: Scene, pieces: readonly Piece[], { kind }: Wanted): Promise<Found | Reading> {
  if (kind === 'any' || pieces.every((piece) => piece.kind === kind)) return { pieces: [...pieces] }
  const ids = pieces.map((piece) => (piece.kind === kind ? piece.id : piece.other))
  const lost = pieces.find((_, at) => ids[at] === null)
  if (lost)
    return kind === 'approval'
      ? asked(
          `Nobody is asked about ${nameOf(lost)}: it is ${spaced(lost.status)}, and waits for no verdict.`,
        )
      : asked(`${nameOf(lost)} belongs to no piece of work.`)
  return { pieces: await findPieces(scene.ctx, [...new Set(ids as string[])]) }
}

function whichOf(pieces: readonly Piece[], wanted: Wanted): Reading {
  const ids = pieces.map(({ id }) => id)
  const more = pieces.length > mostOptions ? ' These are the first.' : ''
  return asked(`Which one do you mean?${more}`, optionsFor(pieces, wanted), { ids })
}

/** Requests that name one piece each, with its title for people. */
export function optionsFor(
  pieces: readonly Piece[],
  { verb, after = '' }: Pick<Wanted, 'verb' | 'after'>,
): string[] {
  return pieces.map(
    (piece) => `${verb} ${piece.id} (${quoted(`${piece.title}, ${piece.tenantName}`)})${after}`,
  )
}
