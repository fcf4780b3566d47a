import { ulidToUUID } from 'ulid'
import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { SingleMail } from '../../single-mail.ts'
import { askBrevo, brevoUrl } from './api.ts'

const Taken = z.object({ messageId: z.string().min(1).max(990) })

/** Hands one mail over; a second one under the same key is refused as a duplicate for a quarter of an hour at least. */
export async function sendMail(call: PlatformCall, mail: SingleMail): Promise<string> {
  const { key, to, subject, text, html, headers } = mail
  const json = {
    // Its name is that of the sender as well.
    sender: { id: Number(call.account['sender']) },
    to: [{ email: to }],
    subject,
    textContent: text,
    htmlContent: html,
    headers: { ...headers, idempotencyKey: ulidToUUID(key) },
  }
  const { body } = await askBrevo(call, {
    method: 'POST',
    url: brevoUrl(call, '/smtp/email'),
    json,
    effect: 'once',
  })
  const taken = Taken.safeParse(body)
  if (taken.success) return taken.data.messageId
  throw new PlatformError('unknown', 'Something before the platform answers in its place')
}
