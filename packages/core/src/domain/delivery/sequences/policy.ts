import { addDays, dayIn, instantAt, wallClock } from '../../../kernel/periods.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import { escapeHtml, oneLine } from '../../../platform/mail/text.ts'

/** How many mails of one sequence go out in a minute at most: one turn sends them. */
export const perTurn = 100
export const turnMs = 60_000
/** How many leads one transaction takes in. */
export const perReading = 500
/** How often new leads are looked for while a sequence waits for subscribers, milliseconds. */
export const lookMs = 5 * 60_000
/** How long a sequence waits whose campaign or tenant stands still, milliseconds. */
export const idleMs = 10 * 60_000
/** How long a mail that is being handed over counts as alive, milliseconds. */
export const handOverMs = 10 * 60_000
/** How often a mail is tried that was certainly not taken. */
export const mostMailAttempts = 8

const waits = [60, 300, 900, 3_600, 3_600, 7_200, 14_400]

/** How long a mail waits after so many tries, milliseconds. */
export const mailRetryMs = (attempts: number) => (waits[Math.min(attempts, waits.length) - 1] ?? 60) * 1_000

/** What may stand in a text for something of the contact. */
export const mailPlaceholders = ['firstName', 'lastName', 'company'] as const
type Values = Record<(typeof mailPlaceholders)[number], string>

const inBraces = /\{\{\s*([^{}]*?)\s*\}\}/g

/** The placeholders of a text that there are not. */
export function unknownPlaceholders(text: string): string[] {
  const known: readonly string[] = mailPlaceholders
  return Array.from(text.matchAll(inBraces), ([, name = '']) => name).filter((name) => !known.includes(name))
}

/** What is approved of a step, and may be sent. */
export const hashOf = ({ subject, body }: { subject: string; body: string }) =>
  sha256Hex(JSON.stringify([subject, body]))

const filled = (text: string, values: Values) =>
  text.replace(inBraces, (_, name: keyof Values) => values[name] ?? '')

/** A step as one contact gets it, with the way out of it. @param from the name of the tenant */
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

/** So many days later, at the same time by the clocks of the zone. */
export function daysLater(from: Date, days: number, timeZone: string): Date {
  if (days === 0) return from
  const [, time = '00:00'] = wallClock(from, timeZone).split('T')
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return instantAt(addDays(dayIn(from, timeZone), days), hours * 60 + minutes, timeZone)
}
