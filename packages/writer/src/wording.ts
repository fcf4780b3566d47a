import type { BriefProduct } from './brief.ts'

/** One line of words: markup of emphasis and links, odd spaces and list marks are taken away. */
export function plain(text: string): string {
  return text
    .replace(/\[([^[\]]+)\]\([^)]{0,2000}\)/g, '$1')
    .replace(/(\*\*|__|`)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** A whole sentence: a capital first, a full stop last unless it ends in a mark of its own. */
export function sentence(text: string): string {
  const line = plain(text).replace(/[,;:]+$/, '')
  if (!line) return ''
  return capitalised(/[.!?…]["”’)]?$/.test(line) ? line : `${line}.`)
}

/** Words without the mark at their end, to be built into another sentence or a headline. */
export function phrase(text: string): string {
  return plain(text).replace(/[\s.,;:!]+$/, '')
}

export function capitalised(text: string): string {
  // A name such as "iPad" or an address keeps its own first letter.
  return /^\p{Ll}(?![\w-]*\p{Lu})(?!\S*\.\S)/u.test(text)
    ? text.charAt(0).toUpperCase() + text.slice(1)
    : text
}

/** "a, b and c". */
export function joined(items: readonly string[]): string {
  if (items.length < 2) return items[0] ?? ''
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}

export function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?…]["”’)]?)\s+(?=["“'(]?[\p{Lu}\d])/u)
    .map((each) => each.trim())
    .filter(Boolean)
}

const startsSmall =
  /^(a|an|the|our|your|all|any|every|people|those|busy|small|young|new|local|independent|first|home|marketing|business|company|companies|women|men|families|teams|anyone|everyone|owners|parents|buyers|adults|office|remote|working|in-house|families|health|budget|design|software|restaurant|shop|cafe|café|hotel|dog|cat|pet|garden|runners|cyclists|students|founders|makers|existing|current|past|regular)$/i
const commonEnding = /(ers|ors|ents|ists|ies|ants|als|ees|eurs|ing|ed|ive|ous|ful|less|able|ible)$/

/**
 * Makes the first letter small, for the middle of a sentence, where the word is no name. A word that the brief
 * writes small elsewhere is certainly none; a word that cannot be told is left as it is.
 */
export function midSentence(text: string, known: string): string {
  const first = /^\p{Lu}\p{Ll}+(?:-\p{Ll}+)*/u.exec(text)?.[0]
  if (!first) return text
  const small = first.toLowerCase()
  const seen = new RegExp(`(?<![\\p{L}])${escaped(small)}(?![\\p{L}])`, 'u').test(known)
  const common = startsSmall.test(first) || (first.length > 4 && commonEnding.test(first))
  return seen || common ? small + text.slice(first.length) : text
}

const finite =
  /\b(is|are|was|were|has|have|can|will|do|does|takes?|makes?|comes?|helps?|gives?|lets?|keeps?|saves?|works?|needs?|wants?|ships?|delivers?|offers?|costs?|opens?|starts?|runs?|sells?|uses?|goes|go|get|gets|bakes?|brews?|roasts?|builds?|stays?|lasts?|includes?|deserves?|means?|never|always)\b/i

/** True for words that can stand as a sentence: something, then what it does. */
export function isClause(text: string): boolean {
  const found = finite.exec(text)
  return (
    found !== null && found.index > 0 && text.split(' ').length > 2 && !/^(who|that|which|to)\b/i.test(text)
  )
}

const idle = new Set(
  'a an the and or but of to in on at for from with by as is are was be been it its this that these those we our us you your they their them i me my not no so very more most much too also just please make made should could would can will about into than then there here have has had do does did get one some any all'.split(
    ' ',
  ),
)

/** The words that carry the meaning, cut to a common stem, so that "prices" finds "pricing". */
export function stems(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(
    words.flatMap((word) => {
      if (idle.has(word) || word.length < 2) return []
      const stem = word.replace(/(?<=\p{L}{3})(ies|ing|ed|es|er|ly|s|y|e)$/u, '')
      return [stem]
    }),
  )
}

/** How much of `wanted` is spoken of in `text`, from 0 to 1. */
export function coverage(wanted: string, text: string): number {
  const asked = stems(wanted)
  if (asked.size === 0) return 0
  const told = stems(text)
  let met = 0
  for (const stem of asked) if (told.has(stem)) met += 1
  return met / asked.size
}

/** True when the wording occurs as words of its own, also with an ending of the plural. */
export function contains(text: string, wording: string): boolean {
  return wordingPattern(wording, 'iu')?.test(text) ?? false
}

/** Puts other words in the place of a wording; at the start of a sentence they keep the capital. */
export function replaced(text: string, from: string, to: string): string {
  const pattern = wordingPattern(from, 'giu')
  return pattern ? text.replace(pattern, (old) => (/^\p{Lu}/u.test(old) ? capitalised(to) : to)) : text
}

function wordingPattern(wording: string, flags: string): RegExp | undefined {
  const words = phrase(wording)
  if (!words) return undefined
  return new RegExp(
    `(?<![\\p{L}\\p{N}])${escaped(words).replace(/ /g, '\\s+').replace(/['’]/g, "['’]")}(?:e?s)?(?![\\p{L}\\p{N}])`,
    flags,
  )
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** The first whole part of a text that fits, cut where a comma or a dash allows it; undefined when none does. */
export function fitting(text: string, max: number): string | undefined {
  const words = phrase(text)
  if (words.length <= max) return words
  const parts = words.split(/(?:,|;|:| [–—-]) /)
  const first = parts[0]?.trim() ?? ''
  return first !== words && first.length <= max && first.split(' ').length > 1 ? first : undefined
}

/** Each fact as a sentence that can stand alone. */
export function factSentences(product: BriefProduct): { fact: string; text: string }[] {
  return product.facts.map((fact) => ({
    fact,
    text: productSentences({ ...product, facts: [fact] })[0] ?? '',
  }))
}

const does =
  /^(is|are|has|have|helps?|lets?|gives?|makes?|comes?|offers?|includes?|keeps?|saves?|takes?|works?|costs?|ships?|lasts?|uses?|contains?|fits?|runs?|needs?)\b/i
/** A word in -s before one of these is a verb, not a plural: "adjusts to daylight". */
const verbLike = /^\p{L}{3,}[^s\P{L}]s (?:to|the|an?|your|you|itself|its|up|down|out|off|any|every)\b/iu
const done =
  /^(made|baked|built|designed|brewed|roasted|grown|sourced|crafted|available|suitable|ready|packed|handmade|free)\b/i

/**
 * The facts of a product: those that can be sentences become sentences, the others a list in one sentence.
 */
export function productSentences(product: BriefProduct): string[] {
  const many = /[^s]s$/.test(product.name)
  const told: string[] = []
  const rest: string[] = []
  for (const fact of product.facts) {
    const subject = told.length === 0 ? product.name : many ? 'They' : 'It'
    const small = `${fact.charAt(0).toLowerCase()}${fact.slice(1)}`
    if (does.test(fact) || verbLike.test(fact)) told.push(sentence(`${subject} ${small}`))
    else if (done.test(fact)) told.push(sentence(`${subject} ${many ? 'are' : 'is'} ${small}`))
    else if (/^no\s/i.test(fact)) told.push(sentence(`${subject} ${many ? 'have' : 'has'} ${small}`))
    else if (isClause(fact)) told.push(sentence(fact))
    else rest.push(midSentence(fact, ''))
  }
  if (rest.length > 0)
    told.push(sentence(`${told.length === 0 ? product.name : 'In short'}: ${joined(rest)}`))
  return told
}
