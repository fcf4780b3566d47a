/** What the contract says about activities, runs and approvals, small enough to be read at once. */

type Status =
  | 'assigned'
  | 'in_progress'
  | 'awaiting_approval'
  | 'awaiting_review'
  | 'awaiting_subtask'
  | 'blocked'
  | 'done'
  | 'failed'
  | 'reassigned'
export type Family = 'transient' | 'quota' | 'invalid'
type QuestionType = 'content_review' | 'brand_direction' | 'budget_authorization'
type Reason = 'mention' | 'answer'

export interface Turn {
  piece: Piece
  state: 'pending' | 'running' | 'ended'
  /** The wake that came during the turn. */
  next: Reason | null
  /** Milliseconds; known once it runs. */
  deadline: number
}

export interface Piece {
  id: string
  /** Who had it, the present one last. */
  roles: string[]
  status: Status
  needsApproval: boolean
  parent: Piece | null
  blocksParent: boolean
  turn: Turn | null
  texts: string[]
  failures: number
  idle: number
  hold: 'pausing' | 'paused' | null
  /** By a person, for good. */
  cancelled: boolean
}

export interface Question {
  id: string
  type: QuestionType
  status: 'pending' | 'approved' | 'rejected' | 'expired'
  expiresAt: number
  piece: Piece
  blocking: boolean
  shows: string | null
  risk: Risk
}

type Risk = 'low' | 'medium' | 'high'

export interface Model {
  pieces: Piece[]
  /** Turns that were taken up, by run. */
  turns: Map<string, Turn>
  questions: Question[]
  /** Asked anew since, and not yet heard of. */
  reasked: Question[]
  paused: boolean
  /** Milliseconds for which the clock was moved on by hand. */
  passed: number
}

const risks: Record<QuestionType, Risk> = {
  budget_authorization: 'high',
  brand_direction: 'medium',
  content_review: 'low',
}
const hours: Record<Risk, number> = { high: 24, medium: 48, low: 72 }
const tries: Record<Family, number> = { transient: 4, quota: 8, invalid: 1 }
const mostIdleTurns = 8

export const isClosed = ({ status }: Piece) => ['done', 'failed', 'reassigned'].includes(status)
const isWaiting = ({ status }: Piece) => status === 'blocked' || status.startsWith('awaiting_')
const isMentionable = ({ status }: Piece) => status === 'assigned' || status === 'in_progress'
export const latest = (piece: Piece) => piece.texts.at(-1) ?? null
export const openQuestions = (model: Model, piece: Piece) =>
  model.questions.filter((asked) => asked.piece === piece && asked.blocking && asked.status === 'pending')

export function newPiece(id: string, role: string, more: Partial<Piece> = {}): Piece {
  const piece: Piece = {
    id,
    roles: [role],
    status: 'assigned',
    needsApproval: false,
    parent: null,
    blocksParent: false,
    turn: null,
    texts: [],
    failures: 0,
    idle: 0,
    hold: null,
    cancelled: false,
    ...more,
  }
  piece.turn = { piece, state: 'pending', next: null, deadline: 0 }
  return piece
}

const stronger = (first: Reason | null, second: Reason): Reason => (first === 'answer' ? first : second)

export function wake(piece: Piece, reason: Reason, by: 'person' | 'nobody'): void {
  if (by === 'person') piece.idle = 0
  const { turn } = piece
  if (turn?.state === 'running') {
    turn.next = stronger(turn.next, reason)
    piece.status = 'in_progress'
    return
  }
  if (piece.hold) {
    piece.hold = 'paused'
    piece.status = 'blocked'
    return
  }
  if (piece.roles.at(-1) === 'person') {
    piece.status = 'assigned'
    return
  }
  if (!turn && piece.idle >= mostIdleTurns) {
    piece.status = 'blocked'
    return
  }
  piece.status = 'assigned'
  piece.turn ??= { piece, state: 'pending', next: null, deadline: 0 }
}

export function mention(piece: Piece): void {
  if (isMentionable(piece)) wake(piece, 'mention', 'person')
}

export function begin(model: Model, piece: Piece, runId: string, deadline: number): void {
  if (piece.turn?.state !== 'pending' || isClosed(piece)) throw new Error(`${piece.id} had nothing to begin`)
  if (model.paused) throw new Error(`${piece.id} began in a paused campaign`)
  piece.turn.state = 'running'
  piece.turn.deadline = deadline
  piece.status = 'in_progress'
  model.turns.set(runId, piece.turn)
}

/** A pause takes hold when no turn is under way; what waits for an answer waits on. */
function takeHold(piece: Piece): void {
  if (!piece.hold) return
  piece.hold = isClosed(piece) ? null : 'paused'
  if (piece.status === 'in_progress') piece.status = 'blocked'
}

function end(turn: Turn): void {
  turn.state = 'ended'
  turn.piece.turn = null
}

const expiryOf = (risk: Risk, now: number) => now + hours[risk] * 3_600_000

export function ask(
  model: Model,
  piece: Piece,
  now: number,
  asked: { id: string; type: QuestionType; blocking: boolean },
): Question {
  const risk = risks[asked.type]
  const expiresAt = expiryOf(risk, now)
  const shows = asked.type === 'content_review' ? latest(piece) : null
  const question: Question = { ...asked, piece, shows, risk, expiresAt, status: 'pending' }
  model.questions.push(question)
  return question
}

const isApproved = (model: Model, piece: Piece) =>
  model.questions.some(
    (asked) => asked.piece === piece && asked.status === 'approved' && asked.shows === latest(piece),
  )

/**
 * Questions that showed an older text are void, and asked anew unless the work is closed; one that showed none shows this one.
 * The ids of those that are asked anew are still to be learnt.
 */
export function newText(model: Model, piece: Piece, text: string, now: number): void {
  piece.texts.push(text)
  for (const asked of model.questions) {
    const isOutdated = asked.piece === piece && asked.status === 'pending' && asked.type === 'content_review'
    if (!isOutdated || asked.shows === text) continue
    if (asked.shows === null) asked.shows = text
    else {
      asked.status = 'expired'
      if (!isClosed(piece))
        model.reasked.push({ ...asked, status: 'pending', shows: text, expiresAt: expiryOf(asked.risk, now) })
    }
  }
}

/** @param text null when there is nothing to do @returns `asks` when people are to be asked about the newest text */
export function succeed(model: Model, turn: Turn, text: string | null, now: number): 'asks' | undefined {
  const asks = follows(model, turn, text, now)
  takeHold(turn.piece)
  return asks
}

function follows(model: Model, turn: Turn, text: string | null, now: number): 'asks' | undefined {
  const { piece } = turn
  end(turn)
  piece.failures = 0
  const isNew = text !== null && text !== latest(piece)
  if (isNew) newText(model, piece, text, now)
  piece.idle = isNew ? 0 : piece.idle + 1
  if (isClosed(piece) || piece.status === 'blocked') return undefined
  if (isWaiting(piece)) return undefined
  if (piece.hold) return undefined
  if (turn.next) {
    wake(piece, turn.next, 'nobody')
    return undefined
  }
  if (piece.needsApproval && latest(piece) === null) {
    piece.status = 'blocked'
    return undefined
  }
  if (piece.needsApproval && !isApproved(model, piece)) {
    piece.status = 'awaiting_approval'
    const isAsked = openQuestions(model, piece).some(({ type }) => type === 'content_review')
    return isAsked ? undefined : 'asks'
  }
  piece.status = 'done'
  resumeParent(model, piece)
  return undefined
}

export function fail(model: Model, turn: Turn, family: Family): void {
  followsFailure(model, turn, family)
  takeHold(turn.piece)
}

function followsFailure(model: Model, turn: Turn, family: Family): void {
  const { piece } = turn
  end(turn)
  if (isClosed(piece) || isWaiting(piece)) return
  if (turn.next === 'answer') {
    piece.idle += 1
    return wake(piece, 'answer', 'nobody')
  }
  piece.failures += 1
  if (piece.failures < tries[family]) return wake(piece, 'answer', 'nobody')
  piece.status = 'failed'
  resumeParent(model, piece)
}

export function resumeParent(model: Model, piece: Piece): void {
  const { parent } = piece
  if (!parent || !piece.blocksParent || isClosed(parent)) return
  const others = model.pieces.some((one) => one.parent === parent && one.blocksParent && !isClosed(one))
  if (parent.status === 'awaiting_subtask' ? !others : !isWaiting(parent)) wake(parent, 'answer', 'nobody')
  else if (parent.turn) parent.turn.next = 'answer'
}

/** @returns how many activities go back to their agents */
export function decide(asked: Question, status: 'approved' | 'rejected'): number {
  asked.status = status
  if (isClosed(asked.piece)) return 0
  asked.piece.failures = 0
  wake(asked.piece, 'answer', 'person')
  return asked.piece.turn ? 1 : 0
}

export function expire(model: Model, asked: Question, now: number): void {
  if (asked.status !== 'pending' || asked.expiresAt > now) throw new Error(`${asked.id} expired out of turn`)
  asked.status = 'expired'
  const { piece } = asked
  const asksPeople = piece.status === 'awaiting_approval' || piece.status === 'awaiting_review'
  if (asked.blocking && asksPeople && openQuestions(model, piece).length === 0) piece.status = 'blocked'
}

/** Hands a piece on; a turn at work may end, one that waits never starts, and its questions are taken back. */
export function handOn(model: Model, piece: Piece, id: string, role: string): void {
  piece.status = 'reassigned'
  piece.hold = null
  if (piece.turn?.state === 'pending') piece.turn = null
  const { needsApproval, parent, blocksParent, roles } = piece
  const successor = newPiece(id, role, { needsApproval, parent, blocksParent, roles: [...roles, role] })
  model.pieces.push(successor)
  for (const one of model.pieces) if (one.parent === piece && !isClosed(one)) one.parent = successor
  for (const asked of model.questions)
    if (asked.piece === piece && asked.status === 'pending') asked.status = 'expired'
}
