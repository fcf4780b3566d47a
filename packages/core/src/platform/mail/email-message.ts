/** What a mail says, in plain words: every part is text and nothing in it is taken as markup. */
export interface EmailMessage {
  greeting: string
  paragraphs: readonly string[]
  /** Words that are not ours: set apart, with who wrote them before it. */
  quote?: { from: string; paragraphs: readonly string[] }
  link?: { label: string; url: string }
  /** Below the link. */
  closing?: readonly string[]
}

/** A letter as plain text and as HTML, for the two parts of a mail. */
export function renderEmail({ greeting, paragraphs, quote, link, closing = [] }: EmailMessage) {
  const above = [greeting, ...paragraphs, ...(quote ? [quote.from] : [])].map(oneLine)
  const quoted = (quote?.paragraphs ?? []).map(oneLine)
  const below = closing.map(oneLine)
  const theirs = quoted.map((line) => `> ${line}`).join('\n>\n')
  const text = [...above, ...(quote ? [theirs] : []), ...(link ? [link.url] : []), ...below].join('\n\n')
  const anchor = link && `<a href="${escapeHtml(link.url)}">${escapeHtml(oneLine(link.label))}</a>`
  const copy = link && `If the link does not open, copy this address: ${escapeHtml(link.url)}`
  const paragraphsOf = (parts: ReadonlyArray<string | undefined>) =>
    parts.filter((part) => part !== undefined).map((part) => `<p>${part}</p>`)
  const block = quote && [
    `<blockquote style="${quoteStyle}">`,
    ...paragraphsOf(quoted.map(escapeHtml)),
    '</blockquote>',
  ]
  const body = [
    ...paragraphsOf(above.map(escapeHtml)),
    ...(block ?? []),
    ...paragraphsOf([anchor, copy, ...below.map(escapeHtml)]),
  ].join('\n')
  const style = 'font: 16px/1.5 sans-serif; max-width: 36em; overflow-wrap: anywhere'
  const html = `<!doctype html>\n<html lang="en">\n<body style="${style}">\n${body}\n</body>\n</html>\n`
  return { text: `${text}\n`, html }
}

const quoteStyle = 'margin: 1em 0; padding-left: 1em; border-left: 3px solid #ccc'

/** A name may hold line breaks; in a mail it must begin neither a paragraph nor a header of its own. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] as string)
}
