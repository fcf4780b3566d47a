import type { Said, SentMail } from './frame.ts'

/** How long Brevo knows a key again, milliseconds: half an hour by one page of its documentation, a quarter by another. */
const keptMs = 15 * 60_000

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What Brevo does with `POST /smtp/email`, for an account whose sender 3 is verified. */
export function createSingleMails(refuse: (status: number, code: string, message?: string) => Said) {
  const mails: SentMail[] = []
  const keys = new Map<string, number>()
  return {
    mails,
    take(json: Record<string, unknown>, now: number): Said {
      const { sender, to, subject, htmlContent, textContent, headers } = json as {
        sender?: { id?: number }
        to?: Array<{ email: string }>
        headers?: Record<string, string>
      } & Record<'subject' | 'htmlContent' | 'textContent', string>
      if (sender?.id !== 3)
        return refuse(
          400,
          'invalid_parameter',
          'Sending has been rejected because the sender you used is not valid',
        )
      if (!subject || !htmlContent || to?.length !== 1) return refuse(400, 'missing_parameter')
      const [{ email } = { email: '' }] = to
      if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email))
        return refuse(400, 'invalid_parameter', 'email is not valid in to')
      const { idempotencyKey: key, ...sent } = headers ?? {}
      if (key !== undefined && !uuid.test(key)) return refuse(400, 'invalid_parameter', 'Invalid key')
      if (key !== undefined && now - (keys.get(key) ?? Number.NEGATIVE_INFINITY) < keptMs)
        return refuse(400, 'duplicate_parameter', 'The idempotency key was used before')
      if (key !== undefined) keys.set(key, now)
      const messageId = `<2026.${mails.length + 1}@smtp-relay.mailin.fr>`
      mails.push({ messageId, to: email, subject, text: textContent, html: htmlContent, headers: sent })
      return { status: 201, body: { messageId } }
    },
  }
}
