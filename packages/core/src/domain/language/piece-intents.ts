import { decidingForm, expiringForm, logForm, verdictOfForm, waitingForm } from '@copydesk/language'
import { type Intent, ofPiece, says } from './intent.ts'
import { readExpiry, readLog, readPiece, readWait } from './read-one.ts'
import { readVerdictOf } from './read-verdicts.ts'

/** What is asked about one piece that is named. */
export const pieceIntents: readonly Intent[] = [
  {
    isMeant: (request) => request.slots.verdict !== undefined && says(verdictOfForm)(request),
    accounts: { slots: [...ofPiece, 'verdict', 'past'], forms: [decidingForm], shows: true },
    names: 'piece',
    answer: readVerdictOf,
  },
  {
    isMeant: says(waitingForm),
    accounts: {
      slots: [...ofPiece, 'order', 'pending', 'blocked', 'running', 'past'],
      forms: [waitingForm, /\b(?:sitting|open|lying|around)\b/],
    },
    names: 'piece',
    answer: readWait,
  },
  {
    isMeant: (request) =>
      says(expiringForm)(request) &&
      (request.slots.expiresWithin !== undefined || says(/\b(?:expires?|lapses?|due)\b/)(request)),
    accounts: {
      slots: [...ofPiece, 'order', 'expiry'],
      forms: [expiringForm, /\b(?:expires?|lapses?|due|will)\b/],
    },
    names: 'piece',
    answer: readExpiry,
  },
  {
    isMeant: says(logForm),
    accounts: {
      slots: [...ofPiece, 'failed', 'blocked', 'past', 'agentState'],
      forms: [logForm, /\b(?:wrong|so far)\b/],
      shows: true,
    },
    names: 'piece',
    answer: readLog,
  },
]

/** How one piece stands: "is it blocked", "has it failed". */
export const pieceState: Intent = {
  isMeant: (request) =>
    says(/^(?:is|are|has|have|was|did|does)\b/)(request) &&
    (request.slots.state !== undefined || request.slots.paused),
  accounts: {
    slots: [...ofPiece, 'pending', 'running', 'blocked', 'failed', 'done', 'past', 'agentState'],
    forms: [/\b(?:yet|already)\b/],
  },
  names: 'piece',
  answer: readPiece,
}

/** One piece that is named, whatever else is said of it: what every request may be. */
export const anything: Intent = {
  isMeant: () => true,
  accounts: {
    slots: [...ofPiece, 'order', 'pending'],
    forms: [
      /\b(?:details?|open|should i (?:approve|reject)|state of|should we (?:approve|reject)|where|how is)\b/,
      /^what is\b/,
    ],
    shows: true,
  },
  names: 'piece',
  answer: readPiece,
}
