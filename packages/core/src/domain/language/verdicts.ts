import { counted, spaced } from '@copydesk/language'
import { type MatchResult } from './choices.ts'
import type { SlashCommand } from './commands.ts'
import {
  actionAnswer,
  clarificationAnswer,
  type Interpretation,
  nameOf,
  previewOf,
} from './interpretation.ts'
import { listPending, type Piece } from './piece-queries.ts'
import { filterOf, type LanguageRequest, type QueryContext, scopedTo } from './query-context.ts'
import { findTargets } from './targets.ts'

type Verdict = 'approve' | 'reject' | 'revise'

const doing: Record<Verdict, string> = { approve: 'Approve', reject: 'Reject', revise: 'Send back' }

/** A verdict on one approval, on several, or on all that fit. */
export async function decide(
  scene: QueryContext,
  request: LanguageRequest,
  verb: Verdict,
): Promise<Interpretation> {
  const note = request.note ?? (request.said.ids.length > 0 ? request.said.quotes[0] : request.said.quotes[1])
  const after = note === undefined ? '' : ` because ${note}`
  const found = await findTargets(scene, request, { kind: 'approval', verb, after })
  if ('answer' in found) return found
  const { pieces } = found
  const over = pieces.find(({ status }) => status !== 'pending')
  if (over)
    return clarificationAnswer(`${nameOf(over)} is ${spaced(over.status)} already: it waits for no verdict.`)
  const about = { ids: pieces.map(({ id }) => id) }
  const what = found.all && pieces.length > 1 ? counted(pieces.length, 'approval') : inWords(pieces)
  if (verb !== 'approve' && note === undefined)
    return clarificationAnswer(`What is wrong with ${what}? The agents are told, and work by it.`, [], {
      ...about,
      missing: 'note',
    })
  const { command, total } = await commandFor(scene, request, verb, found, note)
  const told = note === undefined ? '' : ', with a note to the agents'
  return actionAnswer(command, `${doing[verb]} ${what}${told}`, previewOf(pieces, total), about)
}

function inWords(pieces: readonly Piece[]): string {
  const [one] = pieces
  return one && pieces.length === 1 ? nameOf(one) : counted(pieces.length, 'approval')
}

async function commandFor(
  scene: QueryContext,
  request: LanguageRequest,
  verb: Verdict,
  { pieces, all }: MatchResult,
  note: string | undefined,
): Promise<{ command: SlashCommand; total: number }> {
  const ids = pieces.map(({ id }) => id)
  const total = ids.length
  if (verb === 'revise') return { command: { name: verb, ids, note: note ?? '' }, total }
  const filter = all && total > 1 ? expressible(scene, request) : undefined
  if (filter) {
    const matched = await listPending(scopedTo(scene, request.said), filterOf(scene.ctx, request), 0)
    return { command: { name: 'bulk', action: verb, ...filter, ...(note && { note }) }, total: matched.total }
  }
  if (all && total > 1) return { command: { name: 'bulk', action: verb, ids, ...(note && { note }) }, total }
  if (verb === 'reject') return { command: { name: verb, ids, note: note ?? '' }, total }
  return { command: { name: verb, ids, ...(note && { note }) }, total }
}

/** What narrows a request down as the command says it; undefined where it has no words for it, and ids have to do. */
function expressible({ ctx }: QueryContext, { said, slots }: LanguageRequest) {
  const { risks, approvalType, olderThan } = slots
  const more = [slots.deliverableType, slots.expiresWithin, slots.overdue || undefined, said.roles[0]]
  if (more.some((value) => value !== undefined) || risks.length > 1 || said.ids.length > 0) return undefined
  if (said.quotes.length > 0 || slots.title.length > 0) return undefined
  const tenant =
    said.tenants[0]?.id ?? (ctx.scope !== 'all' && ctx.scope.length === 1 ? ctx.scope[0] : undefined)
  const [risk] = risks
  const filter = {
    ...(approvalType && { type: approvalType }),
    ...(risk && { risk }),
    ...(tenant && { tenant }),
    ...(olderThan !== undefined && { older: Math.min(olderThan, 525_600) }),
  }
  return Object.keys(filter).length > 0 ? filter : undefined
}
