import type { NameIndex } from './name-index.ts'
import { findNamed, type NamedThing } from './names.ts'

/** A word of a request, or what stands for several of them. */
export interface Token {
  /** Folded; starts with `@` where it stands for something. */
  text: string
  start: number
  end: number
  /** The tenants that it may stand for. */
  tenants?: readonly NamedThing[]
}

export interface NamedTenants {
  /** All that the name may stand for. */
  tenants: NamedThing[]
  /** Those that are named along with it: "of Hearth and Rye Mill". */
  besides: NamedThing[]
  /** The words of a part of a tenant's name, which may as well be those of a title. */
  partOfName: string[]
  /** From where to where in the request they are named; empty without a name. */
  at: { start: number; end: number }
}

/** How many tenants can be named side by side. */
const mostTogether = 8

/** How far from one name the next is looked for, words. */
const longestName = 12

/** What stands between the names of two tenants when both are meant. */
const between =
  /^(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|vs\.?|versus|with|than|to|&|\+)\s+)(?:(?:for|of|at|from|the|tenant|client|customer)\s+)*$/i

/** Finds the tenants that are named, and leaves one mark in the place of all that are named side by side. */
export function markTenants(tokens: Token[], raw: string, known: NameIndex<NamedThing>): NamedTenants {
  const given = tokens.some(({ tenants }) => tenants)
  const { part, elsewhere } = given ? { part: [], elsewhere: [] } : markOne(tokens, known)
  const partOfName = [...part]
  const first = tokens.find(({ tenants }) => tenants)
  if (!first) return { tenants: [], besides: [], partOfName, at: { start: 0, end: 0 } }
  const places = new Map((first.tenants ?? []).map((one) => [one, first.start]))
  let group = first
  for (
    let next = beside(tokens, raw, group, [...places.keys()], known);
    next && places.size < mostTogether;
  ) {
    if (!places.has(next.one)) places.set(next.one, next.start)
    partOfName.push(...next.part)
    group = next.group
    next = beside(tokens, raw, group, [...places.keys()], known)
  }
  const at = { start: group.start, end: group.end }
  // Of what is named somewhere else just as well it is to be asked whether that is meant.
  const apart = [...tokens.flatMap((token) => (token === group ? [] : (token.tenants ?? []))), ...elsewhere]
  const rivals = [...(first.tenants ?? []), ...apart.filter((one) => !places.has(one))]
  if (rivals.length > 1) return { tenants: [...new Set(rivals)], besides: [], partOfName, at }
  // In the order in which they are said.
  const [head, ...besides] = [...places.keys()].toSorted(
    (a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0),
  )
  return { tenants: head ? [head] : [], besides, partOfName, at }
}

/** The next tenant that is named side by side with a group, which then stands in the group's mark. */
function beside(
  tokens: Token[],
  raw: string,
  group: Token,
  named: readonly NamedThing[],
  known: NameIndex<NamedThing>,
): { one: NamedThing; start: number; group: Token; part: string[] } | undefined {
  // On a copy, and no further than a name is long: one that stands somewhere else may be a part of a title.
  const middle = tokens.indexOf(group)
  const [first, end] = [Math.max(0, middle - longestName), middle + longestName]
  const tried = tokens.slice(first, end)
  const { part } = markOne(tried, known, new Set(named))
  const next = tried.find((token) => token !== group && isBeside(raw, group, token))
  const [one, ...others] = next?.tenants ?? []
  if (!next || !one || others.length > 0) return undefined
  const start = Math.min(group.start, next.start)
  const whole = { ...group, start, end: Math.max(group.end, next.end) }
  const from = Math.min(tried.indexOf(group), tried.indexOf(next))
  const to = Math.max(tried.indexOf(group), tried.indexOf(next))
  tokens.splice(
    first,
    Math.min(end, tokens.length) - first,
    ...tried.slice(0, from),
    whole,
    ...tried.slice(to + 1),
  )
  return { one, start: next.start, group: whole, part }
}

/** Marks the name that stands out most. @returns its words where they are only a part of it, and who else is named as clearly */
function markOne(
  tokens: Token[],
  known: NameIndex<NamedThing>,
  skipped: ReadonlySet<NamedThing> = new Set(),
): { part: string[]; elsewhere: NamedThing[] } {
  // A name in which there is an "and" is said with it or without.
  const places = tokens.flatMap(({ text }, at) => (text === 'and' ? [] : [at]))
  const words = places.map((at) => tokens[at]?.text ?? '')
  const found = findNamed(words, known, skipped)
  if (!found) return { part: [], elsewhere: [] }
  const [from, last] = [places[found.from] ?? 0, places[found.to - 1] ?? 0]
  const place = { start: tokens[from]?.start ?? 0, end: tokens[last]?.end ?? 0 }
  tokens.splice(from, last + 1 - from, { text: '@tenant', ...place, tenants: found.items })
  return { part: found.whole ? [] : words.slice(found.from, found.to), elsewhere: found.elsewhere }
}

function isBeside(raw: string, group: Token, { start, end, tenants }: Token): boolean {
  if (!tenants) return false
  return between.test(end <= group.start ? raw.slice(end, group.start) : raw.slice(group.end, start))
}
