import type { ApprovalType, RiskLevel } from '../approvals/entities.ts'
import { riskLevels } from '../approvals/entities.ts'
import type { DeliverableType } from '../campaigns/entities.ts'
import type { Said } from './said.ts'
import { approvalKinds, deliverableKinds, smallWords } from './vocabulary.ts'

/** How work stands, as people ask for it. */
export type Asked = 'pending' | 'running' | 'blocked' | 'failed' | 'done'

/** What narrows a request down. */
export interface Slots {
  risks: RiskLevel[]
  /** Asked longer ago than so many minutes. */
  olderThan?: number
  approvalType?: ApprovalType
  deliverableType?: DeliverableType
  state?: Asked
  /** Lapses within so many minutes; -1 is today. */
  expiresWithin?: number
  overdue: boolean
  /** Everything that fits is meant, not one. */
  all: boolean
  /** What was spoken of before: one thing, several, or the one at a place (from 0; -1 is the last). */
  reference?: 'one' | 'many' | number
  /** Words that may be a title, without those that say what is made. */
  title: string[]
  /** The same with them. */
  phrase: string[]
  /** Every word that narrows nothing down: where many things are meant, none of them may be one that was not understood. */
  rest: string[]
  /** A name that nobody has: what stands after "for" or "of". */
  unknownName?: string
}

const numbers: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  twenty: 20,
  thirty: 30,
  half: 0.5,
  'half an': 0.5,
  'half a': 0.5,
}
const amount = '(\\d{1,5}|half an?|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty)'
const unit = '(minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)'
const unitMinutes: Record<string, number> = { m: 1, h: 60, d: 1_440, w: 10_080 }

/** A length of time in words, in minutes. */
export function minutesIn(count: string, of: string): number {
  const found = numbers[count] ?? Number(count)
  return Math.round(found * (unitMinutes[of[0] ?? 'm'] ?? 1))
}

export const lengthOfTime = `${amount} ?${unit}`

const older = new RegExp(
  `\\b(?:(?:older than|over|more than|longer than|for more than|for over|at least|above|since more than) ${lengthOfTime}(?: old| ago)?|${lengthOfTime} old)\\b`,
)
const risk =
  /\b(high|highest|medium|low|lowest)(?:(?: and| or)? (high|medium|low))? risks?\b|\brisk (?:level )?(?:is )?(high|medium|low)\b/
const noun = '(?: one| post| item| piece| approval| question| text| article)'
const place = (words: string, number: string) =>
  new RegExp(
    `\\bthe (?:${words})${noun}?\\b(?! \\d)|\\b(?:${words})${noun}\\b|^ *#\\w+ (?:${words}) *$|\\bnumber (?:${number})\\b`,
  )
const places: ReadonlyArray<readonly [RegExp, number]> = [
  [place('first|1st|top', '1|one'), 0],
  [place('second|2nd', '2|two'), 1],
  [place('third|3rd', '3|three'), 2],
  [place('fourth|4th', '4|four'), 3],
  [place('fifth|5th', '5|five'), 4],
  [new RegExp(`\\bthe last${noun}\\b`), -1],
]
/** One thing that was spoken of; not the "that" of a clause, nor the "this" of a time. */
const pronoun =
  /\b(?:it|that one|this one|same)\b|\bthis\b(?! (?:month|week|year|morning|afternoon|evening|time))|\bthat\b(?! (?:needs?|waits?|wait|is|are|was|were|has|have|had|must|can|could|should|will|expires?|expired|fail|failed|fails|run|runs|stand|stands|cost|costs|got|do|does|did|i|we|you|they|the|a|an|@)\b)/
const states: ReadonlyArray<readonly [Asked, RegExp]> = [
  ['failed', /\b(?:fail(?:s|ed|ing|ures?)?|broken|went wrong|gone wrong|crash(?:ed|es)?|errored)\b/],
  ['blocked', /\b(?:block(?:ed|s|ers?)?|stuck|stand(?:s|ing)? still|on hold)\b/],
  [
    'running',
    /\b(?:running|at work|being (?:written|made|worked on|done)|in progress|under way|underway|working)\b/,
  ],
  ['done', /\b(?:done|finished|completed|got made)\b/],
  [
    'pending',
    /\b(?:wait(?:s|ing)?|awaiting|pending|outstanding|undecided|open (?:approvals?|questions?|decisions?)|approvals?|(?:i|we) (?:(?:can|could|may|must|should|have to) )?(?:approve|review|decide on)|(?:can|could|may|must|should) (?:i|we) (?:approve|review|decide on)|(?:to|for) (?:approve|review|approval|decide|sign off)|needs? (?:an? )?(?:approval|review|reviewing|verdict|decision)|verdicts?|decisions?)\b/,
  ],
]

/** Reads what narrows a request down. */
export function readSlots(said: Said): Slots {
  const slots: Slots = { risks: [], overdue: false, all: false, title: [], phrase: [], rest: [] }
  let text = ` ${said.text} `
  const take = (form: RegExp): RegExpExecArray | undefined => {
    const found = form.exec(text)
    if (found) text = text.replace(form, ' . ')
    return found ?? undefined
  }
  const age = take(older)
  if (age) slots.olderThan = minutesIn(age[1] ?? age[3] ?? '', age[2] ?? age[4] ?? '')
  const found = take(risk)
  for (const word of found?.slice(1) ?? []) {
    const level = riskLevels.find((one) => word?.startsWith(one))
    if (level && !slots.risks.includes(level)) slots.risks.push(level)
  }
  if (!found && take(/\b(?:risky|riskiest|dangerous|critical)\b/)) slots.risks.push('high')
  if (!found && take(/\b(?:harmless|safe)\b/)) slots.risks.push('low')
  readExpiry(slots, take)
  const state = states.find(([, form]) => take(form))
  if (state) slots.state = state[0]
  const place = places.find(([form]) => take(form))
  if (place) slots.reference = place[1]
  const many = /\b(?:these|those|them|both)\b/.test(said.text)
  const one = pronoun.test(said.text)
  if (slots.reference === undefined && (many || one)) slots.reference = many ? 'many' : 'one'
  slots.all =
    /\b(?:all|every|everything|each|any)\b/.test(text) ||
    /\b(?:posts|approvals|ones|pieces|items|questions|reviews|texts|articles|blogs|newsletters|ads|reports|audits|emails|socials|activities)\b/.test(
      said.text,
    )
  const asked = approvalKinds.find(([, form]) => take(form))
  if (asked) slots.approvalType = asked[0]
  const kind = deliverableKinds.find(([, form]) => form.test(text))
  if (kind) slots.deliverableType = kind[0]
  slots.phrase = titleIn(text)
  const rest = kind ? text.replace(kind[1], ' . ') : text
  slots.title = titleIn(rest)
  slots.rest = rest.split(/\s+/).filter((word) => /^[^@#.]/.test(word))
  // "The top 3 approvals" is a list.
  if (slots.state !== undefined) slots.title = slots.title.filter((word) => !/^\d+$/.test(word))
  const unknown =
    /(?<!@)\b(?:for|of|at|from|tenant|client|customer) ((?:(?!for |of |at |from |@|#)[^ .]+ ?)+)/g
  for (const match of text.matchAll(unknown)) {
    const name = (match[1] ?? '').split(' ').filter((word) => isTitleWord(word) && !/^\d+$/.test(word))
    if (name.length > 0) slots.unknownName = name.join(' ')
  }
  return slots
}

function readExpiry(slots: Slots, take: (form: RegExp) => RegExpExecArray | undefined): void {
  const within = take(
    new RegExp(
      `\\b(?:expir(?:es?|ing)|laps(?:es?|ing)|due) (?:with)?in (?:the )?(?:next )?${lengthOfTime}\\b`,
    ),
  )
  if (within) slots.expiresWithin = minutesIn(within[1] ?? '', within[2] ?? '')
  else if (
    take(/\b(?:(?:about to )?(?:expir(?:es?|ing)|laps(?:es?|ing)|due)) (?:today|tonight|by tonight)\b/)
  )
    slots.expiresWithin = -1
  else if (take(/\b(?:expir(?:es?|ing)|laps(?:es?|ing)|due) (?:by )?tomorrow\b/)) slots.expiresWithin = 2_880
  else if (take(/\b(?:expir(?:es?|ing)|laps(?:es?|ing)) this week\b/)) slots.expiresWithin = 10_080
  else if (take(/\b(?:expir(?:es?|ing)|about to (?:expire|lapse)|laps(?:es?|ing))(?: soon| next)?\b/))
    slots.expiresWithin = 1_440
  slots.overdue = take(/\b(?:overdue|past due|too late)\b/) !== undefined
}

const isTitleWord = (word: string) => word.length > 0 && !/^[@#.]/.test(word) && !smallWords.has(word)

function titleIn(text: string): string[] {
  return text.split(/\s+/).filter(isTitleWord)
}
