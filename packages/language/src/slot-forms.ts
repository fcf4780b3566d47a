import type { SlotName } from './claims.ts'
import { lengthOfTime, numberWord } from './lengths.ts'

/** How work stands, as people ask for it. */
export type AskedStatus = 'pending' | 'running' | 'blocked' | 'failed' | 'done'

export const olderForm = new RegExp(
  `\\b(?:(?:older than|over|more than|longer than|for more than|for over|for longer than|at least|above|since more than) ${lengthOfTime}(?: old| ago)?|${lengthOfTime} old)\\b`,
)

const levelWords = { high: 'high', highest: 'high', medium: 'medium', low: 'low', lowest: 'low' } as const

/** How risky something is, as people ask for it. */
export type AskedRisk = (typeof levelWords)[keyof typeof levelWords]

/** The levels of risk by the words that name them. */
export const riskLevelOf: ReadonlyMap<string, AskedRisk> = new Map(Object.entries(levelWords))

/** Forms of a risk: each names its levels, or says them itself. */
export const riskForms: ReadonlyArray<readonly [RegExp, (readonly AskedRisk[])?]> = [
  [
    /\b(high|highest|medium|low|lowest)(?:(?: and| or)? (high|medium|low))? risks?\b|\brisk (?:level )?(?:is )?(high|medium|low)\b/,
  ],
  [/\b(?:risky|riskiest|dangerous|critical)\b/, ['high']],
  [/\bharmless\b/, ['low']],
]

const lapse = 'expir(?:es?|ing)|laps(?:es?|ing)'
/** Until when something lapses: minutes, -1 for today, or the length that the form matches. */
export const expiryForms: ReadonlyArray<readonly [RegExp, number?]> = [
  [new RegExp(`\\b(?:${lapse}|due) (?:with)?in (?:the )?(?:next )?${lengthOfTime}\\b`)],
  [new RegExp(`\\b(?:(?:about to )?(?:${lapse}|due)) (?:today|tonight|by tonight)\\b`), -1],
  [new RegExp(`\\b(?:${lapse}|due) (?:by )?tomorrow\\b`), 2_880],
  [new RegExp(`\\b(?:${lapse}) this week\\b`), 10_080],
  [new RegExp(`\\b(?:${lapse}|about to (?:expire|lapse))(?: soon| next)?\\b`), 1_440],
]

export const overdueForm =
  /\b(?:overdue|past due|past (?:its|their|the) due (?:time|date)|too late|(?:running |is |are )?late)\b/

/** Agents and work that people have held back. */
export const pausedForm = /\b(?:paused|on hold)\b/

/** What was decided in the past; the participle or, after "did", the verb itself. */
const verdictWords = [
  [
    'revision_requested',
    'sent back|revised',
    'send (?<gap>.{1,60}? )?back|ask for (?:changes|a revision|revisions)|revise',
  ],
  [
    'approved',
    'approved|accepted|signed off(?: on)?|green ?lit|greenlighted',
    'approve|accept|sign off(?: on)?',
  ],
  ['rejected', 'rejected|declined|turned down|refused|vetoed', 'reject|decline|turn down|refuse|veto'],
  ['any', 'decided(?: on)?|resolved|reviewed', 'decide(?: on)?|resolve|review'],
] as const satisfies ReadonlyArray<readonly [string, string, string]>

/** What was decided, as people ask for it; `any` is whatever it was. */
export type AskedVerdict = (typeof verdictWords)[number][0]

export const verdictForms: ReadonlyArray<readonly [AskedVerdict, RegExp]> = verdictWords.flatMap(
  ([verdict, past, base]) =>
    [
      [verdict, new RegExp(`\\b(?:${past})\\b`)],
      [verdict, new RegExp(`(?<=\\b(?:did|didn't)\\b.{0,80}) (?:${base})\\b`)],
    ] as const,
)

export const stateForms: ReadonlyArray<readonly [AskedStatus, RegExp]> = [
  ['failed', /\b(?:fail(?:s|ed|ing|ures?)?|broken|broke|went wrong|gone wrong|crash(?:ed|es)?|errored)\b/],
  ['blocked', /\b(?:block(?:ed|s|ers?)?|stuck|stand(?:s|ing)? still)\b/],
  [
    'running',
    /\b(?:running|at work|being (?:written|made|worked on|done)|in progress|under way|underway|working)\b/,
  ],
  ['done', /\b(?:(?:got |get )?(?:done|finished|completed)|got made|finish|complete)\b/],
  [
    'pending',
    /\b(?:wait(?:s|ing)?|awaiting|pending|outstanding|undecided|open (?:approvals?|questions?|decisions?)|approvals?|(?:i|we) (?:still )?(?:(?:can|could|may|must|should|have to|need to) )?(?:approve|review|decide on)|(?:can|could|may|must|should) (?:i|we) (?:approve|review|decide on)|(?:to|for) (?:approve|review|approval|decide|sign off)|needs? (?:an? |my |our |your )?(?:approval|review|reviewing|verdict|decision)|verdicts?|decisions?)\b/,
  ],
]
/** Words of what is decided that speak of what is still to be decided. */
export const undecidedForm =
  /\b(?:(?:needs?|have|has|wait(?:s|ing)?|ready|still) )*to be (?:approved|reviewed|decided(?: on)?|signed off)\b/

const noun = '(?: one| post| item| piece| approval| question| text| article)'
const nouns = '(?: ones| posts| items| pieces| approvals| questions| texts| articles| things)'

const oldest =
  '(?:oldest|longest|waiting (?:for )?(?:the )?longest|waited (?:for )?(?:the )?longest|earliest)'
export const orderForms: ReadonlyArray<readonly ['oldest' | 'newest', RegExp]> = [
  ['oldest', new RegExp(`\\b(?:the )?(?:very )?${oldest}\\b(?! \\d)`)],
  ['newest', /\b(?:the )?(?:very )?(?:newest|latest|most recent)\b(?! \d)/],
]

const place = (words: string, number: string) =>
  new RegExp(
    `\\bthe (?:${words})${noun}?\\b(?! \\d)|\\b(?:${words})${noun}\\b|^ *#\\w+ (?:${words}) *$|\\bnumber (?:${number})\\b`,
  )
export const placeForms: ReadonlyArray<readonly [RegExp, number]> = [
  [place('first|1st|top', '1|one'), 0],
  [place('second|2nd', '2|two'), 1],
  [place('third|3rd', '3|three'), 2],
  [place('fourth|4th', '4|four'), 3],
  [place('fifth|5th', '5|five'), 4],
  [new RegExp(`\\bthe last${noun}\\b`), -1],
]
export const limitForm = new RegExp(`\\b(?:the )?(?:top|first) ${numberWord}(?=$| |${nouns})`)

/** One thing that was spoken of; not the "that" of a clause, nor the "this" of a time. */
export const pronounForm =
  /\b(?:its?|that one|this one)\b|\bthis\b(?! (?:month|week|year|morning|afternoon|evening|time|tenant|client))|\bthat\b(?! (?:needs?|waits?|wait|is|are|was|were|has|have|had|must|can|could|should|will|expires?|expired|fail|failed|fails|run|runs|stand|stands|cost|costs|got|do|does|did|i|we|you|they|the|a|an|@)\b)/
export const pluralForm =
  /\b(?:these|those(?! (?:that|which|of|with|for|at|from)\b)|them)\b|(?<=^#\w+ )both\b(?= of (?:these|those|them)$|$)/
export const clausePluralForm = /\bthose(?= (?:that|which|of|with|for|at|from)\b)/

/** Words that only have to be claimed: what they say is read from the text, or is nothing but that many are meant. */
export const plainForms: ReadonlyArray<readonly [SlotName, RegExp]> = [
  ['count', /\b(?:how many|number of|count(?: of)?)\b/],
  ['tenant', /\b(?:(?:tenants?|clients?|customers?|accounts?) ?)+(?= @tenant)/],
  ['tenant', /(?<=@tenant )(?:tenant|client|customer|account)\b/],
  ['role', /\bagents?(?= @role)|(?<=@role )agents?\b/],
  ['past', /\b(?:did|was|were|had)\b/],
  ['quantity', /\b(?:all|any|anything|every|everything|each|whole|entire|whatever|whichever)\b/],
  [
    'noun',
    /\b(?:things?|stuff|items?|pieces?|posts?|ones?|work|tasks?|texts?|jobs?|content|queue|questions?|requests?|reviews?|activit(?:y|ies)|blocked ones)\b/,
  ],
]
