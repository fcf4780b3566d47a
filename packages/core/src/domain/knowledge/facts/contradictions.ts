import { type FactStatement, statementsOf } from './statements.ts'
import type { FactValue, ValueKind } from './values.ts'
import { basicWords } from './words.ts'

/** A text of the knowledge base that may speak of the same. */
export interface Passage {
  text: string
  heading: string | null
}

/** A statement, and what a passage says instead. */
export interface Contradiction {
  statement: string
  /** The number of the passage among those that were given. */
  passage: number
  said: string
}

/** Values of these kinds mean little beside a single word. */
const needTwoWords: ReadonlySet<ValueKind> = new Set(['quantity', 'date', 'year', 'time'])

/** Words beside which a name says who holds an office. */
const offices = new Set(
  basicWords(
    'founder cofounder founded ceo owner owned director chef baker head manager managed author president chair contact doctor architect designer led partner',
  ),
)

/** More than this many words apart, two sentences are about different things. */
const mostApart = 8

/**
 * Of each statement the first passage that says the same with another value, unless any passage says it with the same value. Two
 * sentences say the same when one has all the words of the other, those of the headings above it included, and neither names another date.
 */
export function findContradictions(
  found: ReadonlyArray<{ statement: FactStatement; passages: readonly number[] }>,
  passages: readonly Passage[],
): Contradiction[] {
  const known = passages.map(({ text, heading }) => statementsOf(text, heading ?? ''))
  return found.flatMap(({ statement, passages: at }) => {
    let first: Contradiction | undefined
    for (const passage of at) {
      for (const said of known[passage] ?? []) {
        const verdict = compare(statement, said)
        if (verdict === 'same') return []
        if (verdict === 'other') first ??= { statement: statement.text, passage, said: said.text }
      }
    }
    return first ? [first] : []
  })
}

function compare(one: FactStatement, other: FactStatement): 'same' | 'other' | undefined {
  const kinds = new Set(one.values.map(({ kind }) => kind))
  const verdicts = [...kinds].map((kind) => compareKind(kind, one, other))
  if (verdicts.includes('other')) return 'other'
  return verdicts.includes('same') ? 'same' : undefined
}

function compareKind(
  kind: ValueKind,
  one: FactStatement,
  other: FactStatement,
): 'same' | 'other' | undefined {
  const pair = onlyPair(kind, one, other)
  if (!pair) return undefined
  const [mine, theirs] = pair
  if (kind === 'name') return compareNames(pair, withoutNames(one, pair), withoutNames(other, pair))
  const shared = sharedWords(one, other)
  if (areEqual(mine, theirs)) return shared.length > 0 || areNear(one, other) ? 'same' : undefined
  if (isTime(kind) && tellMore(one) && tellMore(other)) return undefined
  if (!isAboutSame(one, other) || differ(one, other, kind)) return undefined
  const [word = ''] = shared
  return shared.length > 1 || (word.length > 3 && !needTwoWords.has(kind)) ? 'other' : undefined
}

/** Two names contradict each other where both sentences say who holds an office. */
function compareNames(
  [mine, theirs]: readonly [FactValue, FactValue],
  one: FactStatement,
  other: FactStatement,
): 'same' | 'other' | undefined {
  const isOffice = sharedWords(one, other).some((word) => offices.has(word))
  if (!isOffice) return undefined
  if (areEqual(mine, theirs)) return 'same'
  return isAboutSame(one, other) && !differ(one, other, 'name') ? 'other' : undefined
}

function withoutNames(statement: FactStatement, names: readonly FactValue[]): FactStatement {
  const named = new Set(names.flatMap(({ value }) => basicWords(value)))
  return { ...statement, words: statement.words.filter((word) => !named.has(word)) }
}

/** The values of a kind that can be compared: each sentence has one of that kind and unit. Names that both have say nothing. */
function onlyPair(
  kind: ValueKind,
  one: FactStatement,
  other: FactStatement,
): readonly [FactValue, FactValue] | undefined {
  const mine = one.values.filter((value) => value.kind === kind)
  const theirs = other.values.filter((value) => value.kind === kind)
  const pairs = mine.flatMap((a) => theirs.filter((b) => haveSameUnit(a, b)).map((b) => [a, b] as const))
  const equal = pairs.find(([a, b]) => areEqual(a, b))
  if (kind !== 'name') return equal ?? (pairs.length === 1 ? pairs[0] : undefined)
  const open = pairs.filter(
    ([a, b]) => !theirs.some((each) => areEqual(a, each)) && !mine.some((each) => areEqual(each, b)),
  )
  return open.length === 1 ? open[0] : open.length === 0 ? equal : undefined
}

function haveSameUnit(a: FactValue, b: FactValue): boolean {
  return a.unit === b.unit || (a.kind === 'money' && (a.unit === '' || b.unit === ''))
}

/** A part of a name, such as a surname alone, is the same name. */
function areEqual(a: FactValue, b: FactValue): boolean {
  if (a.kind !== 'name') return a.value === b.value
  const [short, long] = a.value.length < b.value.length ? [a, b] : [b, a]
  return short.value.split(/\s+/).every((part) => long.value.split(/\s+/).includes(part))
}

function sharedWords(one: FactStatement, other: FactStatement): string[] {
  const theirs = new Set([...other.words, ...other.about])
  const own = [...one.words, ...one.about].filter((word) => theirs.has(word))
  // Headings alone have in common what the whole document is about.
  return own.some((word) => one.words.includes(word) || other.words.includes(word)) ? [...new Set(own)] : []
}

/** Whether a part of a sentence stands beside what the other statement is about. */
function areNear(one: FactStatement, other: FactStatement): boolean {
  return (
    other.nearby.some((word) => one.words.includes(word)) ||
    one.nearby.some((word) => other.words.includes(word))
  )
}

const isTime = (kind: ValueKind) => kind === 'year' || kind === 'date'

/** Whether a day or a year only says when something was so that has a value itself. */
function tellMore({ values }: FactStatement): boolean {
  return values.some(({ kind }) => kind !== 'name' && !isTime(kind))
}

function isAboutSame(one: FactStatement, other: FactStatement): boolean {
  const apart = (a: FactStatement, b: FactStatement) =>
    a.words.filter((word) => !b.words.includes(word) && !b.about.includes(word)).length
  const mine = apart(one, other)
  const theirs = apart(other, one)
  return Math.min(mine, theirs) === 0 && Math.max(mine, theirs) <= mostApart
}

/** Whether both name a day or a year, and not the same: then they speak of different times. */
function differ(one: FactStatement, other: FactStatement, kind: ValueKind): boolean {
  return (['date', 'year'] as const).some((when) => {
    if (when === kind) return false
    const mine = one.values.filter((value) => value.kind === when)
    const theirs = other.values.filter((value) => value.kind === when)
    return mine.length > 0 && theirs.length > 0 && !mine.some((a) => theirs.some((b) => areEqual(a, b)))
  })
}

declare module '../../../kernel/in-thread.ts' {
  interface TextTasks {
    statements(text: string): FactStatement[]
    contradictions(input: {
      found: ReadonlyArray<{ statement: FactStatement; passages: readonly number[] }>
      passages: readonly Passage[]
    }): Contradiction[]
  }
}
