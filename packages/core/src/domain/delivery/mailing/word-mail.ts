import { escapeHtml, oneLine } from '../../../platform/mail/text.ts'

/** What may stand in a text for something of the contact. */
export const mailPlaceholders = ['firstName', 'lastName', 'company'] as const
export type ContactValues = Record<(typeof mailPlaceholders)[number], string>

/** Without its spaces, which are cut off afterwards: a pattern for them would try each way to part a long run of spaces. */
const inBraces = /\{\{([^{}]*)\}\}/g

/** The placeholders of a text that there are not. */
export function unknownPlaceholders(text: string): string[] {
  const known: readonly string[] = mailPlaceholders
  return Array.from(text.matchAll(inBraces), ([, name = '']) => name.trim()).filter(
    (name) => !known.includes(name),
  )
}

/** Puts into a text what its placeholders stand for. */
export const fillPlaceholders = (text: string, values: ContactValues) =>
  text.replace(inBraces, (_, name: string) => values[name.trim() as keyof ContactValues] ?? '')

/** A mail as one person gets it. */
export interface WordedMail {
  subject: string
  text: string
  html: string
  headers: Record<string, string>
  /** The name of the tenant. */
  fromName: string
}

/**
 * A text as one person gets it, with the way out of it.
 * @param from the name of the tenant
 * @param addresses of the assets that the mail shows, by their references; words stand for others
 */
export function wordMail(
  { subject, body }: { subject: string; body: string },
  { values, ...about }: { values: ContactValues; from: string; link: string },
  addresses: ReadonlyMap<string, string> = new Map(),
): WordedMail {
  const text = fillPlaceholders(body, values).trim()
  const paragraphs = text
    .split(/\n{2,}/)
    .map((part) => `<p>${inHtml(part, addresses).replaceAll('\n', '<br>')}</p>`)
  const plain = text.replace(picture, (_, words: string) => words)
  return withWayOut(
    { subject: fillPlaceholders(subject, values), text: plain, html: paragraphs.join('\n') },
    about,
  )
}

const picture = /!\[([^[\]\n]{0,1000})\]\((asset:[^\s()<>]{0,200})\)/g

function inHtml(text: string, addresses: ReadonlyMap<string, string>): string {
  let html = ''
  let at = 0
  for (const { 0: found, 1: words = '', 2: reference = '', index } of text.matchAll(picture)) {
    const address = addresses.get(reference)
    const alt = escapeHtml(words)
    html += withLinks(text.slice(at, index))
    html += address === undefined ? alt : `<img src="${escapeHtml(address)}" alt="${alt}">`
    at = index + found.length
  }
  return html + withLinks(text.slice(at))
}

/** Adds the name of the sender and the link that ends all such mails. */
export function withWayOut(
  { subject, text, html }: { subject: string; text: string; html: string },
  { from, link }: { from: string; link: string },
): WordedMail {
  const name = oneLine(from)
  return {
    subject: oneLine(subject),
    text: `${text}\n\n-- \n${name}\nUnsubscribe: ${link}\n`,
    html: `${html}\n<hr><p>${escapeHtml(name)} · <a href="${escapeHtml(link)}">Unsubscribe</a></p>\n`,
    // RFC 8058: mail programs offer one click, and ask by POST.
    fromName: name,
    headers: { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  }
}

/** What stands behind an address, or around it, is no part of it. */
const link = /https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)]/g

/** A text in HTML, its addresses as links. They are looked for before anything is escaped: `&quot;` would become a part of them. */
function withLinks(text: string): string {
  let html = ''
  let at = 0
  for (const { 0: url, index } of text.matchAll(link)) {
    const shown = escapeHtml(url)
    html += `${escapeHtml(text.slice(at, index))}<a href="${shown}">${shown}</a>`
    at = index + url.length
  }
  return html + escapeHtml(text.slice(at))
}
