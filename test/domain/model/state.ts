import {
  type Family,
  hours,
  isClosed,
  isWaiting,
  isWoken,
  latest,
  type Model,
  mostIdleTurns,
  newPiece,
  newTurn,
  openQuestions,
  type Piece,
  type Question,
  type QuestionType,
  type Reason,
  type Risk,
  risks,
  type Turn,
  tries,
} from './pieces.ts'

/** What the contract says about activities, runs and approvals, small enough to be read at once. */

const stronger = (first: Reason | null, second: Reason): Reason => (first === 'answer' ? first : second)

export function wake(piece: Piece, reason: Reason, by: 'person' | 'nobody'): void {
  if (by === 'person') piece.idle = 0
  const { turn } = piece
  if (turn?.state === 'running') {
    turn.next = stronger(turn.next, reason)
    if (piece.status !== 'in_progress') turn.ending ??= 'answered'
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
  piece.turn ??= newTurn(piece)
}

/** Someone calls the agent that has a piece; of a closed one it may have another. */
export function mention({ pieces }: Model, piece: Piece): void {
  const role = piece.roles.at(-1)
  const others = pieces
    .filter((one) => !isClosed(one) && one.roles.at(-1) === role)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const target = isClosed(piece) ? (others.find((one) => !one.hold && isWoken(one)) ?? others[0]) : piece
  if (!target) return
  if (isWoken(target)) wake(target, 'mention', 'person')
  else if (target.turn) target.turn.next = stronger(target.turn.next, 'mention')
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
 * Questions that showed an older text are void, and asked again unless the work is closed; one that showed none shows this one.
 * The ids of those that are asked again are still to be learnt.
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

/** @param isAnswered its runtime has said nothing since its question was answered */
export function fail(model: Model, turn: Turn, family: Family, isAnswered = false): void {
  followsFailure(model, turn, family, isAnswered)
  takeHold(turn.piece)
}

function followsFailure(model: Model, turn: Turn, family: Family, isAnswered: boolean): void {
  const { piece } = turn
  end(turn)
  if (isClosed(piece) || isWaiting(piece)) return
  if (turn.next === 'answer' || isAnswered) {
    piece.idle += 1
    return wake(piece, turn.next ?? 'answer', 'nobody')
  }
  piece.failures += 1
  // What is paused does not fail: it waits until it is resumed.
  if (piece.failures < tries[family] || piece.hold) return wake(piece, 'answer', 'nobody')
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

/** A turn that has not begun never does; one in progress is told to stop. */
function stop(piece: Piece): void {
  if (piece.turn?.state === 'pending') piece.turn = null
  else if (piece.turn) piece.turn.ending = 'told to stop'
}

/** Ends pieces for good, with what could only come after them, and no one is asked about them any more. @returns what ended so */
export function endForGood(model: Model, piece: Piece): Piece[] {
  const subtasks = model.pieces.filter((one) => one.parent === piece && !isClosed(one))
  const about = [piece, ...subtasks]
  for (const one of about) {
    one.status = 'failed'
    one.cancelled = true
    one.hold = null
    stop(one)
  }
  for (const asked of model.questions)
    if (about.includes(asked.piece) && asked.status === 'pending') asked.status = 'expired'
  resumeParent(model, piece)
  return subtasks
}

/** Hands a piece on; a turn in progress may end, one that waits never starts, and its questions are taken back. */
export function handOn(model: Model, piece: Piece, id: string, role: string): void {
  piece.status = 'reassigned'
  piece.hold = null
  stop(piece)
  const { needsApproval, parent, blocksParent, roles } = piece
  const successor = newPiece(id, role, { needsApproval, parent, blocksParent, roles: [...roles, role] })
  model.pieces.push(successor)
  for (const one of model.pieces) if (one.parent === piece && !isClosed(one)) one.parent = successor
  for (const asked of model.questions)
    if (asked.piece === piece && asked.status === 'pending') asked.status = 'expired'
}
