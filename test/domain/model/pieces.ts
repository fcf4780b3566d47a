/** The things that the model of activities, runs and approvals is about. */

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
export type QuestionType = 'content_review' | 'brand_direction' | 'budget_authorization'
export type Reason = 'mention' | 'answer'

export interface Turn {
  piece: Piece
  state: 'pending' | 'running' | 'ended'
  /** The wake that came during the turn. */
  next: Reason | null
  /** Milliseconds; known once it runs. */
  deadline: number
  /** Why a runtime that says nothing more loses it before its deadline. */
  ending: 'told to stop' | 'answered' | null
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

export type Risk = 'low' | 'medium' | 'high'

export interface Model {
  pieces: Piece[]
  /** Turns that were taken up, by run. */
  turns: Map<string, Turn>
  questions: Question[]
  /** Asked again since, and not yet heard of. */
  reasked: Question[]
  paused: boolean
  /** Milliseconds for which the clock was moved on by hand. */
  passed: number
}

export const risks: Record<QuestionType, Risk> = {
  budget_authorization: 'high',
  brand_direction: 'medium',
  content_review: 'low',
}
export const hours: Record<Risk, number> = { high: 24, medium: 48, low: 72 }
export const tries: Record<Family, number> = { transient: 4, quota: 8, invalid: 1 }
export const mostIdleTurns = 8

export const isClosed = ({ status }: Piece) => ['done', 'failed', 'reassigned'].includes(status)
export const isWaiting = ({ status }: Piece) => status === 'blocked' || status.startsWith('awaiting_')
export const isWoken = ({ status, hold }: Piece) =>
  status === 'assigned' || status === 'in_progress' || (status === 'blocked' && hold === null)
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
  piece.turn = newTurn(piece)
  return piece
}

export const newTurn = (piece: Piece): Turn => ({
  piece,
  state: 'pending',
  next: null,
  deadline: 0,
  ending: null,
})
