import { shortForms } from './function-words.ts'
import type { NameIndex } from './name-index.ts'
import type { NamedThing } from './names.ts'
import { plain } from './plain.ts'
import type { Spelling } from './spelling.ts'
import { markTenants, type Token } from './tenant-names.ts'
import { asking, fillers, keywords, negation, smallWords, type Verb, verbs } from './vocabulary.ts'

/** What someone has said, taken apart: names are found, verbs are marked, what no one knows is left over. */
export interface ParsedQuery {
  /** As it was written, on one line. */
  raw: string
  /** In small letters: `@tenant`, `@role`, `@id` and `@quote` stand for what is named, `#approve` for a verb. */
  text: string
  ids: string[]
  /** What stands in quotation marks. */
  quotes: string[]
  /** All tenants that a name may stand for. */
  tenants: NamedThing[]
  /** Tenants that are named along with the first one: "of Hearth and Rye Mill". */
  besides: NamedThing[]
  /** From where to where in `raw` the tenants are named. */
  tenantsAt: { start: number; end: number }
  /** The words of a part of a tenant's name, which may as well be those of a title. */
  partOfName: string[]
  /** All agent roles that a name may stand for. */
  roles: string[]
  /** What is to be done, in the order in which it was said; nothing where something is only asked. */
  acts: Verb[]
  /** Words that were taken for mistyped ones, with those that they were taken for. */
  corrections: Array<readonly [string, string]>
  /** True where someone says what not to do. */
  negated: boolean
  /** Where in `raw` the last name of a tenant or an agent ends; 0 without one. */
  afterNames: number
  /** Where the first of them begins; the length of `raw` without one. */
  beforeNames: number
}

/** What a request may name. */
export interface Vocabulary {
  tenants: NameIndex<NamedThing>
  roles: readonly string[]
}

/** How words and ids are told from others. */
export interface Reading extends Spelling {
  /** True for an id in the form in which the program writes it, in capital letters. */
  isId(text: string): boolean
}

const quote =
  /"([^"]*)"|“([^”"]*)[”"]|„([^“”"]*)[“”"]|«([^»]*)»|(?<![\p{L}\p{N}])['‘]([^'’]+)['’](?![\p{L}\p{N}])/u
/** A date, with or without a time, a time of the clock, or a word. */
const word = "\\d{4}-\\d\\d-\\d\\d(?:[tT][\\d:.]+[zZ])?|\\d{1,2}:\\d\\d|[\\p{L}\\p{N}]+(?:['’]\\p{L}+)?"
const token = new RegExp(`${quote.source}|(${word})`, 'gu')

/** The text with what stands in quotation marks made unreadable, each character at its place. */
export function masked(raw: string): string {
  return raw.replace(new RegExp(quote.source, 'gu'), (part) => '\u0001'.repeat(part.length))
}

/** The titles that a question puts behind an id are for people: the id says it all. */
export function withoutLabels(text: string): string {
  return text.replace(/\b([0-7][0-9A-HJKMNP-TV-Z]{25}) \("[^"]*"\)/g, '$1')
}

/** Takes a request apart. @param known the tenants and roles that exist for who speaks */
export function tokenize(reading: Reading, query: string, known: Vocabulary): ParsedQuery {
  const raw = withoutLabels(plain(query))
  const said: ParsedQuery = {
    raw,
    text: '',
    ids: [],
    quotes: [],
    tenants: [],
    besides: [],
    tenantsAt: { start: 0, end: 0 },
    partOfName: [],
    roles: [],
    acts: [],
    corrections: [],
    negated: false,
    afterNames: 0,
    beforeNames: raw.length,
  }
  const tokens = tokensOf(reading, raw, said, known)
  const { at, ...named } = markTenants(tokens, raw, known.tenants)
  Object.assign(said, named, { tenantsAt: at })
  noteNames(said, at)
  said.roles.push(...rolesIn(reading, tokens, said, known.roles))
  for (const one of tokens) {
    const meant = corrected(reading, one.text)
    if (meant !== one.text) said.corrections.push([one.text, meant])
    one.text = meant
  }
  return { ...said, ...readVerbs(tokens.map(({ text }) => text).join(' ')) }
}

function tokensOf(reading: Reading, raw: string, said: ParsedQuery, { tenants }: Vocabulary): Token[] {
  const tokens: Token[] = []
  for (const match of raw.matchAll(token)) {
    const place = { start: match.index, end: match.index + match[0].length }
    const inside = match
      .slice(1, 6)
      .find((part) => part !== undefined)
      ?.trim()
    const word = inside ?? match[6] ?? ''
    const id = word.toUpperCase()
    if (word === '') continue
    const tenant = exactly(reading, tenants.names, id, inside)
    if (tenant) {
      noteNames(said, place)
      tokens.push({ text: '@tenant', ...place, tenants: [tenant] })
    } else if (reading.isId(id)) {
      if (!said.ids.includes(id)) said.ids.push(id)
      tokens.push({ text: '@id', ...place })
    } else if (inside !== undefined) {
      said.quotes.push(inside)
      tokens.push({ text: '@quote', ...place })
    } else tokens.push({ text: spelled(unpossessed(reading, word)), ...place })
  }
  return tokens
}

const spelled = (word: string) => shortForms.get(word) ?? word

/** A text as its words are read: folded, and with mistyped words as those that are meant. */
export function readWords(spelling: Spelling, text: string): string[] {
  const words = [...plain(text).matchAll(new RegExp(word, 'gu'))].map(([one]) => one)
  return words.map((one) => corrected(spelling, spelled(unpossessed(spelling, one))))
}

const unpossessed = ({ normalize }: Spelling, text: string) =>
  normalize(text).replaceAll('’', "'").replace(/'s$/, '')

function noteNames(said: ParsedQuery, { start, end }: Pick<Token, 'start' | 'end'>): void {
  if (end === 0) return
  said.beforeNames = Math.min(said.beforeNames, start)
  said.afterNames = Math.max(said.afterNames, end)
}

/** A tenant by its id, or by the whole of its name in quotation marks. */
function exactly(
  { normalize, isId }: Reading,
  tenants: readonly NamedThing[],
  id: string,
  quote: string | undefined,
): NamedThing | undefined {
  if (isId(id)) return tenants.find((one) => one.id === id)
  const name = quote === undefined ? undefined : normalize(quote)
  return name === undefined ? undefined : tenants.find((one) => normalize(one.name) === name)
}

/** A role by all of its words, or by its last where that stands alone: "the writer" may be several. */
function rolesIn(spelling: Spelling, tokens: Token[], said: ParsedQuery, roles: readonly string[]): string[] {
  for (const role of roles) {
    const parts = role.split('_')
    const at = tokens.findIndex((_, i) =>
      parts.every((part, j) => isRoleWord(spelling, tokens[i + j]?.text ?? '', part)),
    )
    if (at === -1) continue
    markRole(tokens, said, { from: at, to: at + parts.length })
    return [role]
  }
  const at = tokens.findIndex(({ text }) => /^writers?$/.test(text))
  if (at === -1) return []
  markRole(tokens, said, { from: at, to: at + 1 })
  return roles.filter((role) => role.endsWith('_writer'))
}

function markRole(tokens: Token[], said: ParsedQuery, { from, to }: { from: number; to: number }): void {
  const place = { start: tokens[from]?.start ?? 0, end: tokens[to - 1]?.end ?? 0 }
  noteNames(said, place)
  tokens.splice(from, to - from, { text: '@role', ...place })
}

function isRoleWord({ isNearly }: Spelling, word: string, part: string): boolean {
  const one = word.replace(/s$/, '')
  return word.length > 2 && (word === part || one === part || (part.length > 4 && isNearly(one, part)))
}

/** The word that matters which one that no one knows is a letter away from; the word itself where there is none. */
function corrected({ isNearly, distance }: Spelling, word: string): string {
  if (word.length < 5 || word.startsWith('@') || smallWords.has(word) || keywords.includes(word)) return word
  // Other words of the same ending are as near as a mistyped one.
  const ending = /(?:ed|ing|als?)$/.exec(word)?.[0]
  if (ending && word.length < 7) return word
  return (
    keywords.find(
      (one) =>
        one.length >= 5 &&
        word[0] === one[0] &&
        (ending ? one.endsWith(ending) && distance(word, one) === 1 : isNearly(word, one)),
    ) ?? word
  )
}

function readVerbs(given: string): Pick<ParsedQuery, 'text' | 'acts' | 'negated'> {
  let text = given
  while (fillers.test(text)) text = text.replace(fillers, '')
  const isAsked = asking.test(text)
  // In capitals no other verb is found in what is marked already.
  for (const [verb, form] of verbs)
    text = text.replace(form, (whole: string, between: unknown) =>
      typeof between === 'string'
        ? `#${verb.toUpperCase()} ${between}`
        : `#${verb.toUpperCase()}=${whole.replaceAll(' ', '_').toUpperCase()}`,
    )
  const acts: Verb[] = []
  let negated = false
  const parts = text.split(' ')
  const kept = parts.map((part, at) => {
    if (!part.startsWith('#')) return part
    const [verb = '', form = ''] = part.slice(1).toLowerCase().split('=')
    const joined = /^(?:and|then|but|or|also|please)$/.test(parts[at - 1] ?? '')
    const isFirst = acts.length === 0
    // A verb in the middle is a word of a title.
    if ((isAsked && !joined) || !(isFirst || joined)) return form.replaceAll('_', ' ')
    if (negation.test(parts.slice(Math.max(0, at - 3), at).join(' '))) negated = true
    acts.push(verb as Verb)
    return `#${verb}`
  })
  return { text: kept.join(' '), acts, negated }
}
