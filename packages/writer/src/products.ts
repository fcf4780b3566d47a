import type { BriefProduct } from './brief.ts'
import { isClause, joined, midSentence, sentence } from './wording.ts'

/** Each fact as a sentence that can stand alone. */
export function factSentences(product: BriefProduct): { fact: string; text: string }[] {
  return product.facts.map((fact) => ({
    fact,
    text: productSentences({ ...product, facts: [fact] })[0] ?? '',
  }))
}

const does =
  /^(is|are|has|have|helps?|lets?|gives?|makes?|comes?|offers?|includes?|keeps?|saves?|takes?|works?|costs?|ships?|lasts?|uses?|contains?|fits?|runs?|needs?)\b/i
/** A word in -s before one of these is a verb, not a plural: "adjusts to daylight". */
const verbLike = /^\p{L}{3,}[^s\P{L}]s (?:to|the|an?|your|you|itself|its|up|down|out|off|any|every)\b/iu
const done =
  /^(made|baked|built|designed|brewed|roasted|grown|sourced|crafted|available|suitable|ready|packed|handmade|free)\b/i

/**
 * The facts of a product: those that can be sentences become sentences, the others a list in one sentence.
 */
export function productSentences(product: BriefProduct): string[] {
  const many = /[^s]s$/.test(product.name)
  const told: string[] = []
  const rest: string[] = []
  for (const fact of product.facts) {
    const subject = told.length === 0 ? product.name : many ? 'They' : 'It'
    const small = `${fact.charAt(0).toLowerCase()}${fact.slice(1)}`
    if (does.test(fact) || verbLike.test(fact)) told.push(sentence(`${subject} ${small}`))
    else if (done.test(fact)) told.push(sentence(`${subject} ${many ? 'are' : 'is'} ${small}`))
    else if (/^no\s/i.test(fact)) told.push(sentence(`${subject} ${many ? 'have' : 'has'} ${small}`))
    else if (isClause(fact)) told.push(sentence(fact))
    else rest.push(midSentence(fact, ''))
  }
  if (rest.length > 0)
    told.push(sentence(`${told.length === 0 ? product.name : 'In short'}: ${joined(rest)}`))
  return told
}
