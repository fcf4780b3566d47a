import type { HttpClient } from '../http/client.ts'
import { postMail } from './http-way.ts'
import { type MailWayOut, mailHeaders } from './mail.ts'
import { oneLine } from './text.ts'

/** A mail service with the HTTP interface of Resend. */
export interface MailApiOptions {
  key: string
  /** Default `https://api.resend.com`. */
  baseUrl?: string
}

/** Sends by `POST /emails`. The service knows a mail again by its `Idempotency-Key`, so a lost answer sends none twice within a day. */
export function createApiSender({
  options,
  http,
}: {
  options: MailApiOptions
  http: HttpClient
}): MailWayOut {
  const url = `${(options.baseUrl ?? 'https://api.resend.com').replace(/\/+$/, '')}/emails`
  return {
    async send({ id, from, to, subject, text, html, messageId, attachments = [], ...mail }, signal) {
      const body = JSON.stringify({
        from,
        to: [to],
        subject: oneLine(subject),
        text,
        html,
        headers: { ...mailHeaders({ id }), ...mail.headers, 'Message-ID': messageId },
        // The service repeats it in what it tells of the mail.
        tags: [{ name: 'mail_id', value: id }],
        attachments: attachments.map(({ name, type, bytes }) => ({
          filename: name,
          content_type: type,
          content: Buffer.from(bytes).toString('base64'),
        })),
      })
      const headers = {
        authorization: `Bearer ${options.key}`,
        'content-type': 'application/json',
        'idempotency-key': id,
      }
      await postMail(http, { service: 'The mail service', isRepeatable: true, url, headers, body, signal })
    },
    // Keys that may only send are refused everything else, so nothing can be asked without a mail.
    check: () => Promise.resolve(`mails go to ${new URL(url).host}`),
    close: () => Promise.resolve(),
  }
}
