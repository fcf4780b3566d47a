import { Readable } from 'node:stream'
import type { Clock } from '../clock.ts'
import { oneLine } from './letter.ts'
import type { Mail } from './mail.ts'

/** A mail as nodemailer takes it. Nothing in it makes nodemailer read a file or an address of the web. */
export function toMessage(mail: Mail, { from, clock }: { from: string; clock: Clock }) {
  const domain = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
  return {
    from,
    to: { name: '', address: mail.to },
    subject: oneLine(mail.subject),
    text: mail.text,
    html: mail.html,
    // Last in the mail: who has read the last of them to its end has all of it.
    attachments: (mail.attachments ?? []).map(({ name, type, bytes }) => ({
      filename: name,
      contentType: type,
      content: Readable.from([Buffer.from(bytes)]),
    })),
    messageId: `<${mail.id}@${domain}>`,
    date: clock.date(),
    // Holiday replies and the like are not wanted.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
