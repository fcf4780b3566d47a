import { excludes, leftOver, plain, quoted, withTitle } from '@copydesk/language'
import { ambiguousTenant, unknownName } from './choices.ts'
import { daysOf } from './days.ts'
import { hasTarget, type Intent } from './intent.ts'
import { intents } from './intents.ts'
import { clarificationAnswer, factAnswer, type Interpretation } from './interpretation.ts'
import { anything } from './piece-intents.ts'
import { type LanguageRequest, parser, type QueryContext } from './query-context.ts'

/** An intent that a request may have, and the places of the words that it does not account for. */
interface Candidate {
  intent: Intent
  left: readonly number[]
}

const candidatesOf = (request: LanguageRequest): Candidate[] =>
  intents
    .filter((intent) => intent.isMeant(request))
    .map((intent) => ({ intent, left: leftOver(request, intent.accounts) }))

/** The first intent that takes every word of a request into account. */
const wholeOf = (candidates: readonly Candidate[], request: LanguageRequest) =>
  candidates.find(({ intent, left }) => left.length === 0 && (intent.names !== 'piece' || hasTarget(request)))
    ?.intent

/**
 * Answers what is only asked. An intent answers where it accounts for every word, or where those that it leaves over are the
 * title of one piece, or the name of a person; whatever else is left over is asked back, and never dropped.
 */
export async function read(scene: QueryContext, request: LanguageRequest): Promise<Interpretation> {
  const vague = ambiguousTenant(request, { verb: wordsWithout(request, /[@#]\w+/) || 'status' })
  if (vague && request.said.ids.length + request.said.quotes.length === 0) return vague
  const candidates = candidatesOf(request)
  const whole = wholeOf(candidates, request)
  if (whole) return answered(scene, whole, request)
  const able = ableToName(request, candidates)
  const reading = able && (await answered(scene, able.intent, withTitle(request, able.left)))
  if (reading?.answer.type === 'data') return reading
  return notCovered(scene, request, candidates, reading && { reading, intent: able.intent })
}

async function answered(
  scene: QueryContext,
  intent: Intent,
  request: LanguageRequest,
): Promise<Interpretation> {
  if (!intent.accounts.slots.includes('span')) return intent.answer(scene, request)
  const days = await daysOf(scene, request)
  if (days && 'answer' in days) return days
  return intent.answer(scene, { ...request, ...(days && { days }) })
}

/** The first intent that speaks of something by its name, and may take the words that are left over for one. */
function ableToName(request: LanguageRequest, candidates: readonly Candidate[]): Candidate | undefined {
  const able = candidates.find(({ intent, left }) => intent.names !== undefined && left.length > 0)
  return able && !excludes(request, able.left) ? able : undefined
}

/** @param named what came of taking the words that are left over for a name */
function notCovered(
  scene: QueryContext,
  request: LanguageRequest,
  candidates: readonly Candidate[],
  named: { reading: Interpretation; intent: Intent } | undefined,
): Interpretation {
  const best = candidates
    .filter(({ intent }) => intent !== anything)
    .toSorted((a, b) => a.left.length - b.left.length)[0]
  const left = best?.left ?? wordsOf(request)
  const parts = partsOf(scene, request)
  if (parts.length > 1)
    return clarificationAnswer('One thing at a time: what comes first?', parts, { unsure: true })
  if (excludes(request, left)) return notExcluded()
  if (named && named.intent !== anything) return named.reading
  // Pieces that have some of the words in their titles.
  const near = (named?.reading.answer.clarification?.options ?? []).filter((one) => /^show [0-7]/.test(one))
  const { unknownName: name } = withTitle(request, left).slots
  if (name !== undefined && near.length === 0)
    return unknownName(scene, name, wordsWithout(request, nameForm(name)) || 'status')
  const words = left.map((at) => request.slots.claims.words[at] ?? '')
  if (best?.intent.lacks) return best.intent.lacks(words)
  if (named && !best && (near.length > 0 || looking.test(request.said.text))) return named.reading
  const said = words.length > 0 ? `: ${quoted(words.join(' '))}` : ''
  return clarificationAnswer(
    best
      ? `Not all of it was understood${said}. Say it in other words, or take one of these.`
      : `That was not understood${said}. Ask in other words, or take one of these.`,
    [
      ...near,
      ...(best ? withoutWords(scene, request, left) : []),
      'what waits for me',
      'status',
      'what failed',
      'help',
    ],
    { unsure: true },
  )
}

const looking =
  /^(?:show|see|view|display|read|find|search|look|what about|what is|how is|where is|is|has|tell me)\b/

export function notExcluded(): Interpretation {
  return clarificationAnswer('Exceptions and conditions are not understood. Say which ones are meant.', [], {
    unsure: true,
  })
}

/** Every word that has content. */
const wordsOf = (request: LanguageRequest) => leftOver(request, { slots: [], shows: true })

const nameForm = (name: string) =>
  new RegExp(
    `\\b(?:for|of|at|from|tenant|client|customer) (?:the )?${name.replaceAll(/[^\p{L}\p{N} ']/gu, '.')}`,
    'u',
  )

/** The words of a request without what a form matches and without marks, for another name to be added. */
function wordsWithout({ said }: LanguageRequest, form: RegExp): string {
  return said.text
    .replace(form, '')
    .replaceAll(/[@#]\w+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Requests that are joined in one, where each is understood by itself. */
function partsOf(scene: QueryContext, { said }: LanguageRequest): string[] {
  const parts = said.raw
    .split(/\s*(?:,|;|\.|\?)?\s+(?:and then|and also|and|then|but|or)\s+|[;.?]\s+/i)
    .map((part) => part.trim())
    .filter((part) => part.length > 2)
  return parts.length > 1 && parts.length < 5 && parts.every((part) => isUnderstood(scene, part)) ? parts : []
}

/** Whether a text is a request of which every word is accounted for. */
function isUnderstood(scene: QueryContext, text: string): boolean {
  const request = parser.readWhole(text, scene.known)
  if (request.said.acts.length > 0) return request.said.acts.length === 1 && !request.said.negated
  return wholeOf(candidatesOf(request), request) !== undefined
}

const prepositions = /^(?:for|of|at|from|in|on|to|with|by|about|into|the|a|an)$/

/** The request without the words that were not understood, where that is one. */
function withoutWords(
  scene: QueryContext,
  { said, slots }: LanguageRequest,
  left: readonly number[],
): string[] {
  const { words } = slots.claims
  if (left.length === 0 || left.some((at) => /^[@#]/.test(words[at] ?? ''))) return []
  const isLeft = new Set(left)
  // A preposition goes with what it leads to.
  const isDropped = (at: number): boolean =>
    isLeft.has(at) || (prepositions.test(words[at] ?? '') && words[at + 1] !== undefined && isDropped(at + 1))
  const kept = words.filter((_, at) => !isDropped(at)).join(' ')
  const [tenant] = said.tenants
  const text = plain(
    kept
      .replaceAll('@tenant', tenant ? `tenant ${tenant.id} (${quoted(tenant.name)})` : '')
      .replaceAll('@role', said.roles.length === 1 ? (said.roles[0] ?? '').replaceAll('_', ' ') : 'writer')
      .replaceAll(/@id|@quote/g, ''),
  )
  return said.ids.length + said.quotes.length === 0 && isUnderstood(scene, text) ? [text] : []
}

/** Answers for each of several tenants what is asked about them: sentence by sentence, with one table below. */
export async function readEach(
  scene: QueryContext,
  { said, slots }: LanguageRequest,
): Promise<Interpretation> {
  const { tenants, besides } = said
  if (tenants.length > 1) return read(scene, { said, slots })
  const texts: string[] = []
  const rows: string[][] = []
  const ids: string[] = []
  let titles: readonly string[] = []
  for (const tenant of [...tenants, ...besides]) {
    const reading = await read(scene, { said: { ...said, tenants: [tenant], besides: [] }, slots })
    const { data } = reading.answer
    // What is unclear about one of them is unclear about all.
    if (!data) return reading
    texts.push(data.text)
    ids.push(...reading.ids)
    const [head, ...lines] = data.table ?? []
    if (!head) continue
    const isNamed = head.includes('Tenant')
    titles = isNamed ? head : ['Tenant', ...head]
    rows.push(...lines.map((line) => (isNamed ? line : [tenant.name, ...line])))
  }
  return factAnswer(texts.join(' '), { titles, rows }, { ids })
}
