import { Readable } from 'node:stream'
import type { Clock } from '../clock.ts'
import { oneLine } from './email-message.ts'

/** One mail to one person. */
export interface Mail {
  /** The same on every try, so that a mail that is sent twice can be told to be one. */
  id: string
  /** An address alone, without a name. */
  to: string
  subject: string
  text: string
  html: string
  attachments?: readonly Attachment[]
}

export interface Attachment {
  /** File name, plain ASCII. */
  name: string
  /** Media type. */
  type: string
  bytes: Uint8Array
}

/** Where mails go out. */
export interface MailSender {
  /**
   * Hands a mail over, for good once it returns.
   * @throws MailError
   */
  send(mail: Mail, signal?: AbortSignal): Promise<void>
  /** Tries the way out without sending. @returns what it found, in words @throws MailError */
  check(): Promise<string>
}

/** A mail that was not handed over. */
export class MailError extends Error {
  /** True when another try of the same mail would be in vain. */
  readonly final: boolean
  /** True when all of the mail was on its way and no answer came: the server may have taken it. */
  readonly unknown: boolean

  constructor(message: string, options: { final?: boolean; unknown?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'MailError'
    this.final = options.final ?? false
    this.unknown = options.unknown ?? false
  }
}

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
