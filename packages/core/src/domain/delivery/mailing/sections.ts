/** A mail as it stands in a text. */
export interface MailSection {
  /** What its line `To: …` says; empty without one. */
  to: string
  /** What its line `Subject: …` says; empty without one. */
  subject: string
  body: string
  /** Too long to be sent: it is not cut, since people have approved all of it. */
  isTooLong: boolean
}

/** How much of a text is read, and how long the lines above a mail, its subject and its text may be, characters. */
const longestText = 200_000
const longestLine = 1_000
const longestSubject = 200
const longestBody = 20_000

/**
 * The mails of a text: each heading of the second level begins one, its lines `To: …` and `Subject: …` say to whom and about what it is, the rest
 * is its text, up to the next heading or the line that ends the text. A section without a subject or a text is no mail.
 */
export function mailSections(text: string): MailSection[] {
  const mails: MailSection[] = []
  let current: { to: string; subject: string; lines: string[]; hasText: boolean } | undefined
  const end = () => {
    const { to = '', subject = '', lines = [] } = current ?? {}
    const body = lines.join('\n').trim()
    const isTooLong = subject.length > longestSubject || body.length > longestBody
    if (subject !== '' && body !== '') mails.push({ to, subject, body, isTooLong })
    current = undefined
  }
  for (const line of text.slice(0, longestText).split(/\r?\n/)) {
    const level = /^(#{1,6})\s/.exec(line)?.[1]?.length
    if (level !== undefined || /^---\s*$/.test(line)) {
      end()
      if (level === 2) current = { to: '', subject: '', lines: [], hasText: false }
    } else if (current) {
      const { name, value } = fieldOf(line)
      // A letter may say “To:” in its text as well.
      const isAbove = name === 'subject' || !current.hasText
      if (name !== undefined && isAbove && current[name] === '') current[name] = value
      else {
        current.lines.push(line)
        current.hasText ||= line.trim() !== ''
      }
    }
  }
  // Where reading ended in the middle of a mail, the rest of it is not known.
  if (text.length <= longestText) end()
  return mails
}

/** What a line says above a mail, also where it is set in bold. */
function fieldOf(line: string): { name: 'to' | 'subject'; value: string } | { name?: undefined; value: '' } {
  if (line.length > longestLine) return { value: '' }
  const [, name, value = ''] = /^[*_\s]*(to|subject)[*_\s]*:[*_\s]*(\S.*)$/i.exec(line) ?? []
  if (name === undefined) return { value: '' }
  return { name: name.toLowerCase() as 'to' | 'subject', value: value.replace(/[*_\s]+$/, '') }
}
