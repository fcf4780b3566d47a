import { type Block, heading, para } from './blocks.ts'
import type { Material } from './material.ts'
import { capitalised, contains, fitting, phrase, productSentences, replaced } from './wording.ts'

/** The limits of search advertisements, in characters. */
const HEADLINE_LIMIT = 30
const DESCRIPTION_LIMIT = 90

/**
 * Texts for search advertisements. Only whole phrases of the brief are used: those that do not fit are
 * omitted, not cut.
 */
export function adCopy(m: Material): Block[] {
  const most =
    m.wishes.length < 0
      ? { heads: 3, texts: 2 }
      : m.wishes.length > 0
        ? { heads: 15, texts: 4 }
        : { heads: 8, texts: 4 }
  const headlines = distinct(headlineIdeas(m), m, HEADLINE_LIMIT).slice(0, most.heads)
  const texts = distinct(descriptionIdeas(m), m, DESCRIPTION_LIMIT).slice(0, most.texts)
  if (headlines.length < 3)
    m.needs.push(`short phrases for headlines (${HEADLINE_LIMIT} characters; at least 3 are needed)`)
  if (texts.length < 2)
    m.needs.push(`short sentences for descriptions (${DESCRIPTION_LIMIT} characters; at least 2 are needed)`)
  const counted = (text: string) => `${text} (${text.length})`
  return [
    heading(1, `Advertisement texts: ${m.products[0]?.name ?? m.company ?? m.brief.campaign}`),
    para(
      [
        `Lengths are in brackets. Headlines have at most ${HEADLINE_LIMIT} characters, descriptions at most ${DESCRIPTION_LIMIT}.`,
      ],
      1,
    ),
    heading(2, 'Headlines'),
    { items: headlines.map(counted), marks: 'numbers', weight: 0 },
    heading(2, 'Descriptions'),
    { items: texts.map(counted), marks: 'numbers', weight: 0 },
  ]
}

function headlineIdeas(m: Material): (string | undefined)[] {
  const action = m.action && shortAction(m.action)
  const facts = m.products.flatMap((product) => product.facts.map((fact) => fitting(fact, HEADLINE_LIMIT)))
  return [
    m.wishes.headline,
    ...(m.wishes.lead && m.lead
      ? [fitting(m.lead, HEADLINE_LIMIT), fitting(m.wishes.lead, HEADLINE_LIMIT)]
      : []),
    ...m.wishes.mentions.map((wish) => fitting(wish, HEADLINE_LIMIT)),
    ...(m.wishes.action ? [action] : []),
    ...m.products.map((product) => product.name),
    action,
    ...[m.lead, ...m.messages].map((text) => text && fitting(text, HEADLINE_LIMIT)),
    ...facts,
    m.company,
    m.products[0] && m.company && `${m.products[0].name} by ${m.company}`,
    m.audience && `For ${m.audience}`,
  ]
}

function descriptionIdeas(m: Material): (string | undefined)[] {
  const action = m.action ?? ''
  const short = m.action && `${shortAction(m.action)}.`
  const told = [...m.extras, m.lead, ...m.messages].filter((each): each is string => Boolean(each))
  const joins = told.map((text) =>
    [`${text} ${action}`.trim(), short && `${text} ${short}`, text].find(
      (each) => each && each.length <= DESCRIPTION_LIMIT,
    ),
  )
  const fitted = told.map((text) => {
    const part = fitting(text, DESCRIPTION_LIMIT - 1)
    return part && `${part}.`
  })
  return [...joins, ...m.products.flatMap(productSentences), ...fitted, m.action]
}

/** The part of a call to action that says what to do, without where. */
function shortAction(action: string): string {
  return phrase(action).replace(/\s+(?:at|on|from|via|in|through|by)\s+\S.*$/i, '')
}

/** Those that fit, each once, and no description that only appends the call to action to another one. */
function distinct(ideas: readonly (string | undefined)[], m: Material, limit: number): string[] {
  const chosen: string[] = []
  for (const idea of ideas) {
    if (!idea) continue
    const text = capitalised(
      m.wishes.replacements.reduce((told, { from, to }) => replaced(told, from, to), idea.trim()),
    )
    if (text.length > limit || m.banned.some((wording) => contains(text, wording))) continue
    const known = chosen.some(
      (each) =>
        each.toLowerCase() === text.toLowerCase() || (limit > HEADLINE_LIMIT && each.startsWith(text)),
    )
    const extended = limit > HEADLINE_LIMIT && chosen.some((each) => text.startsWith(each.slice(0, -1)))
    if (!known && !extended) chosen.push(text)
  }
  return chosen
}
