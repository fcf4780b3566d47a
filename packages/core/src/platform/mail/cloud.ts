import type { Clock } from '../clock.ts'
import type { HttpClient } from '../http/client.ts'
import { composeMail, type DkimOptions } from './compose.ts'
import { postMail } from './http-way.ts'
import { addressIn, type MailWayOut } from './mail.ts'
import type { TopicOptions } from './topic.ts'

/** A cloud's mail service with the interface of Amazon SES, version 2. */
export interface CloudMailOptions {
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Default `https://email.<region>.amazonaws.com`. */
  baseUrl?: string
  /** The topic of Amazon SNS by which it tells of mails that came back. */
  topic?: TopicOptions
}

/** What the service answers with 400 as well, and what has nothing to do with the mail: anyone who fixes that wants it to go out. */
const aboutUs = new Set([
  'AccountSuspendedException',
  'LimitExceededException',
  'MailFromDomainNotVerifiedException',
  'SendingPausedException',
  'ThrottlingException',
])

/** Sends by `SendEmail` with the whole mail, signed by Signature Version 4. */
export function createCloudSender(parts: {
  options: CloudMailOptions
  dkim: DkimOptions | undefined
  http: HttpClient
  clock: Clock
}): MailWayOut {
  const { options, dkim, http, clock } = parts
  const { region, accessKeyId, secretAccessKey } = options
  const base = (options.baseUrl ?? `https://email.${region}.amazonaws.com`).replace(/\/+$/, '')
  return {
    async send(mail, signal) {
      const { AwsV4Signer } = await import('aws4fetch')
      const data = (await composeMail(mail, dkim)).toString('base64')
      const signed = await new AwsV4Signer({
        method: 'POST',
        url: `${base}/v2/email/outbound-emails`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          // The name stands in the mail itself, encoded.
          FromEmailAddress: addressIn(mail.from),
          Destination: { ToAddresses: [mail.to] },
          Content: { Raw: { Data: data } },
        }),
        accessKeyId,
        secretAccessKey,
        region,
        service: 'ses',
        datetime: clock
          .date()
          .toISOString()
          .replace(/[:-]|\.\d{3}/g, ''),
      }).sign()
      const { url, headers } = signed
      const body = signed.body as string
      // It knows no mail again: an answer that is lost may be that of a mail that was taken.
      await postMail(http, {
        service: 'The cloud mail service',
        isRepeatable: false,
        isOurs: (code) => aboutUs.has(code.replace(/:.*$/s, '')),
        url,
        headers,
        body,
        signal,
      })
    },
    check: () => Promise.resolve(`mails go to ${new URL(base).host}`),
    close: () => Promise.resolve(),
  }
}
