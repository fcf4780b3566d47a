import { escapeHtml, oneLine } from '../../../platform/mail/text.ts'

/** What may stand in a text for something of the contact. */
export const mailPlaceholders = ['firstName', 'lastName', 'company'] as const
type Values = Record<(typeof mailPlaceholders)[number], string>

/** Without its spaces, which are cut off afterwards: a pattern for them would try each way to part a long run of spaces. */
const inBraces = /\{\{([^{}]*)\}\}/g

/** The placeholders of a text that there are not. */
export function unknownPlaceholders(text: string): string[] {
  const known: readonly string[] = mailPlaceholders
  return Array.from(text.matchAll(inBraces), ([, name = '']) => name.trim()).filter(
    (name) => !known.includes(name),
  )
}

const filled = (text: string, values: Values) =>
  text.replace(inBraces, (_, name: string) => values[name.trim() as keyof Values] ?? '')

/** A text as one person gets it, with the way out of it. @param from the name of the tenant */
export function wordMail(
  { subject, body }: { subject: string; body: string },
  { values, from, link }: { values: Values; from: string; link: string },
): { subject: string; text: string; html: string; headers: Record<string, string> } {
  const text = filled(body, values).trim()
  const paragraphs = text
    .split(/\n{2,}/)
    .map((part) => `<p>${withLinks(escapeHtml(part)).replaceAll('\n', '<br>')}</p>`)
  const name = oneLine(from)
  return {
    subject: oneLine(filled(subject, values)),
    text: `${text}\n\n-- \n${name}\nUnsubscribe: ${link}\n`,
    html: `${paragraphs.join('\n')}\n<hr><p>${escapeHtml(name)} · <a href="${escapeHtml(link)}">Unsubscribe</a></p>\n`,
    // RFC 8058: mail programs offer one click, and ask by POST.
    headers: { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  }
}

const withLinks = (html: string) =>
  html.replace(/https?:\/\/[^\s<]*[^\s<.,;:!?)]/g, (url) => `<a href="${url}">${url}</a>`)
