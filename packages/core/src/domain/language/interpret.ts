import {
  actAccounts,
  capital,
  conditions,
  exceptions,
  exclusionWords,
  freeVerbs,
  knowledgeSearchForms,
  leftOver,
  plain,
  quoted,
  takesNote,
  type Verb,
  withTitle,
} from '@copydesk/language'
import { act } from './acts.ts'
import { notAll } from './choices.ts'
import { says } from './intent.ts'
import { clarificationAnswer, type Interpretation } from './interpretation.ts'
import { type LanguageRequest, parser, type QueryContext } from './query-context.ts'
import { notExcluded, read, readEach } from './questions.ts'
import { startCampaign, undo } from './unavailable.ts'

/** Everything but what was said before. */
type Setting = Omit<QueryContext, 'earlier'>

/** How many earlier requests are looked at for what "it" stands for. */
const remembered = 6

/**
 * Understands a request by its words alone. The same words give the same answer as long as the work stands the same.
 * @param history what the same person said before, oldest first
 */
export async function interpret(
  setting: Setting,
  words: string,
  history: readonly string[],
): Promise<Interpretation> {
  const scene: QueryContext = { ...setting, earlier: () => earlierReadings(setting, history) }
  const request = parser.readRequest(words, setting.known)
  const continued = await continuation(setting, request, words, history)
  return continued ?? withCorrections(request, await understand(scene, request, history))
}

/** A word that was taken for another is told, so that no one is answered something else without knowing. */
function withCorrections({ said }: LanguageRequest, reading: Interpretation): Interpretation {
  const { data } = reading.answer
  if (!data || said.corrections.length === 0) return reading
  const told = said.corrections.map(([word, meant]) => `${quoted(word)} was read as ${quoted(meant)}`)
  const text = plain(`${data.text} (${capital(told.join(', '))}.)`, 4_000)
  return { ...reading, answer: { ...reading.answer, data: { ...data, text } } }
}

async function* earlierReadings(setting: Setting, history: readonly string[]): AsyncIterable<Interpretation> {
  const last = Math.max(0, history.length - remembered)
  for (let at = history.length - 1; at >= last; at -= 1) {
    const line = withoutManner(plain(history[at] ?? ''))
    if (line !== '') yield await interpret(setting, line, history.slice(Math.max(0, at - 2), at).slice(-1))
  }
}

/** A command is looked at for what it names: its words are read like any others, without those that say how. */
function withoutManner(line: string): string {
  if (!line.startsWith('/')) return line
  return line
    .slice(1)
    .replace(
      /\s--(?:note|reason|risk|until|from|to|by|hash|option|title|older)\s+(?:"(?:[^"\\]|\\.)*"|\S+)/g,
      '',
    )
    .replace(/(?<=\s)--\w+/g, '')
}

/** Takes words that ask for nothing by themselves as the answer to a question that was asked back. */
async function continuation(
  setting: Setting,
  { said }: Pick<LanguageRequest, 'said'>,
  words: string,
  history: readonly string[],
): Promise<Interpretation | undefined> {
  const last = plain(history.at(-1) ?? '')
  const ellipsis = await sameOf(setting, { said }, words, history)
  if (ellipsis) return ellipsis
  const isTask = said.acts.length === 0 || (said.acts[0] === 'run' && said.afterNames === 0)
  if (!isTask || last === '' || last.startsWith('/') || isQuestion(said.text, words)) return undefined
  const before = await interpret(setting, last, history.slice(0, -1).slice(-1))
  const answer = plain(words)
  if (before.missing && abandoned.test(answer))
    return clarificationAnswer('Nothing is done. What is to be done?')
  if (before.missing === 'prompt') return interpret(setting, `${last}: ${answer}`, history.slice(0, -1))
  if (said.acts.length > 0) return undefined
  if (before.missing === 'note') return interpret(setting, `${last} because ${answer}`, history.slice(0, -1))
  if (before.missing === 'until') return interpret(setting, `${last} ${answer}`, history.slice(0, -1))
  const options = before.answer.clarification?.options
  const choice = options && chosen(options, said.text, answer)
  return choice === undefined ? undefined : interpret(setting, choice, [])
}

const abandoned =
  /^(?:(?:no|ok|okay|oh)[ ,]*)?(?:never ?mind|nvm|forget (?:it|that|about it)|no(?: thanks| thank you)?|nothing|stop|cancel(?: that| it)?|leave it|skip it|not now)[.!]*$/i

/** "And Hearth?" asks for the same of another tenant. */
async function sameOf(
  setting: Setting,
  { said }: Pick<LanguageRequest, 'said'>,
  words: string,
  history: readonly string[],
): Promise<Interpretation | undefined> {
  const last = plain(history.at(-1) ?? '')
  const isSame = /^(?:and|what about|how about|(?:the )?same for|same|now)\b/i.test(plain(words))
  if (!isSame || last === '' || last.startsWith('/') || said.tenants.length === 0) return undefined
  if (!/^(?:what about |how about |(?:the )?same )?(?:for |of |at )?(?:the )?@tenant$/.test(said.text))
    return undefined
  const before = parser.readRequest(last, setting.known)
  const { tenants, besides } = said
  const scene: QueryContext = { ...setting, earlier: () => earlierReadings(setting, history.slice(0, -1)) }
  return understand(scene, { ...before, said: { ...before.said, tenants, besides } }, history.slice(0, -1))
}

const isQuestion = (text: string, words: string) =>
  /\?\s*$/.test(words) ||
  /^(?:what|which|who|how|why|when|where|show|list|status|help|is|are|do|does|did|has|have)\b/.test(text)

/** One of several options, by its number, its place or words that only it has. */
function chosen(options: readonly string[], text: string, answer: string): string | undefined {
  const number = /^(?:number |the |option )?(\d)$/.exec(text)?.[1]
  const place = ['first', 'second', 'third', 'fourth', 'fifth'].findIndex((word) =>
    new RegExp(`^(?:the )?${word}(?: one)?$`).test(text),
  )
  if (number !== undefined || place !== -1) return options[number === undefined ? place : Number(number) - 1]
  const fitting = options.filter((option) => option.toLowerCase().includes(answer.toLowerCase()))
  return answer.length > 2 && fitting.length === 1 ? fitting[0] : undefined
}

async function understand(
  scene: QueryContext,
  given: LanguageRequest,
  history: readonly string[],
): Promise<Interpretation> {
  const { said } = given
  const [verb, ...more] = said.acts
  const isFree = verb !== undefined && freeVerbs.has(verb)
  if (said.negated)
    return clarificationAnswer('You say what is not to be done, and nothing is. What is to be done?', [], {
      unsure: true,
    })
  if (more.length > 0) return oneAtATime(said.raw)
  if (!isFree && (exceptions.test(said.text) || (verb !== undefined && conditions.test(said.text))))
    return notExcluded()
  if (verb === 'campaign') return startCampaign()
  const request = verb === undefined || isFree ? given : withTitle(given, leftOver(given, actAccounts(verb)))
  if (said.besides.length > 0) {
    // What is compared is read side by side.
    const isRead = (verb === undefined && !says(...knowledgeSearchForms)(given)) || verb === 'compare'
    return isRead ? readEach(scene, given) : oneTenantAtATime(request)
  }
  if (verb === undefined) return read(scene, given)
  const unclear = unclearIn(request, verb)
  if (unclear) return unclear
  return verb === 'undo' ? undo(scene, request, history) : act(scene, request, verb)
}

/** What of a request no act of this kind can take into account. */
function unclearIn(request: LanguageRequest, verb: Verb): Interpretation | undefined {
  const { said, slots, note } = request
  if (freeVerbs.has(verb)) return undefined
  if (slots.title.some((word) => exclusionWords.has(word))) return notExcluded()
  if (note !== undefined && !takesNote(verb)) return notAll([note])
  if (isListOfQuotes(said.raw)) return oneAtATime(said.raw)
  // One names what is meant, the other is a message.
  const most = (said.ids.length > 0 ? 0 : 1) + (note === undefined && takesNote(verb) ? 1 : 0)
  return said.quotes.length > most ? notAll(said.quotes.slice(most)) : undefined
}

const isListOfQuotes = (raw: string) => /["”»]\s*(?:,|;|&|\+|\band\b|\bor\b)\s*["“„«]/i.test(raw)

function oneAtATime(raw: string): Interpretation {
  const parts = raw
    .split(/\s*(?:,|;|\.)?\s+(?:and then|and|then|but)\s+/i)
    .map((part) => part.trim())
    .filter((part) => part.length > 2)
  return clarificationAnswer('One thing at a time: what comes first?', parts.length > 1 ? parts : [])
}

/** A command is confirmed for one tenant, so that no one agrees to more than is shown. */
function oneTenantAtATime({ said, note }: LanguageRequest): Interpretation {
  const { raw, tenants, besides, acts, tenantsAt } = said
  const reason = note === undefined ? '' : acts[0] === 'run' ? `: ${note}` : ` because ${note}`
  const options = [...tenants, ...besides].map(
    ({ id, name }) =>
      `${raw.slice(0, tenantsAt.start)}tenant ${id} (${quoted(name)})${raw.slice(tenantsAt.end)}${reason}`,
  )
  return clarificationAnswer('One tenant at a time: which one comes first?', options)
}
