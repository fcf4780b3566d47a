import { refusalKind, statusIn } from './refusal.ts'
import { oneLine } from './text.ts'

/** What came back of a mail. */
export interface Bounce {
  /** Of the mail that came back. */
  mailId: string
  kind: BounceKind
  /** What was said, for people. */
  detail: string
}

/** `hard`: the address is none; `soft`: it takes none now; `complaint`: its reader does not want them. */
export const bounceKinds = ['soft', 'hard', 'complaint'] as const
export type BounceKind = (typeof bounceKinds)[number]

/** The header that names a mail where a service replaces its `Message-ID`. */
export const mailIdHeader = 'X-Mail-Id'

/**
 * Reads a report of RFC 3464 that a mail could not be delivered, or of RFC 5965 that its reader complains.
 * @param raw the report as a mail server handed it over
 * @returns undefined for any other mail, a report that a mail is only late, and one of a mail that was none of ours
 */
export async function readBounceReport(raw: Uint8Array): Promise<Bounce | undefined> {
  const { default: PostalMime } = await import('postal-mime')
  const parts = await PostalMime.parse(raw, limits).then(
    ({ attachments }) =>
      attachments.map(({ mimeType, content }) => ({
        type: mimeType.toLowerCase(),
        text: typeof content === 'string' ? content : new TextDecoder().decode(content.slice(0, mostRead)),
      })),
    // What cannot be read is no report.
    () => [],
  )
  const textOf = (type: string) => parts.find((part) => part.type === type)?.text
  const status = textOf('message/delivery-status')
  const complaint = textOf('message/feedback-report')
  const original = parts.find(({ type }) => type === 'message/rfc822' || type === 'text/rfc822-headers')
  const mailId = idIn(`${status ?? ''}\n${original?.text ?? ''}`)
  if (mailId === undefined) return undefined
  if (complaint !== undefined) {
    const type = fieldsIn(complaint).get('feedback-type') ?? 'abuse'
    return type === 'not-spam'
      ? undefined
      : { mailId, kind: 'complaint', detail: `Complaint: ${shown(type)}` }
  }
  const failure = status === undefined ? undefined : failureIn(status)
  return failure && { mailId, ...failure }
}

const limits = { maxNestingDepth: 20, maxHeadersSize: 256 * 1024 }

/** Characters of a part that are looked at; headers stand first. */
const mostRead = 256 * 1024

/** The id of the mail in its headers, or in its envelope. */
function idIn(text: string): string | undefined {
  const id = '([0-7][0-9A-HJKMNP-TV-Z]{25})'
  const named = new RegExp(`^(?:${mailIdHeader}|Original-Envelope-Id):\\s*${id}\\s*$`, 'im').exec(text)
  return (named ?? new RegExp(`^Message-ID:\\s*<${id}@`, 'im').exec(text))?.[1]?.toUpperCase()
}

/** What the first recipient of a report failed for, and a mail of ours has no other. */
function failureIn(report: string): { kind: BounceKind; detail: string } | undefined {
  for (const group of report.split(/\r?\n\s*\r?\n/)) {
    const fields = fieldsIn(group)
    if (fields.get('action')?.toLowerCase() !== 'failed') continue
    const said = (fields.get('diagnostic-code') ?? '').replace(/^smtp;\s*/i, '')
    const status = statusIn(said) ?? /^\d\.\d+\.\d+/.exec(fields.get('status') ?? '')?.[0]
    const kind = refusalKind(status, Number(/^\d{3}/.exec(said)?.[0]))
    return kind === 'none' ? undefined : { kind, detail: shown(said || `Status ${status ?? 'unknown'}`) }
  }
  return undefined
}

/** Fields by lower-case name; folded lines are one. */
function fieldsIn(text: string): Map<string, string> {
  const lines = text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  return new Map(
    lines.flatMap((line): Array<[string, string]> => {
      const colon = line.indexOf(':')
      return colon < 1 ? [] : [[line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]]
    }),
  )
}

const shown = (text: string) => oneLine(text).slice(0, 300)
