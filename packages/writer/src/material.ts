import type { BriefProduct, StructuredBrief } from './brief.ts'
import { spokenOut, type Wishes, wishesOf } from './feedback.ts'
import { withoutNotes } from './notes.ts'
import { parseBrief } from './parse.ts'
import { type Phrasebook, phrasebooks, type Register, registerOf } from './voices.ts'
import {
  capitalised,
  contains,
  coverage,
  factSentences,
  fitting,
  midSentence,
  phrase,
  sentence,
  sentencesOf,
} from './wording.ts'

/** A brief prepared for composing: gaps known, notes applied, sentences complete, banned wording removed. */
export interface Material {
  brief: StructuredBrief
  wishes: Wishes
  register: Register
  says: Phrasebook
  company?: string
  about?: string
  /** The main product of this text first; without the facts that `lead` and `extras` contain. */
  products: readonly BriefProduct[]
  /** In the form for the middle of a sentence. */
  audience?: string
  voice?: string
  goal?: string
  /** The opening sentence. */
  lead?: string
  /** The other messages, as sentences. */
  messages: readonly string[]
  /** Sentences that reviewers requested. */
  extras: readonly string[]
  action?: string
  /** Possible headlines, the best first. */
  headlines: readonly string[]
  banned: readonly string[]
  /** What is missing, each as the object of "needed". */
  needs: string[]
  /** How notes were applied. */
  changes: string[]
  /** Notes that could not be applied, in the reviewer's words. */
  open: string[]
  /** Complete sentences for the editor's note. */
  remarks: string[]
}

/** More words than these are an instruction, not a topic; they are not printed. */
const LONGEST_TOPIC = 90

/** Everything that a text can be composed of. Fields of the brief take precedence over its Markdown. */
export function materialOf(given: StructuredBrief): Material {
  const { topic: wanted, ...others } = given
  const topic = wanted && fitting(wanted, LONGEST_TOPIC)
  const brief: StructuredBrief = { ...others, ...(topic && { topic }) }
  // A brief that the writer has composed says at its end what it lacks.
  const parsed = parseBrief(withoutNotes(brief.markdown ?? ''))
  const wishes = wishesOf(brief.feedback ?? [])
  const changes = [...wishes.understood]
  const needs: string[] = []
  const open: string[] = []
  const banned = [...(brief.bannedPhrases ?? parsed.bannedPhrases ?? []), ...wishes.bans]
    .map(phrase)
    .filter(Boolean)
  if (wishes.bans.length > 0) changes.push('left out the wording that was to go')
  const clean = (text: string | undefined) =>
    sentencesOf(text ?? '')
      .filter((each) => !banned.some((wording) => contains(each, wording)))
      .join(' ') || undefined

  const voice = brief.voice ?? parsed.voice
  const register = registerOf(voice, wishes.formality)
  const says = phrasebooks[register]
  const company = brief.company ?? parsed.company
  const about = clean(brief.about ?? parsed.about)
  const turn = brief.variant ?? 0
  const offered = rotated(brief.products ?? parsed.products ?? [], turn).map((product) => ({
    name: phrase(product.name),
    facts: product.facts.map(phrase).filter((fact) => fact && clean(fact) === fact),
  }))
  const all = rotated(brief.keyMessages ?? parsed.keyMessages ?? [], turn)
    .flatMap((each) => clean(each) ?? [])
    .map(sentence)
  const action = clean(wishes.action?.text ?? brief.callToAction ?? parsed.callToAction)

  const facts = offered.flatMap(factSentences)
  /** The sentence of the brief that matches a request best, or undefined when none matches well enough. */
  const find = (wish: string, enough: number) => {
    const told = [...all, ...(about ? sentencesOf(about) : [])].map((text) => ({ fact: text, text }))
    const best = [...told, ...facts]
      // Of sentences that mention the product equally, the one whose fact fits.
      .map(({ fact, text }) => ({ text, met: coverage(wish, text), own: coverage(wish, fact) }))
      .sort((a, b) => b.met - a.met || b.own - a.own)[0]
    return best && best.met >= enough ? best.text : undefined
  }
  const extras: string[] = []
  let lead = all[0] ?? facts[0]?.text
  if (wishes.lead) {
    const spoken = spokenOut(wishes.lead)
    const chosen = find(wishes.lead, 0.5) ?? (spoken && sentence(spoken))
    if (chosen) {
      lead = chosen
      changes.push(`now leads with “${wishes.lead}”`)
      const product = offered.findIndex((each) => contains(chosen, each.name))
      if (product > 0) offered.unshift(...offered.splice(product, 1))
    } else wishes.mentions.unshift(wishes.lead)
  }
  for (const wish of wishes.mentions) {
    const told = find(wish, 0.6)
    const spoken = spokenOut(wish)
    if (told) extras.push(told)
    else if (spoken) extras.push(sentence(spoken))
    else {
      extras.push(says.askAbout(midSentence(wish, brief.markdown ?? '')))
      needs.push(`facts about “${wish}”, of which the brief says nothing`)
    }
    changes.push(`mentions “${wish.replace(/^that /i, '')}”`)
  }
  for (const note of wishes.rest) {
    const told = find(note, 0.5)
    if (told) {
      extras.push(told)
      changes.push(`took up from the brief what fits “${note}”`)
    } else open.push(note)
  }

  const audience = audienceOf(brief.audience ?? parsed.audience, brief.markdown ?? '')
  if (offered.length === 0) needs.push('the product or service that this is about')
  for (const product of offered) if (product.facts.length === 0) needs.push(`facts about ${product.name}`)
  if (!audience) needs.push('the audience')
  if (all.length === 0) needs.push('key messages')
  if (!action) needs.push('a call to action')
  if (!voice) needs.push('a voice (plain English was used)')

  // The opening is not repeated among the facts of its product.
  const said = new Set([lead, ...extras])
  const spent = new Set(facts.filter(({ text }) => said.has(text)).map(({ fact }) => fact))
  const products = offered.map((each) => ({ ...each, facts: each.facts.filter((fact) => !spent.has(fact)) }))

  const extra = [...new Set(extras)].filter((each) => each !== lead)
  const goal = brief.goal ?? parsed.goal
  return {
    brief,
    wishes,
    register,
    says,
    products,
    messages: all.filter((each) => each !== lead && !extra.includes(each)),
    extras: extra,
    headlines: headlinesOf({ brief, wishes, lead, products, audience, company, register }).filter((each) =>
      clean(each),
    ),
    banned,
    needs,
    changes: [...new Set(changes)],
    open,
    remarks:
      wishes.length > 0 ? ['More facts are needed for a piece that is longer without repeating itself.'] : [],
    ...(company && { company }),
    ...(about && { about: sentence(about) }),
    ...(audience && { audience }),
    ...(voice && { voice }),
    ...(goal && { goal }),
    ...(lead && { lead }),
    ...(action && { action: orderOf(action) }),
  }
}

function headlinesOf(from: {
  brief: StructuredBrief
  wishes: Wishes
  lead: string | undefined
  products: readonly BriefProduct[]
  audience: string | undefined
  company: string | undefined
  register: Register
}): string[] {
  const { brief, wishes, lead, products, audience, company } = from
  const product = products[0]?.name
  const fits = audience && product && `${product} for ${audience}`.length <= 80
  const told = [
    brief.topic && capitalised(brief.topic),
    lead && fitting(lead, 70),
    product &&
      {
        friendly: `Get to know ${product}`,
        plain: `${product}: what to know`,
        formal: `${product}: an overview`,
      }[from.register],
    fits && `${product} for ${audience}`,
    product && company && `${product} from ${company}`,
    product ?? company ?? brief.campaign,
  ].filter((each): each is string => Boolean(each))
  const choice = [...new Set(told)]
  return [...(wishes.headline ? [wishes.headline] : []), ...rotated(choice, wishes.otherHeadlines)]
}

/** A full stop after a URL would become part of it when it is copied. */
function orderOf(action: string): string {
  return /\S\.\p{L}{2,}(\/\S*)?$/u.test(phrase(action)) ? sentence(action).slice(0, -1) : sentence(action)
}

function audienceOf(text: string | undefined, known: string): string | undefined {
  const first = phrase(sentencesOf(text ?? '')[0] ?? '').replace(
    /^(?:our (?:main |primary |target )?(?:audience|customers|readers|buyers) (?:is|are)|(?:we|this) (?:target|speaks? to|sells? to|writes? for|is for)|aimed at|targeting|for)\s+/i,
    '',
  )
  // "They want a quick breakfast" does not name the audience.
  return first && !/^(they|it|we|you|this)\b/i.test(first) ? midSentence(first, known) : undefined
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const start = items.length > 0 ? Math.abs(Math.trunc(by)) % items.length : 0
  return [...items.slice(start), ...items.slice(0, start)]
}
