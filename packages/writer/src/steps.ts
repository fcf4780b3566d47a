import { productNames } from './articles.ts'
import { type Block, boxes, bullets, heading, para } from './blocks.ts'
import type { StructuredBrief } from './brief.ts'
import type { Material } from './material.ts'
import { contains, coverage, phrase, productSentences, sentence, sentencesOf } from './wording.ts'

type StepKind = 'plan' | 'research' | 'outline' | 'draft' | 'edit' | 'report'

/** The kind of a step: by its kind, otherwise by its title, otherwise a draft. */
export function stepKind(step: { kind: string; title: string }): StepKind {
  for (const words of [step.kind, step.title]) {
    if (/\b(edit|editing|proof|proofread|polish|revise)\b/i.test(words)) return 'edit'
    if (/\b(outline|structure)\b/i.test(words)) return 'outline'
    if (/\b(research|keywords?|sources|analysis)\b/i.test(words)) return 'research'
    if (/\b(plan|planning|strategy|schedule)\b/i.test(words)) return 'plan'
    if (/\breport\b/i.test(words)) return 'report'
    if (/\b(draft|write|writing|copy)\b/i.test(words)) return 'draft'
  }
  return 'draft'
}

const pieceNames: Readonly<Record<string, string>> = {
  blog_post: 'blog post',
  social_post: 'social post',
  gbp_post: 'business profile post',
  ad_copy: 'advertisement',
  email_newsletter: 'newsletter',
  backlink: 'link request',
  website_audit: 'website audit',
  performance_report: 'performance report',
}

/** The name of the deliverable in running text. */
export function pieceName(m: Material): string {
  return pieceNames[m.brief.deliverable ?? ''] ?? 'piece'
}

export function plan(m: Material): Block[] {
  return [
    heading(1, `Plan for the ${pieceName(m)}: ${m.brief.topic ?? m.brief.campaign}`),
    para([m.goal && `The goal of the campaign: ${m.goal}`]),
    para([
      m.audience && `The readers: ${m.audience}.`,
      m.products.length > 0 && `The subject: ${productNames(m)}.`,
    ]),
    para(m.extras),
    heading(2, 'Steps'),
    {
      weight: 0,
      marks: 'numbers',
      items: [
        'Collect what the brief says and find out what it leaves open.',
        m.lead
          ? `Write a draft that opens with the message “${phrase(m.lead)}”.`
          : 'Agree on the one message that the draft opens with.',
        'Check every claim against the brief.',
        m.action ? `End on the call to action: ${m.action}` : 'Agree on a call to action.',
        'Give it to a reviewer, and take up the notes.',
      ],
    },
    heading(2, 'How to tell that it is done', 1),
    boxes(
      [
        'A reader knows after the first lines whether it is for them.',
        ...(m.voice ? [`It keeps to the voice: ${phrase(m.voice)}.`] : []),
        ...(m.banned.length > 0 ? ['None of the wordings that the brief rules out is used.'] : []),
        'Nothing in it is invented.',
      ],
      1,
    ),
  ]
}

/** What to look for in the client's documents; undefined for a step that has no use for them. */
export function knowledgeQuery({
  preparation,
  step,
  topic,
  keyword,
  campaign,
  products = [],
}: StructuredBrief): string | undefined {
  if (preparation || stepKind(step) !== 'research') return undefined
  const words = [topic ?? campaign, keyword, ...products.map(({ name }) => name)]
  return words.filter(Boolean).join(' ').slice(0, LONGEST_QUERY)
}

const LONGEST_QUERY = 300
const LONGEST_QUOTE = 240

/** The first sentences of a passage, without its headings. */
function quoteOf(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() && !/^\s{0,3}#{1,6}\s|^[\s|:-]+$/.test(line))
  const plain = lines.join(' ').replace(/\s+/g, ' ').trim()
  if (plain.length <= LONGEST_QUOTE) return `“${plain}”`
  const cut = plain.slice(0, LONGEST_QUOTE)
  return `“${cut.slice(0, Math.max(cut.lastIndexOf(' '), LONGEST_QUOTE / 2))} …”`
}

export function research(m: Material): Block[] {
  const { passages = [] } = m.brief
  const facts = m.products.flatMap((product) =>
    product.facts.map((fact) => sentence(`${product.name}: ${fact}`)),
  )
  const claims = [...facts, ...(m.lead ? [m.lead] : []), ...m.messages]
  return [
    heading(1, `Research notes: ${m.brief.topic ?? m.headlines[0] ?? m.brief.campaign}`),
    para([
      passages.length > 0
        ? 'These notes come from the brief and from the client’s own documents. No page of the web was read.'
        : 'These notes come from the brief alone. No outside source was read.',
    ]),
    para(m.extras),
    heading(2, 'Readers'),
    para([m.audience ? `The piece is for ${m.audience}.` : undefined]),
    heading(2, 'What may be said'),
    bullets([...new Set(claims)]),
    heading(2, 'What the client’s documents say'),
    bullets(passages.map(({ n, title, text }) => `${quoteOf(text)} [${n}], in ${title}`)),
    heading(2, 'To be checked before it is published'),
    boxes([
      ...claims
        .filter((each) => /\d|\b(best|first|only|most|never|always|every|all|no)\b/i.test(each))
        .map((each) => `Is there a source for this: “${each}”`),
      'Has anything in the brief changed since it was written?',
    ]),
    heading(2, 'Questions that readers may have', 1),
    bullets(
      [
        ...m.products.map((product) => `What does ${product.name} do for me, and how do I get it?`),
        ...(m.company ? [`Who is ${m.company}, and why should I trust them?`] : []),
        m.brief.topic
          ? `What do I need to know about ${phrase(m.brief.topic)}?`
          : 'How does this compare with what I do today?',
      ],
      1,
    ),
  ]
}

export function outline(m: Material): Block[] {
  const part = (title: string, notes: readonly (string | undefined | false)[]): Block[] => [
    heading(2, title),
    bullets(notes.filter((each): each is string => Boolean(each))),
  ]
  return [
    heading(1, `Outline of the ${pieceName(m)}: ${m.headlines[0] ?? m.brief.campaign}`),
    ...part('Opening', [
      m.audience && `Says whom it is for: ${m.audience}.`,
      m.lead && `Makes the main point: ${m.lead}`,
    ]),
    ...part('Asked for in review', m.extras),
    ...part(m.says.why, m.messages),
    ...m.products.flatMap((product) => part(product.name, productSentences(product))),
    ...part(m.says.next, [m.action && `Asks for one thing: ${m.action}`]),
    ...(m.headlines.length > 1 ? part('Other headlines to choose from', m.headlines.slice(1, 4)) : []),
  ]
}

const LONG_SENTENCE = 30

/**
 * Goes over a text that someone else wrote. Its wording stays but for what the brief and the notes rule out, replace
 * or add; what would need rewriting is told and not done.
 * @param text the earlier text without its closing notes
 */
export function edited(m: Material, text: string): Block[] {
  const { wishes } = m
  const missing = (wanted: string) => coverage(wanted, text) < 0.8
  const added = m.extras.filter(missing)
  const action = m.action && missing(m.action) ? m.action : undefined
  m.changes.length = 0
  if (wishes.replacements.length > 0) m.changes.push('wording replaced')
  if (m.banned.some((wording) => contains(text, wording)))
    m.changes.push('left out the wording that was to go')
  if (added.length > 0) m.changes.push('added what was asked for')
  if (action) m.changes.push('added the call to action')
  const headed = wishes.headline && `# ${wishes.headline}`
  if (headed) m.changes.push('the headline that was asked for')

  if (added.length === 0) m.needs.length = 0
  m.remarks.length = 0
  const undone = [
    wishes.length !== 0 && 'length',
    wishes.formality !== 0 && 'tone',
    wishes.lead && 'opening',
    wishes.otherHeadlines > 0 && 'headline',
  ].filter((each): each is string => Boolean(each))
  if (undone.length > 0)
    m.remarks.push(`Left as it was: ${undone.join(', ')}. That takes a person or a connected model.`)
  for (const each of sentencesOf(text)) {
    const words = each.split(/\s+/).length
    if (words > LONG_SENTENCE && !/[|#]/.test(each)) {
      m.remarks.push(`A sentence of ${words} words may be hard to read: “${each.slice(0, 60)}…”`)
    }
  }
  const parts = text.split(/\n{2,}/).map((part) => part.replace(/[ \t]+$/gm, '').trim())
  if (headed) {
    if (parts[0]?.startsWith('# ')) parts[0] = headed
    else parts.unshift(headed)
  }
  return [
    ...parts.filter(Boolean).map((part): Block => ({ text: part, weight: 0 })),
    para(added),
    para([action]),
  ]
}
