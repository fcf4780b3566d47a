/** Headers that are read, bytes: no program writes more. */
const longestHead = 256 * 1024
/** The most mails that one answers. */
const mostIds = 100

/**
 * Reads which of our mails a mail answers (RFC 5322). What a program has answered by itself (RFC 3834), such as a note that someone is away, is no answer.
 * @param raw the mail as a mail server handed it over; only its headers are looked at
 * @returns what stands between the brackets of each `Message-ID` that it refers to, the one that it answers first
 */
export function answeredMessages(raw: Uint8Array): string[] {
  const [head = ''] = new TextDecoder('latin1').decode(raw.subarray(0, longestHead)).split(/\r?\n\r?\n/, 1)
  const fields = new Map<string, string>()
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  if (isAutomatic(fields)) return []
  const references = `${fields.get('in-reply-to') ?? ''} ${(fields.get('references') ?? '').split(/\s+/).toReversed().join(' ')}`
  const ids = Array.from(references.matchAll(/<([^<>\s]{1,990})>/g), ([, id = '']) => id)
  return [...new Set(ids)].slice(0, mostIds)
}

/** The id of a mail that this server has sent, in its `Message-ID`. */
export const mailIdIn = (messageId: string): string | undefined =>
  /^([0-7][0-9A-HJKMNP-TV-Z]{25})@/i.exec(messageId)?.[1]?.toUpperCase()

function isAutomatic(fields: ReadonlyMap<string, string>): boolean {
  const submitted = fields.get('auto-submitted')?.toLowerCase()
  if (submitted !== undefined && submitted !== 'no') return true
  if (['bulk', 'junk', 'list', 'auto_reply'].includes(fields.get('precedence')?.toLowerCase() ?? ''))
    return true
  return ['x-autoreply', 'x-autorespond', 'x-auto-response-suppress'].some((name) => fields.has(name))
}
