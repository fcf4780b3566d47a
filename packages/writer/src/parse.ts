import type { BriefFacts, BriefProduct } from './brief.ts'
import { isClause, joined, midSentence, phrase, plain, sentencesOf } from './wording.ts'

/** The result of `parseBrief`; `title` is the first heading unless it names a section. */
export type ParsedBrief = BriefFacts & { title?: string }

type Section = 'company' | 'products' | 'audience' | 'voice' | 'messages' | 'action' | 'avoid' | 'goal'

// The order matters: "tone to avoid" is about what to avoid, "what customers should do" about the call to
// action.
const sections: readonly [Section, RegExp][] = [
  ['avoid', /avoid|banned|don.?t|do not|never|not to say|off[- ]limits|forbidden|taboo/],
  ['action', /call[s]? to action|\bctas?\b|next step|should do|desired action/],
  [
    'audience',
    /audience|target|who (it|this)?\s?(is|it.s) (it |this )?for|for whom|customers?$|readers?$|personas?|buyers?$/,
  ],
  ['voice', /\bvoice|\btone\b|\bstyle\b/],
  [
    'messages',
    /messag|talking points?|what to say|selling points?|\busps?\b|benefits?|proof|^facts|value prop/,
  ],
  ['goal', /goals?\b|objectives?|^aims?\b|purpose|\bkpis?\b|success/],
  ['products', /products?\b|services?\b|offers?\b|offerings?|what we (sell|make|do)|range$/],
  ['company', /company|^about|brand|client|who we are|^business|background/],
]

/** A section opened by a label: deeper than any heading, ended by the next label. */
const LABEL_DEPTH = 7

interface Line {
  text: string
  indent: number
  bullet: boolean
  /** Depth of a heading, 0 for other lines. */
  heading: number
}

/**
 * Parses a campaign's brief as people write it: Markdown headings, bold labels or "Label: text" lines, in any
 * order and depth, with lists or paragraphs below. Text without a section is classified by its words.
 */
export function parseBrief(markdown: string): ParsedBrief {
  const found = new Map<Section, Line[]>()
  const loose: string[] = []
  let title: string | undefined
  let section: Section | undefined
  let depth = 0
  for (const line of linesOf(markdown)) {
    if (line.heading > 0) {
      const named = sectionOf(line.text)
      if (section === 'products' && line.heading > depth) push(found, section, line)
      else if (named) [section, depth] = [named, line.heading]
      else {
        if (line.heading === 1 || title === undefined) title ??= phrase(line.text)
        section = undefined
      }
      continue
    }
    const labelled = labelOf(line, depth < LABEL_DEPTH ? section : undefined)
    if (labelled) {
      ;[section, depth] = [labelled.section, LABEL_DEPTH]
      if (labelled.rest) push(found, section, { ...line, bullet: false, indent: 0, text: labelled.rest })
    } else if (section) push(found, section, line)
    else loose.push(line.text)
  }
  const brief = assemble(found, markdown)
  return { ...sorted(loose, brief), ...brief, ...(title && { title }) }
}

function assemble(found: Map<Section, Line[]>, markdown: string): BriefFacts {
  const items = (section: Section) =>
    (found.get(section) ?? []).map((line) => phrase(line.text)).filter(Boolean)
  const prose = (section: Section) => {
    const lines = found.get(section) ?? []
    if (lines.length > 1 && lines.every((line) => line.bullet)) {
      return joined(items(section).map((item, index) => (index > 0 ? midSentence(item, markdown) : item)))
    }
    return plain(lines.map((line) => line.text).join(' '))
  }
  const about = prose('company')
  const company = nameOf(about)
  const products = productsOf(found.get('products') ?? [])
  const messages = (found.get('messages') ?? []).flatMap((line) =>
    line.bullet ? [plain(line.text)] : sentencesOf(plain(line.text)),
  )
  const banned = (found.get('avoid') ?? []).flatMap((line) => wordings(line.text))
  const text = { audience: prose('audience'), voice: prose('voice'), goal: prose('goal') }
  const action = items('action')[0]
  return {
    ...(company && { company }),
    ...(about && about !== company && { about }),
    ...(products.length > 0 && { products }),
    ...(text.audience && { audience: phrase(text.audience) }),
    ...(text.voice && { voice: text.voice }),
    ...(text.goal && { goal: text.goal }),
    ...(messages.length > 0 && { keyMessages: messages }),
    ...(banned.length > 0 && { bannedPhrases: banned }),
    ...(action && { callToAction: action }),
  }
}

function productsOf(lines: readonly Line[]): BriefProduct[] {
  const products: { name: string; facts: string[] }[] = []
  let below = false
  for (const line of lines) {
    const last = products.at(-1)
    if (line.heading > 0) {
      products.push({ name: phrase(line.text), facts: [] })
      below = true
    } else if (last && (below || line.indent > 1)) last.facts.push(...factsOf(line.text))
    else {
      for (const each of line.bullet ? [plain(line.text)] : namesIn(line.text)) products.push(productOf(each))
    }
  }
  return products.filter((product) => product.name)
}

/** "A, B and C" as three names, other text as its sentences. */
function namesIn(text: string): string[] {
  const parts = plain(text)
    .split(/,\s+(?:and\s+)?/)
    .flatMap((part, index) => (index === 0 ? [part] : part.split(/\s+and\s+/)))
  const names = parts.length > 1 && parts.every((part) => part.split(' ').length <= 4)
  return names ? parts : sentencesOf(plain(text))
}

function productOf(text: string): { name: string; facts: string[] } {
  const split =
    /^(.{2,60}?)(?:\s*:\s+|\s+[–—-]\s+)(.+)$/.exec(text) ?? /^([^(]{2,60}?)\s*\((.+)\)\.?$/.exec(text)
  if (split) return { name: phrase(split[1] ?? ''), facts: factsOf(split[2] ?? '') }
  const told =
    /^(.{2,60}?)\s+((?:is|are|helps?|lets?|gives?|makes?|has|have|comes?|offers?|includes?|keeps?|saves?)\s.+)$/.exec(
      text,
    )
  if (told) return { name: phrase(told[1] ?? ''), facts: [phrase(told[2] ?? '')] }
  return { name: phrase(text), facts: [] }
}

function factsOf(text: string): string[] {
  return sentencesOf(plain(text))
    .flatMap((each) => each.split(/;\s+/))
    .flatMap((each) => {
      const parts = each.split(/,\s+(?:and\s+)?/)
      return parts.length > 1 && parts.every((part) => part.split(' ').length <= 6) ? parts : [each]
    })
    .map(phrase)
    .filter(Boolean)
}

/** The banned wordings in a line: all quoted text, and the other parts of the line. */
function wordings(text: string): string[] {
  const quote = /["“«]([^"”»]+)["”»]/g
  const quoted = [...text.matchAll(quote)].map((match) => phrase(match[1] ?? ''))
  const rest = plain(text.replace(quote, ','))
    .split(/,\s*|;\s*|\s+or\s+/)
    .map((part) =>
      phrase(
        part.replace(
          /^(?:don.?t|do not|never)\s+(?:say|use|mention)\b\s*|^(?:or|and|the words?|saying|using|avoid)\b\s*/i,
          '',
        ),
      ),
    )
  return [...quoted, ...rest].filter((part) => part.length > 1)
}

function nameOf(about: string): string | undefined {
  if (!about) return undefined
  if (about.split(' ').length <= 5 && !isClause(about)) return phrase(about)
  const told =
    /^(.{2,50}?),?\s+(?:is|are|makes?|sells?|helps?|offers?|provides?|builds?|runs?|bakes?|brews?|roasts?|designs?|was founded)\b/.exec(
      about,
    )
  const name = told?.[1]
  return name && !/^(we|our|it|the|this|they)\b/i.test(name) ? phrase(name) : undefined
}

/** Classifies sentences without a heading. Instructions become the goal, which is never printed in copy. */
function sorted(loose: readonly string[], known: BriefFacts): BriefFacts {
  const facts: { -readonly [K in keyof BriefFacts]: BriefFacts[K] } = {}
  const messages: string[] = []
  for (const each of loose.flatMap((text) => sentencesOf(plain(text)))) {
    if (/^(avoid|do not|don.?t|never)\b/i.test(each)) {
      facts.bannedPhrases = [...(facts.bannedPhrases ?? []), ...wordings(each.replace(/^avoid\s+/i, ''))]
    } else if (/\b(tone|voice)\b/i.test(each)) facts.voice ??= each
    else if (/\b(audience|aimed at|we target|customers are)\b/i.test(each)) {
      facts.audience ??= phrase(
        each.replace(/^.*?(?:audience (?:is|are)|aimed at|we target|customers are)\s+/i, ''),
      )
    } else if (
      /^(goal|promote|push|write|create|focus|drive|increase|grow|raise|get|make|launch|we want|we need)\b/i.test(
        each,
      )
    ) {
      facts.goal ??= each
    } else if (/^we\b|\b(is|are) (a|an|the)\b/i.test(each) && !facts.about) {
      facts.about = each
      const name = known.company ?? nameOf(each)
      if (name) facts.company = name
    } else if (isClause(each)) messages.push(each)
  }
  return messages.length > 0 ? { ...facts, keyMessages: messages } : facts
}

function linesOf(markdown: string): Line[] {
  return markdown.split(/\r?\n/).flatMap((raw) => {
    const heading = /^\s{0,3}(#{1,6})\s+(?=\S)/.exec(raw)
    if (heading) {
      const text = withoutMarks(raw.slice(heading[0].length))
      return [{ text, heading: heading[1]?.length ?? 1, indent: 0, bullet: false }]
    }
    const bullet = /^(\s*)(?:[-*+•]|\d+[.)])\s+(.+)$/.exec(raw)
    const indent = (bullet?.[1] ?? /^\s*/.exec(raw)?.[0] ?? '').replace(/\t/g, '  ').length
    const text = (bullet?.[2] ?? raw).replace(/^\s*>\s?/, '').trim()
    return text && !/^([-*_]\s*){3,}$/.test(text)
      ? [{ text, heading: 0, indent, bullet: bullet !== null }]
      : []
  })
}

/** A heading's text without closing marks. Not a regular expression: it would backtrack at each blank. */
function withoutMarks(text: string): string {
  let end = text.trimEnd().length
  const whole = text.slice(0, end)
  while (end > 0 && whole[end - 1] === '#') end -= 1
  return whole.slice(0, end).trimEnd() || whole
}

function sectionOf(label: string): Section | undefined {
  const name = plain(label)
    .toLowerCase()
    .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return sections.find(([, pattern]) => pattern.test(name))?.[0]
}

/** "**Audience:** parents" or "Audience: parents"; in a list under a heading, a label is a product's name instead. */
function labelOf(line: Line, current: Section | undefined): { section: Section; rest: string } | undefined {
  const bold = /^\*\*([^*]{2,40}?):?\*\*:?\s*(.*)$/.exec(line.text)
  const label = bold ?? /^([\p{L}][\p{L} '’/-]{1,30}):\s*(.*)$/u.exec(line.text)
  if (!label || (line.bullet && current !== undefined)) return undefined
  const section = sectionOf(label[1] ?? '')
  return section && (label[1] ?? '').split(' ').length <= 4 ? { section, rest: label[2] ?? '' } : undefined
}

function push(found: Map<Section, Line[]>, section: Section, line: Line): void {
  found.set(section, [...(found.get(section) ?? []), line])
}
