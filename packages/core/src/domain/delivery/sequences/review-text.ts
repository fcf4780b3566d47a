import { unknownPlaceholders } from './policy.ts'

interface WrittenMail {
  subject: string
  body: string
}

/** The most mails that are read, and how long each may be, characters. */
const mostMails = 10
const longestSubject = 200
const longestBody = 20_000

/**
 * The mails of a text: each heading of the second level begins one, its line `Subject: …` is its subject, the rest its text, up to the next
 * heading or the line that ends the text. A mail without subject or text, or with a placeholder that there is not, is none.
 */
export function mailsIn(text: string): WrittenMail[] {
  const mails: WrittenMail[] = []
  let current: { subject: string; lines: string[] } | undefined
  const end = () => {
    const subject = current?.subject.slice(0, longestSubject) ?? ''
    const body = current?.lines.join('\n').trim().slice(0, longestBody) ?? ''
    if (subject !== '' && body !== '' && unknownPlaceholders(subject + body).length === 0)
      mails.push({ subject, body })
    current = undefined
  }
  for (const line of text.slice(0, 200_000).split(/\r?\n/)) {
    const level = /^(#{1,6})\s/.exec(line)?.[1]?.length
    if (level !== undefined || /^---\s*$/.test(line)) {
      end()
      if (level === 2 && mails.length < mostMails) current = { subject: '', lines: [] }
    } else if (current) {
      const subject =
        current.subject === '' ? /^\W*subject\W*:\W*(\S.*?)[*_]*\s*$/i.exec(line)?.[1] : undefined
      if (subject === undefined) current.lines.push(line)
      else current.subject = subject
    }
  }
  end()
  return mails
}
