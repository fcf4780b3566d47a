import { createHmac } from 'node:crypto'

/** What a mail service signs its events with. */
export const mailSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** The headers of a call of a mail service, signed as Standard Webhooks have it. */
export function signedByService(body: string, { secret = mailSecret, at = Date.now() } = {}) {
  const seconds = Math.floor(at / 1_000)
  const hmac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
  return {
    'svix-id': 'msg_1',
    'svix-timestamp': `${seconds}`,
    'svix-signature': `v1,${hmac.update(`msg_1.${seconds}.${body}`).digest('base64')}`,
  }
}

/** An event of a mail service that changes nothing here. */
export function openedEvent(at: number) {
  const body = { type: 'email.opened', data: {} }
  return { body, headers: signedByService(JSON.stringify(body), { at }) }
}

/** A report as mail servers write it (RFC 3464). */
export function bounceReport({
  mailId,
  action = 'failed',
  status = '5.1.1',
  said = 'smtp; 550 5.1.1 <gone@test.example>:\r\n no such user',
  original = `Message-ID: <${mailId}@sender.example>\r\nSubject: Hello`,
  originalType = 'text/rfc822-headers',
  envelopeId,
  newline = '\r\n',
}: {
  mailId: string
  action?: string
  status?: string
  said?: string
  /** Headers of the mail that came back. */
  original?: string
  originalType?: string
  envelopeId?: string
  newline?: string
}): string {
  const fields = [
    'Reporting-MTA: dns; mx.test.example',
    ...(envelopeId === undefined ? [] : [`Original-Envelope-Id: ${envelopeId}`]),
    '',
    'Final-Recipient: rfc822; gone@test.example',
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: ${said}`,
  ]
  return report('delivery-status', [
    ['text/plain; charset=us-ascii', 'Your mail could not be delivered.'],
    ['message/delivery-status', fields.join('\r\n')],
    [originalType, `${original}\r\n`],
  ]).replaceAll('\r\n', newline)
}

/** A report that a reader complains, as mail services write it (RFC 5965). */
export const complaintReport = ({ mailId, type }: { mailId: string; type: string }) =>
  report('feedback-report', [
    ['text/plain', 'A reader complains.'],
    ['message/feedback-report', `Feedback-Type: ${type}\r\nUser-Agent: Test/1`],
    ['message/rfc822', `Message-ID: <${mailId}@sender.example>\r\nSubject: Hello\r\n\r\nHello`],
  ])

function report(type: string, parts: ReadonlyArray<readonly [type: string, body: string]>): string {
  return [
    'Return-Path: <>',
    'From: MAILER-DAEMON@mx.test.example',
    'To: desk@sender.example',
    'Subject: Undelivered Mail Returned to Sender',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${type}; boundary="b1"`,
    '',
    ...parts.flatMap(([partType, body]) => ['--b1', `Content-Type: ${partType}`, '', body, '']),
    '--b1--',
    '',
  ].join('\r\n')
}
