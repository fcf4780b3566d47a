/** What a refusal says of the address: `hard` is none any more, `soft` may take mails again, `none` blames something else. */
export type RefusalKind = 'hard' | 'soft' | 'none'

/**
 * Reads a refusal of a recipient by its codes.
 * @param status the code of RFC 3463, such as `5.1.1`; undefined where the server gave none
 * @param reply the code of SMTP, such as 550
 */
export function refusalKind(status: string | undefined, reply?: number): RefusalKind {
  const [, level, subject, detail] = /^([245])\.(\d{1,3})\.(\d{1,3})$/.exec(status ?? '') ?? []
  if (level === undefined) return kindOfReply(reply)
  if (level === '2') return 'none'
  const about = `${subject}.${detail}`
  if (aboutTheMail.has(subject ?? '') || aboutTheSender.has(about)) return 'none'
  // What was tried for days, or is full, may work again.
  if (level === '4') return 'soft'
  return subject === '1' || about === '2.0' || about === '2.1' || about === '0.0' ? 'hard' : 'soft'
}

/** Security and policy, and the content: another mail, or another sender, would have been taken. */
const aboutTheMail = new Set(['6', '7'])
const aboutTheSender = new Set(['1.7', '1.8'])

function kindOfReply(reply: number | undefined): RefusalKind {
  if (reply === 550 || reply === 551 || reply === 553) return 'hard'
  // 554 stands for anything, often for the sender's bad name.
  return reply === 552 ? 'soft' : 'none'
}

/** The code of RFC 3463 at the beginning of what a server says: `550 5.1.1 No such user`. */
export function statusIn(answer: string): string | undefined {
  return /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(answer)?.[1]
}
