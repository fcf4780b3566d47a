import { type Block, bullets, heading, para } from './blocks.ts'
import type { BriefProduct } from './brief.ts'
import type { Material } from './material.ts'
import { capitalised, contains, joined, midSentence, phrase, productSentences } from './wording.ts'

/** An article for the company's own site. */
export function blogPost(m: Material): Block[] {
  const { brief, says } = m
  const headline = m.headlines[0] ?? brief.campaign
  const opening = [
    m.audience && says.forAudience(m.audience),
    brief.topic &&
      !contains(headline, brief.topic) &&
      says.onTopic(midSentence(phrase(brief.topic), brief.markdown ?? '')),
    // A headline made of the opening message replaces it.
    m.lead && phrase(m.lead) !== headline && m.lead,
  ]
  const keyword = brief.keyword && !contains([headline, ...opening].join(' '), brief.keyword) && brief.keyword
  const [first, ...others] = m.products
  return [
    heading(1, headline),
    para([...opening, keyword && `If you are looking for ${phrase(keyword)}, start here.`]),
    para(m.extras),
    ...(m.wishes.action && m.action ? [para([`**${m.action}**`])] : []),
    para([m.about], 1),
    heading(2, says.why),
    para(m.messages.slice(0, 2)),
    para(m.messages.slice(2), 1),
    ...(first ? [heading(2, first.name, 1), para(productSentences(first), 1)] : []),
    ...others.flatMap((product) => [heading(2, product.name, 1), para(productSentences(product), 1)]),
    ...questions(m),
    heading(2, says.next),
    para([m.action && `**${m.action}**`]),
    para([says.closing], 1),
  ]
}

/** Questions of a reader, answered with the words of the brief; for longer texts. */
function questions(m: Material): Block[] {
  return [
    heading(2, m.says.questions, 2),
    para([m.audience && `**Who is it for?** It is for ${m.audience}.`], 2),
    para([m.about && m.company && `**Who is behind it?** ${m.about}`], 2),
    para([m.action && `**How do I get started?** ${m.action}`], 2),
    para([m.lead && `**What should I remember?** ${m.lead}`], 2),
  ]
}

/** A newsletter with its subject and preview lines. */
export function newsletter(m: Material): Block[] {
  const { says } = m
  const subject = m.headlines.find((each) => each.length <= 60) ?? m.headlines[0] ?? m.brief.campaign
  const preview = [...m.extras, ...m.messages, m.lead ?? ''].find(
    (each) => each && each.length <= 90 && !contains(each, subject),
  )
  return [
    para([`**Subject:** ${subject}`]),
    para([preview && `**Preview:** ${preview}`]),
    para([says.greeting]),
    para([m.lead, m.audience && says.forAudience(m.audience)]),
    para(m.extras),
    ...(m.wishes.action && m.action ? [para([`**${m.action}**`])] : []),
    para([m.about], 1),
    para(m.messages),
    bullets(m.products.map(productLine), 1),
    para([m.action && `**${m.action}**`]),
    para([says.closing], 1),
    para([says.signOff]),
    para([m.company ?? 'The team']),
    para([m.lead && `P.S. ${m.messages[0] ?? m.lead}`], 2),
  ]
}

function productLine(product: BriefProduct): string {
  const facts = productSentences(product).join(' ')
  if (!facts) return `**${product.name}**`
  const named = facts.startsWith(product.name)
  return named ? `**${product.name}**${facts.slice(product.name.length)}` : `**${product.name}**: ${facts}`
}

/** Names as they are listed in running text. */
export function productNames(m: Material): string {
  return joined(m.products.map((product) => capitalised(product.name)))
}
