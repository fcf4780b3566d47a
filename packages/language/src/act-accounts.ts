import type { SlotName } from './claims.ts'
import type { Accounts } from './coverage.ts'
import type { Verb } from './vocabulary.ts'

/** By what one piece is found among all. */
const piece = [
  'tenant',
  'role',
  'id',
  'quote',
  'reference',
  'place',
  'order',
  'noun',
  'quantity',
  'deliverableType',
] as const satisfies readonly SlotName[]
const approval = [
  ...piece,
  'approvalType',
  'risk',
  'age',
  'expiry',
  'overdue',
  'pending',
] as const satisfies readonly SlotName[]
const work = [...piece, 'age'] as const satisfies readonly SlotName[]

const slotsOf: Record<Verb, readonly SlotName[]> = {
  approve: [...approval, 'note'],
  reject: [...approval, 'note'],
  revise: [...approval, 'note'],
  escalate: [...approval, 'note'],
  forward: [...approval, 'note'],
  claim: approval,
  release: approval,
  pause: [...work, 'running', 'note'],
  stop: [...work, 'running', 'note'],
  resume: [...work, 'blocked', 'agentState'],
  retry: [...work, 'failed', 'blocked'],
  cancel: [...work, 'running', 'blocked', 'note'],
  tail: [...work, 'running'],
  snooze: [...approval, 'until'],
  dismiss: approval,
  open: approval,
  compare: approval,
  undo: ['reference', 'noun', 'pending', 'verdict', 'past'],
  // What an agent is told, and a brief, may be said in any words; what is left over of a task has to be in it.
  run: ['tenant', 'role'],
  campaign: [],
}

const forms: Partial<Record<Verb, readonly RegExp[]>> = {
  approve: [/\b(?:looks?|is|seems) (?:good|great|fine|ok|okay|perfect)\b/],
  escalate: [/\b(?:to|as) (?:high|medium)(?: risk)?\b/],
  undo: [/\b(?:last|latest|newest|command|step|action)\b/],
  run: [/\bagents?\b/, /\b(?:should|must|that)\b/],
  compare: [/\b(?:versions?|(?:with |to )?(?:the )?(?:version|one) before)\b/],
}

/** The verbs after which any words may follow: they are taken as they are. */
export const freeVerbs: ReadonlySet<Verb> = new Set(['run', 'campaign'])

/** What a verb takes into account of a request. */
export function actAccounts(verb: Verb): Accounts {
  return { slots: slotsOf[verb], forms: [/#\w+/, ...(forms[verb] ?? [])] }
}

/** What is taken into account where an agent is held back, or goes on. */
export function agentAccounts(verb: 'pause' | 'resume'): Accounts {
  return {
    slots: [
      'tenant',
      'role',
      'reference',
      'quantity',
      'note',
      ...(verb === 'resume' ? (['agentState'] as const) : []),
    ],
    forms: [/#\w+/, /\bagents?\b/],
  }
}

/** Whether a reason or a message can go along with a verb. */
export function takesNote(verb: Verb): boolean {
  return freeVerbs.has(verb) || slotsOf[verb].includes('note')
}
