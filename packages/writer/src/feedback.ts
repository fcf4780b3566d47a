import { isClause, phrase, plain, sentencesOf } from './wording.ts'

/** The interpreted notes of reviewers. Later notes take precedence over earlier ones. */
export interface Wishes {
  /** Steps of length: below 0 shorter, above 0 longer. */
  length: number
  /** Steps towards formal (positive) or friendly (negative). */
  formality: number
  lead?: string
  mentions: string[]
  bans: string[]
  replacements: { from: string; to: string }[]
  /** `text` is a new call to action; without it, the one of the brief is emphasized. */
  action?: { text?: string }
  headline?: string
  /** How often another headline was requested. */
  otherHeadlines: number
  noHashtags: boolean
  /** Applied changes, for the editor's note. */
  understood: string[]
  /** Notes that match no rule. */
  rest: string[]
}

const ACTION = String.raw`(?:call[- ]to[- ]action|\bCTA\b)`
const HEADLINE = String.raw`(?:headline|title|subject(?: line)?)`

/**
 * Reads reviewers' notes.
 * @param notes the latest first
 */
export function wishesOf(notes: readonly string[]): Wishes {
  const wishes: Wishes = {
    length: 0,
    formality: 0,
    mentions: [],
    bans: [],
    replacements: [],
    otherHeadlines: 0,
    noHashtags: false,
    understood: [],
    rest: [],
  }
  for (const note of notes.toReversed()) {
    for (const part of partsOf(note)) {
      const taste = readTaste(part, wishes)
      if (!readOrder(part, wishes, taste) && !taste) wishes.rest.push(phrase(part))
    }
  }
  wishes.length = Math.max(-2, Math.min(2, wishes.length))
  wishes.understood = [...new Set(wishes.understood)]
  return wishes
}

const verbs =
  "mention|include|add|lead|start|open|begin|remove|drop|delete|avoid|don[’']?t|do not|never|replace|change|use|say|make|keep|put|cut|shorten|expand|highlight|stress|emphasi[sz]e|focus|take|leave"
const nextOrder = new RegExp(
  `(?:,\\s*(?:and|but|then)?|\\s+(?:and|but|then))\\s+(?=(?:please\\s+|also\\s+)?(?:${verbs})\\b)`,
  'i',
)

function partsOf(note: string): string[] {
  return note
    .split(/\r?\n|;\s+/)
    .flatMap((line) => sentencesOf(plain(line.replace(/^\s*(?:[-*+•]|\d+[.)])\s+/, ''))))
    .flatMap((line) => (/^\W*instead of\b/i.test(line) ? [line] : line.split(nextOrder)))
    .map((part) =>
      part
        .replace(
          /^(?:and|but|also|then|please|could you|can you|can we|we should|you should|i(?:’|')?d like(?: you)? to|let(?:’|')?s)\s+/gi,
          '',
        )
        .trim(),
    )
    .filter((part) => /\p{L}/u.test(part))
}

/** Length and tone: adjectives at any position, also several in a row. */
function readTaste(text: string, wishes: Wishes): boolean {
  const note = (done: string) => wishes.understood.push(done)
  const before = wishes.understood.length
  const much = /\b(much|half|way|a lot|far)\b/i.test(text) ? 2 : 1
  if (
    /\b(shorter|shorten|too (long|wordy)|trim|tighten|condense|more concise|briefer|cut (it|this) down|fewer words|less text)\b/i.test(
      text,
    )
  ) {
    wishes.length -= much
    note('made shorter')
  } else if (
    /\b(longer|too short|expand|lengthen|more (detail|depth|text)s?|flesh(ed)? (it )?out|elaborate|go deeper)\b/i.test(
      text,
    )
  ) {
    wishes.length += much
    note('made longer')
  }
  if (
    /\b(friendlier|more friendly|warmer|more (casual|conversational|relaxed|human|personal|playful|approachable)|less (formal|stiff|corporate|dry)|too (formal|stiff|corporate|dry|cold))\b/i.test(
      text,
    )
  ) {
    wishes.formality -= much
    note('a friendlier tone')
  } else if (
    /\b(more (formal|professional|serious|business-?like)|less (casual|chatty|friendly|playful)|too (casual|chatty|friendly|playful|informal))\b/i.test(
      text,
    )
  ) {
    wishes.formality += much
    note('a more formal tone')
  }
  return wishes.understood.length > before
}

/** Applies one instruction. @returns false when no rule matches */
function readOrder(text: string, wishes: Wishes, taste: boolean): boolean {
  const note = (done: string) => wishes.understood.push(done)
  const match = (pattern: string) => new RegExp(pattern, 'i').exec(text)
  let found: RegExpExecArray | null

  if (match('hashtags?') && match("\\b(no|remove|drop|without|fewer|lose|delete|don[’']?t)\\b")) {
    wishes.noHashtags = true
    note('no hashtags')
    return true
  }
  if (match(HEADLINE)) {
    found =
      match(`(?:put|use|mention|include|get|have)\\s+(.+?)\\s+in(?:to)? the ${HEADLINE}`) ??
      match(`${HEADLINE}\\s*(?:should (?:be|say|read)|needs to be|to(?: be)?|:|=)\\s*:?\\s*(.+)`)
    const wanted = found && target(found[1])
    if (wanted && !/^(more|less|be|stronger|shorter|better)\b/i.test(wanted)) {
      wishes.headline = wanted
      note('the headline that was asked for')
    } else {
      wishes.otherHeadlines += 1
      note('another headline')
    }
    return true
  }
  if (match(ACTION)) {
    found = match(`${ACTION}\\s*(?::|=|should (?:be|say|read)|to|that (?:says|asks))\\s*:?\\s*(.+)`)
    const wanted = found && target(found[1])
    wishes.action = wanted ? { text: wanted } : { ...wishes.action }
    note(wanted ? 'the call to action that was asked for' : 'a stronger call to action')
    return true
  }
  found = match('(?:replace|swap|change)\\s+(.+?)\\s+(?:with|to|for|by|into)\\s+(.+)')
  const instead = match('(?:say|use|write)\\s+(.+?)\\s+instead of\\s+(.+)')
  const other = match('instead of\\s+(.+?),?\\s+(?:say|use|write)\\s+(.+)')
  const [from, to] = found
    ? [found[1], found[2]]
    : instead
      ? [instead[2], instead[1]]
      : [other?.[1], other?.[2]]
  if (from && to) {
    wishes.replacements.push({ from: target(from), to: target(to) })
    note('wording replaced')
    return true
  }
  found =
    match('(?:lead|start|open|begin|kick off)(?: it| off| this)? with\\s+(.+)') ??
    match(
      '(?:put|move|bring)\\s+(.+?)\\s+(?:first|up front|at the (?:top|start|beginning)|to the (?:top|front)|forward)',
    )
  if (found) {
    wishes.lead = target(found[1])
    return true
  }
  if (!match("don[’']?t forget")) {
    found =
      match(
        "^(?:don[’']?t|do not|never|stop|avoid|no longer)\\s+(?:say(?:ing)?|us(?:e|ing)|mention(?:ing)?|writ(?:e|ing)|call(?:ing)? it|includ(?:e|ing)|talk(?:ing)? about)?\\s*(.+)",
      ) ?? match('^(?:remove|drop|delete|take out|leave out|lose|omit|strip|cut|no mention of)\\s+(.+)')
    if (found) {
      const wording = target(found[1])
      if (taste && /^(it|this)\b/i.test(wording)) return true
      if (/^(jargon|clich|exclamation|buzzword|emoji|hype|repetition|repeat)/i.test(wording)) return false
      wishes.bans.push(wording)
      return true
    }
  }
  found = match(
    "(?:mention|include|add|cover|highlight|emphasi[sz]e|stress|bring in|refer to|point out|talk about|speak about|note|say|explain|tell (?:people|readers|them)|don[’']?t forget(?: to mention| to say)?|focus(?: more)? on|more (?:detail |details |depth )?(?:about|on)|expand on|elaborate on|make (?:it )?clear|work in)\\s+(.+)",
  )
  if (!found || /^(it|this)\b/i.test(target(found[1]))) return false
  wishes.mentions.push(target(found[1]))
  return true
}

/** The object of an instruction: without quotes and without the words around it. */
function target(text: string | undefined): string {
  const quoted =
    /["“«]([^"”»]+)["”»]/.exec(text ?? '')?.[1] ??
    /(?:^|\s)[‘']([^’']{3,})[’'](?:\s|[.,!]|$)/.exec(text ?? '')?.[1]
  if (quoted) return phrase(quoted)
  return phrase(
    (text ?? '')
      .replace(
        /^(?:(?:something|more|a (?:line|sentence|word|bit|note|paragraph)|the (?:words?|phrase|term|sentence|part|bit|paragraph|fact)|all mentions?|any mention|mentions?|references?)\s*(?:about|on|of|to|that|with)?\s+)/i,
        '',
      )
      .replace(
        /\s+(?:please|too|as well|somewhere|anymore|any more|again|more|in the (?:text|post|piece|copy|body|intro(?:duction)?|first paragraph)|(?:from|at) the (?:text|post|end|piece|copy))[\s.!]*$/i,
        '',
      ),
  )
}

/** The sentence contained in a request: "that we deliver on Sundays". */
export function spokenOut(wish: string): string | undefined {
  const told = wish.replace(/^that\s+/i, '')
  return told !== wish || isClause(told) ? told : undefined
}
