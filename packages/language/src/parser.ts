import { indexNames, type NameIndex } from './name-index.ts'
import { isCalled, type NamedThing, nearest } from './names.ts'
import { type Reading, readWords, tokenize, type Vocabulary } from './parsed-query.ts'
import { partNote, type ReadRequest } from './requests.ts'
import { readSlots, type TimeForms } from './slots.ts'
import { createSpelling, type TextComparison } from './spelling.ts'
import { accountsFor } from './title-match.ts'

/** What a parser shares with the program around it: how texts are compared, what an id is, and how times are said. */
export interface ParserOptions extends TextComparison, TimeForms, Pick<Reading, 'isId'> {}

/** Reads plain English by its words alone: the same words and names give the same result. Nothing is thrown for any text. */
export interface Parser {
  /**
   * Reads a request, with the reason or message in it apart: what stands in a note is never taken for a request.
   * @param words as they were typed, on any number of lines
   * @param known the names that the person may speak of
   */
  readRequest(words: string, known: Vocabulary): ReadRequest
  /** Reads a request in which every word is taken for a part of it, and none for a note. */
  readWhole(words: string, known: Vocabulary): ReadRequest
  /** The words of a text, folded, with mistyped ones as those that are meant. */
  readWords(text: string): string[]
  /** Prepares names to be found in many texts; each name is read once. */
  indexNames<T extends NamedThing>(names: readonly T[]): NameIndex<T>
  /** The names that come nearest to what someone may have meant, the nearest first, at most five. */
  nearest<T extends NamedThing>(said: string, known: readonly T[]): T[]
  /** Whether each of several words, folded, is one of a name, letter for letter or mistyped. */
  isCalled(name: string, words: readonly string[]): boolean
  /**
   * Whether a title has a word of its own for each word that was said.
   * @param others words that were said as well and may be a part of the title
   */
  accountsFor(title: string, said: string, others?: readonly string[]): boolean
}

/** Makes a parser; it keeps nothing of what it reads. */
export function createParser(options: ParserOptions): Parser {
  const spelling = createSpelling(options)
  const reading = { ...spelling, isId: options.isId }
  const withSlots = ({ said, note }: Pick<ReadRequest, 'said' | 'note'>): ReadRequest => ({
    said,
    slots: readSlots(said, options),
    ...(note !== undefined && { note }),
  })
  return {
    readRequest: (words, known) => withSlots(partNote(words, (part) => tokenize(reading, part, known))),
    readWhole: (words, known) => withSlots({ said: tokenize(reading, words, known) }),
    readWords: (text) => readWords(spelling, text),
    indexNames: (names) => indexNames(spelling, names),
    nearest: (said, known) => nearest(spelling, said, known),
    isCalled: (name, words) => isCalled(spelling, name, words),
    accountsFor: (title, said, others) => accountsFor(spelling, title, said, others),
  }
}
