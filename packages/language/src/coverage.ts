import type { SlotName } from './claims.ts'
import { startsOf, wholeWords } from './claims.ts'
import { displayWords, exclusionWords, functionWords } from './function-words.ts'
import type { ReadRequest } from './requests.ts'
import type { Slots } from './slots.ts'

/** What an interpretation takes into account of a request. */
export interface Accounts {
  /** Slots that narrow down or say what is meant. */
  slots: readonly SlotName[]
  /** Forms of the words by which it is asked for, and of those that go along with them. */
  forms?: readonly RegExp[]
  /** True for a question, in which words that ask to be shown something add nothing. */
  shows?: boolean
}

/**
 * The words of a request that an interpretation does not account for, by their places. Each word has to be one of its forms,
 * in one of its slots, or without content; a word in a slot that it does not take into account is left over like one that
 * no one knows.
 */
export function leftOver({ slots: { claims } }: Pick<ReadRequest, 'slots'>, accounts: Accounts): number[] {
  const { words, by } = claims
  const known = new Set<SlotName>(accounts.slots)
  const formed = placesOf(words, accounts.forms ?? [])
  return words.flatMap((word, at) => {
    const slot = slotOf(word, by[at])
    const isCovered =
      word === '' ||
      formed.has(at) ||
      (slot !== undefined && known.has(slot)) ||
      (slot !== 'reference' && slot !== 'place' && isEmpty(word, accounts.shows ?? false))
    return isCovered ? [] : [at]
  })
}

const isEmpty = (word: string, shows: boolean) => functionWords.has(word) || (shows && displayWords.has(word))

/** A mark for a name is a slot by itself. */
function slotOf(word: string, claimed: SlotName | undefined): SlotName | undefined {
  const marks: Record<string, SlotName> = {
    '@tenant': 'tenant',
    '@role': 'role',
    '@id': 'id',
    '@quote': 'quote',
  }
  return marks[word] ?? claimed
}

/** The places of all words that one of several forms matches. */
function placesOf(words: readonly string[], forms: readonly RegExp[]): Set<number> {
  const text = words.join(' ')
  const starts = startsOf(words)
  const places = new Set<number>()
  for (const form of forms)
    for (const found of text.matchAll(new RegExp(form.source, 'g')))
      for (const at of wholeWords(starts, words, found.index, found.index + found[0].length)) places.add(at)
  return places
}

/** The same request, in which the words that are left over may be a title or the name of a tenant. */
export function withTitle<Request extends Pick<ReadRequest, 'slots'>>(
  request: Request,
  places: readonly number[],
): Request {
  const given: Slots = request.slots
  const { words, by } = given.claims
  const isLeft = new Set(places)
  const isMade = (at: number) =>
    by[at] === 'deliverableType' || by[at] === 'noun' || by[at] === 'approvalType'
  const at = [...words.keys()]
  const title = at.filter((one) => isLeft.has(one)).map((one) => words[one] ?? '')
  const phrase = at.filter((one) => isLeft.has(one) || isMade(one)).map((one) => words[one] ?? '')
  const { unknownName: _, ...slots } = given
  const name = unknownNameIn(words, isLeft)
  const named: Slots = { ...slots, title, phrase, ...(name !== undefined && { unknownName: name }) }
  return { ...request, slots: named }
}

/** What stands behind a word that a name of a tenant stands behind. */
function unknownNameIn(words: readonly string[], isLeft: ReadonlySet<number>): string | undefined {
  for (const [at, word] of words.entries()) {
    if (!leading.has(word)) continue
    let end = at + 1
    while (words[end] === 'the' || words[end] === 'tenant' || words[end] === 'client') end += 1
    const start = end
    while (isLeft.has(end) && !leading.has(words[end] ?? '')) end += 1
    const name = words.slice(start, end).filter((one) => !/^[@#\d]/.test(one))
    if (name.length > 0) return name.join(' ')
  }
  return undefined
}

const leading = new Set(['for', 'of', 'at', 'from', 'tenant', 'client', 'customer'])

/** Whether a word among those that are left over takes something out of what is meant. */
export function excludes(
  { slots: { claims } }: Pick<ReadRequest, 'slots'>,
  places: readonly number[],
): boolean {
  return places.some((at) => exclusionWords.has(claims.words[at] ?? ''))
}
