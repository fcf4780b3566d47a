import { type AskedStatus, counted, duration, minuteOf, plain, spaced } from '@copydesk/language'
import { listLog } from '../work/activities/log-queries.ts'
import { getApproval, shownText } from '../work/approvals/queries.ts'
import { factAnswer, type Interpretation, nameOf } from './interpretation.ts'
import { findPieces, type Piece } from './piece-queries.ts'
import type { LanguageRequest, QueryContext } from './query-context.ts'
import { findTargets } from './targets.ts'

/** The most characters of a text that are repeated in an answer. */
const excerpt = 600

/** One thing that is named: how it stands, and how its text begins. */
export function readPiece(scene: QueryContext, request: LanguageRequest): Promise<Interpretation> {
  return describe(scene, request, () => '')
}

/** How long one thing has stood as it does. */
export function readWait(scene: QueryContext, request: LanguageRequest): Promise<Interpretation> {
  return describe(scene, request, ({ status, since }, now) => {
    const long = duration(now - since.getTime())
    return status === 'pending' || status === 'awaiting_approval'
      ? ` It has waited for ${long}.`
      : ` It has been so for ${long}.`
  })
}

/** When one thing lapses. */
export function readExpiry(scene: QueryContext, request: LanguageRequest): Promise<Interpretation> {
  // That it expires is asked, and not among those that expire soon.
  const { expiresWithin: _, ...slots } = request.slots
  return describe(scene, { ...request, slots }, ({ expiresAt }, now) =>
    expiresAt
      ? ` It expires in ${duration(expiresAt.getTime() - now)}, at ${minuteOf(expiresAt)}.`
      : ' It does not expire.',
  )
}

/** @param more what the sentence says beside how it stands */
async function describe(
  scene: QueryContext,
  request: LanguageRequest,
  more: (piece: Piece, now: number) => string,
): Promise<Interpretation> {
  const found = await findTargets(scene, request, { kind: 'any', verb: 'show' })
  if ('answer' in found) return found
  const [piece] = found.pieces
  if (!piece || found.pieces.length > 1) return readSeveral(scene, found.pieces)
  const { ctx } = scene
  const now = ctx.clock.now()
  const facts: Array<[string, string]> = [
    ['Title', piece.title],
    ['Tenant', piece.tenantName],
    ['Status', spaced(piece.hold ?? piece.status)],
    ['Since', `${minuteOf(piece.since)} (${duration(now - piece.since.getTime())})`],
    ['Type', spaced(piece.type)],
  ]
  const note = (name: string, value: string | null | undefined) => value && facts.push([name, value])
  note('Risk', piece.riskLevel)
  note('Agent', piece.agentRole && spaced(piece.agentRole))
  note('Why', piece.reason)
  note('Expires', piece.expiresAt && minuteOf(piece.expiresAt))
  const question = piece.kind === 'approval' ? piece.id : piece.other
  if (question) {
    const approval = await getApproval(ctx, question)
    note('Asked by', approval.createdBy.name)
    note('Question', approval.description)
    note('Looked at by', approval.claimedBy?.name)
    note(
      'Verdict',
      approval.resolution && `${spaced(approval.resolution)} by ${approval.resolvedBy?.name ?? ''}`,
    )
    note('Note', approval.resolutionNote)
    note('Checks', approval.checks?.map(({ kind, phrase }) => `${spaced(kind)}: ${phrase}`).join('; '))
    note('Text', plain((await shownText(ctx, question))?.text ?? '', excerpt))
  }
  note('Id', piece.id)
  note(piece.kind === 'approval' ? 'Activity' : 'Approval', piece.other)
  const rows = facts.map(([name, value]) => [name, plain(value, excerpt)])
  const waits =
    piece.status === 'pending' && piece.riskLevel
      ? `waits for a verdict, ${piece.riskLevel} risk`
      : `is ${spaced(piece.hold ?? piece.status)}`
  return factAnswer(
    `${nameOf(piece)} ${waits}.${denials(piece, request)}${more(piece, now)}`,
    { titles: ['What', 'Value'], rows },
    { ids: [piece.id] },
  )
}

const statesOf: Readonly<Partial<Record<Piece['status'], AskedStatus>>> = {
  pending: 'pending',
  awaiting_approval: 'pending',
  in_progress: 'running',
  blocked: 'blocked',
  failed: 'failed',
  done: 'done',
}

/** What a request says of a piece that is not so. */
function denials(piece: Piece, { slots }: LanguageRequest): string {
  const isHeld = piece.hold !== null
  return [
    slots.state && statesOf[piece.status] !== slots.state && ` It is not ${slots.state}.`,
    slots.paused && !isHeld && ' It is not paused.',
  ]
    .filter((part) => typeof part === 'string')
    .join('')
}

function readSeveral({ ctx }: QueryContext, pieces: readonly Piece[]): Interpretation {
  const now = ctx.clock.now()
  const rows = pieces.map((piece) => [
    piece.title,
    piece.tenantName,
    spaced(piece.hold ?? piece.status),
    duration(now - piece.since.getTime()),
    piece.id,
  ])
  return factAnswer(
    `${counted(pieces.length, 'piece')} are meant.`,
    { titles: ['Title', 'Tenant', 'Status', 'Since', 'Id'], rows },
    { ids: pieces.map(({ id }) => id) },
  )
}

/** What has happened to one thing. */
export async function readLog(scene: QueryContext, request: LanguageRequest): Promise<Interpretation> {
  const found = await findTargets(scene, request, { kind: 'any', verb: 'log' })
  if ('answer' in found) return found
  const [piece] = found.pieces
  const activityId = piece?.kind === 'approval' ? piece.other : piece?.id
  if (!piece || !activityId || found.pieces.length > 1) return readPiece(scene, request)
  const { data, pagination } = await listLog(scene.ctx, activityId, { limit: 50 })
  const [now] = await findPieces(scene.ctx, [activityId])
  const last = data.at(-1)
  const end = last
    ? ` Last: ${plain(last.message, 200)} (${plain(last.actor, 80)}, ${minuteOf(last.at)}).`
    : ''
  const text = `${nameOf(piece)} is ${spaced(now?.hold ?? now?.status ?? piece.status)}${now?.reason ? `: ${plain(now.reason, 300)}` : ''}.${denials(piece, request)}${end}${pagination.hasMore ? ' There is more.' : ''}`
  const rows = data.map(({ at, actor, message }) => [minuteOf(at), actor, message])
  return factAnswer(text, { titles: ['When', 'Who', 'What'], rows }, { ids: [piece.id] })
}
