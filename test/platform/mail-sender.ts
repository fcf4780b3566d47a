import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHttpClient } from '../../packages/core/src/platform/http/client.ts'
import { createMailSender, type MailOptions } from '../../packages/core/src/platform/mail/sender.ts'
import { createTestClock } from '../kit/clock.ts'
import { silent } from '../kit/database.ts'

/** A mail as the domain hands it over. */
export const mail = {
  id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  to: 'ada@test.example',
  subject: 'Grüße',
  text: 'Größe\n',
  html: '<p>Größe</p>\n',
  attachments: [{ name: 'a.txt', type: 'text/plain', bytes: new TextEncoder().encode('A') }],
}

/** Sends mails by what is configured, and closes its connections when disposed. */
export function senderFor(options: MailOptions) {
  const http = createHttpClient({ log: silent, allowHosts: ['127.0.0.1'] })
  const sender = createMailSender({
    options: { from: 'Copydesk <desk@sender.example>', ...options },
    baseUrl: 'https://desk.test.example',
    folder: join(tmpdir(), 'never-written'),
    http,
    clock: createTestClock(),
    log: silent,
  })
  return {
    ...sender,
    async [Symbol.asyncDispose]() {
      await sender.close()
      await http.close()
    },
  }
}
