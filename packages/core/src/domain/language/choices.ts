import { type AskedStatus, quoted, spaced } from '@copydesk/language'
import { clarificationAnswer, type Interpretation, mostOptions, nameOf } from './interpretation.ts'
import { findPieces, type Piece } from './piece-queries.ts'
import { type LanguageRequest, parser, type QueryContext } from './query-context.ts'

export interface TargetSpec {
  /** `approval` is a question that waits, `activity` a piece of work, `any` whichever it is. */
  kind: 'approval' | 'activity' | 'any'
  /** The request that a choice would be, before the piece: `approve`. */
  verb: string
  /** What comes after the piece: ` because …`. */
  after?: string
  /** In which states work is that this can be done to. */
  states?: ReadonlyArray<Exclude<AskedStatus, 'pending'>>
}

/** The most that one command names. */
export const mostAtOnce = 500

export interface MatchResult {
  pieces: Piece[]
  /** True where all that fits is meant, and not what was named. */
  all?: true
}

/** One that is meant by a name that several tenants share. */
export function ambiguousTenant(
  { said }: LanguageRequest,
  { verb }: Pick<TargetSpec, 'verb'>,
): Interpretation | undefined {
  if (said.tenants.length < 2) return undefined
  return clarificationAnswer(
    `Which tenant do you mean?`,
    said.tenants.map(({ id, name }) => `${verb} for tenant ${id} (${quoted(name)})`),
  )
}

export function unknownName(
  { counts }: Pick<QueryContext, 'counts'>,
  name: string,
  verb: string,
): Interpretation {
  const known = counts.map(({ tenantId: id, tenantName }) => ({ id, name: tenantName }))
  return clarificationAnswer(
    `There is nothing called ${quoted(name)} among the tenants that you work for. ${known.length > 0 ? 'Do you mean one of these?' : ''}`,
    parser.nearest(name, known).map((one) => `${verb} for tenant ${one.id} (${quoted(one.name)})`),
    { unsure: true },
  )
}

/** What is left over of a request that is understood but for these words. */
export function notAll(words: readonly string[], options: readonly string[] = []): Interpretation {
  return clarificationAnswer(
    `Not all of it was understood: ${quoted(words.join(' '))}. What can be narrowed down is tenant, agent, type, risk, age, state and expiry; one thing is named by its title or its id.`,
    options,
    { unsure: true },
  )
}

/** By since when they are as they are, what is asked for first. */
export function byAge(pieces: readonly Piece[], order: 'oldest' | 'newest'): Piece[] {
  const sign = order === 'oldest' ? 1 : -1
  return pieces.toSorted((a, b) => sign * (a.since.getTime() - b.since.getTime()))
}

/** The same pieces as what an act is done to: the question about work, or the work that a question is about. */
export async function ofKind(
  scene: QueryContext,
  pieces: readonly Piece[],
  { kind }: TargetSpec,
): Promise<MatchResult | Interpretation> {
  if (kind === 'any' || pieces.every((piece) => piece.kind === kind)) return { pieces: [...pieces] }
  const ids = pieces.map((piece) => (piece.kind === kind ? piece.id : piece.other))
  const lost = pieces.find((_, at) => ids[at] === null)
  if (lost)
    return kind === 'approval'
      ? clarificationAnswer(
          `Nobody is asked about ${nameOf(lost)}: it is ${spaced(lost.status)}, and waits for no verdict.`,
        )
      : clarificationAnswer(`${nameOf(lost)} belongs to no piece of work.`)
  return { pieces: await findPieces(scene.ctx, [...new Set(ids as string[])]) }
}

/** Asks which of several pieces is meant. */
export function whichOf(pieces: readonly Piece[], wanted: TargetSpec): Interpretation {
  const ids = pieces.map(({ id }) => id)
  const more = pieces.length > mostOptions ? ' These are the first.' : ''
  return clarificationAnswer(`Which one do you mean?${more}`, optionsFor(pieces, wanted), { ids })
}

/** Requests that name one piece each, with its title for people. */
export function optionsFor(
  pieces: readonly Piece[],
  { verb, after = '' }: Pick<TargetSpec, 'verb' | 'after'>,
): string[] {
  return pieces.map(
    (piece) => `${verb} ${piece.id} (${quoted(`${piece.title}, ${piece.tenantName}`)})${after}`,
  )
}
