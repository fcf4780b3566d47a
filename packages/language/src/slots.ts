import { type Claiming, type Claims, claimingOf } from './claims.ts'
import { countIn, minutesIn } from './lengths.ts'
import type { ParsedQuery } from './parsed-query.ts'
import {
  type AskedRisk,
  type AskedStatus,
  type AskedVerdict,
  clausePluralForm,
  expiryForms,
  limitForm,
  olderForm,
  orderForms,
  overdueForm,
  pausedForm,
  placeForms,
  plainForms,
  pluralForm,
  pronounForm,
  riskForms,
  riskLevelOf,
  stateForms,
  undecidedForm,
  verdictForms,
} from './slot-forms.ts'
import { type AskedApproval, type AskedDeliverable, approvalKinds, deliverableKinds } from './vocabulary.ts'

/** The forms in which people speak of times. Which times they are needs a calendar, which only the program has. */
export interface TimeForms {
  /** Forms of days that are over; the first that matches counts. */
  spans: readonly RegExp[]
  /** Forms of until when: first that of a length of time, then those of a day and of a time of the clock. */
  until: readonly RegExp[]
}

/** What narrows a request down. */
export interface Slots {
  risks: AskedRisk[]
  /** Asked longer ago than so many minutes. */
  olderThan?: number
  approvalType?: AskedApproval
  deliverableType?: AskedDeliverable
  state?: AskedStatus
  /** What was decided already. */
  verdict?: AskedVerdict
  /** The days that are spoken of, as they were said. */
  span?: string
  /** Lapses within so many minutes; -1 is today. */
  expiresWithin?: number
  overdue: boolean
  /** Held back by people. */
  paused: boolean
  /** The one that waits longest, or that came last. */
  order?: 'oldest' | 'newest'
  /** So many of a list. */
  limit?: number
  /** Everything that fits is meant, not one. */
  all: boolean
  /** What was spoken of before: one thing, several, or the one at a place (from 0; -1 is the last). */
  reference?: 'one' | 'many' | number
  /** Words that nothing else accounts for, which may be a title, without those that say what is made. */
  title: readonly string[]
  /** The same with them. */
  phrase: readonly string[]
  /** A name that no one has: what stands after "for" or "of". */
  unknownName?: string
  /** Which slot accounts for which word. */
  claims: Claims
}

/** Reads what narrows a request down, and which of its words say so. */
export function readSlots(said: ParsedQuery, { spans, until }: TimeForms): Slots {
  const claiming = claimingOf(said.text)
  const slots: Slots = {
    risks: [],
    overdue: false,
    paused: false,
    all: false,
    title: [],
    phrase: [],
    claims: claiming.done(),
  }
  readReference(slots, claiming)
  if (said.acts.includes('snooze')) claimUntil(claiming, until)
  readAge(slots, claiming)
  readRisk(slots, claiming)
  readExpiry(slots, claiming)
  slots.overdue = claiming.take('overdue', overdueForm) !== undefined
  slots.paused = claiming.take('agentState', pausedForm) !== undefined
  for (const form of spans) {
    const found: RegExpExecArray | undefined =
      slots.span === undefined ? claiming.take('span', form) : undefined
    if (found) slots.span = found[0]
  }
  readKinds(slots, claiming)
  readPlace(slots, claiming)
  readStates(slots, claiming)
  slots.all =
    /\b(?:all|every|everything|each|any|whatever)\b/.test(claiming.rest()) ||
    /\b(?:posts|approvals|ones|pieces|items|questions|reviews|texts|articles|blogs|newsletters|ads|reports|audits|emails|socials|activities)\b/.test(
      said.text,
    )
  for (const [slot, form] of plainForms) claiming.takeAll(slot, form)
  return { ...slots, claims: claiming.done() }
}

/** A length alone, or a day and a time of the clock. */
function claimUntil(claiming: Claiming, [length, ...dayAndTime]: readonly RegExp[]): void {
  if (length && claiming.take('until', length)) return
  for (const form of dayAndTime) claiming.take('until', form)
}

function readAge(slots: Slots, { take }: Claiming): void {
  const age = take('age', olderForm)
  if (age) slots.olderThan = minutesIn(age[1] ?? age[3] ?? '', age[2] ?? age[4] ?? '')
}

function readRisk(slots: Slots, { take }: Claiming): void {
  for (const [form, levels] of riskForms) {
    const found = slots.risks.length === 0 ? take('risk', form) : undefined
    const words = levels ?? found?.slice(1) ?? []
    for (const word of found ? words : []) {
      const level = riskLevelOf.get(word)
      if (level && !slots.risks.includes(level)) slots.risks.push(level)
    }
  }
}

function readExpiry(slots: Slots, { take }: Claiming): void {
  for (const [form, minutes] of expiryForms) {
    if (slots.expiresWithin !== undefined) return
    const found = take('expiry', form)
    if (found) slots.expiresWithin = minutes ?? minutesIn(found[1] ?? '', found[2] ?? '')
  }
}

function readKinds(slots: Slots, { take, rest }: Claiming): void {
  const asked = approvalKinds.find(([, form]) => take('approvalType', form))
  if (asked) slots.approvalType = asked[0]
  const kind = deliverableKinds.find(([, form]) => form.test(rest()))
  if (kind && take('deliverableType', kind[1])) slots.deliverableType = kind[0]
}

function readPlace(slots: Slots, { take }: Claiming): void {
  const limit = take('limit', limitForm)
  if (limit) slots.limit = countIn(limit[1] ?? '')
  const place = placeForms.find(([form]) => take('place', form))
  if (place) slots.reference = place[1]
  const order = orderForms.find(([, form]) => take('order', form))
  if (order) slots.order = order[0]
}

function readStates(slots: Slots, { take, takeAll, rest }: Claiming): void {
  const undecided = take('pending', undecidedForm)
  const verdict = undecided ? undefined : verdictForms.find(([, form]) => take('verdict', form))
  if (verdict) slots.verdict = verdict[0]
  const state = undecided ? stateForms.at(-1) : stateForms.find(([, form]) => form.test(rest()))
  if (!state) return
  slots.state = state[0]
  takeAll(state[0], state[1])
}

/** Before anything else is claimed: what comes after a "that" tells whether it stands for something. */
function readReference(slots: Slots, { take, takeAll }: Claiming): void {
  takeAll('noun', clausePluralForm)
  const many = take('reference', pluralForm)
  const one = take('reference', pronounForm)
  if (many || one) slots.reference = many ? 'many' : 'one'
  takeAll('reference', pluralForm)
  takeAll('reference', pronounForm)
}
