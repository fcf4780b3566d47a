import { escapeHtml, oneLine } from '../../../../platform/mail/text.ts'

/**
 * What an e-mail of the product says. Each part is Liquid within plain words: variables are put in later, and nothing of them is taken
 * as markup. Code in it holds no quotation marks.
 */
export interface EmailMessage {
  greeting: string
  paragraphs: readonly string[]
  /** Words that are not ours: set apart, with who wrote them before it. */
  quote?: {
    from: string
    paragraphs: readonly string[]
    /** The variable without which there is no quotation. */
    when?: string
  }
  link?: { label: string; url: string }
  /** Below the link. */
  closing?: readonly string[]
}

/** The sources of the two parts of an e-mail. */
export function messageSource({ greeting, paragraphs, quote, link, closing = [] }: EmailMessage) {
  const above = [greeting, ...paragraphs].map(oneLine)
  const below = closing.map(oneLine)
  const words = (quote?.paragraphs ?? []).map(oneLine)
  const [begin, end] = quote?.when === undefined ? ['', ''] : [`{% if ${quote.when} %}`, '{% endif %}']
  const theirs = words.map((line) => `> ${line}`).join('\n>\n')
  const bodyText = [
    ...above,
    ...(quote ? [`${begin}${quote.from}`, `${theirs}${end}`] : []),
    ...(link ? [link.url] : []),
    ...below,
  ].join('\n\n')
  const anchor = link && `<a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a>`
  const copy = link && `If the link does not open, copy this address: ${escapeHtml(link.url)}`
  const paragraphsOf = (parts: ReadonlyArray<string | undefined>) =>
    parts.filter((part) => part !== undefined).map((part) => `<p>${part}</p>`)
  const block = quote && [
    `${begin}<p>${escapeHtml(quote.from)}</p>`,
    `<blockquote style="${quoteStyle}">`,
    ...paragraphsOf(words.map(escapeHtml)),
    `</blockquote>${end}`,
  ]
  const bodyHtml = [
    ...paragraphsOf(above.map(escapeHtml)),
    ...(block ?? []),
    ...paragraphsOf([anchor, copy, ...below.map(escapeHtml)]),
  ].join('\n')
  return { bodyText: `${bodyText}\n`, bodyHtml: `${bodyHtml}\n` }
}

const quoteStyle = 'margin: 1em 0; padding-left: 1em; border-left: 3px solid #ccc'
