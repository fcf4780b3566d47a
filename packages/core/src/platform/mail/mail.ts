import { Readable } from 'node:stream'
import { type BounceKind, mailIdHeader } from './bounce-report.ts'
import { oneLine } from './text.ts'

/** The ways by which a mail may leave: a service's HTTP interface, a cloud's, or a mail server. */
export const mailWays = ['mail_api', 'cloud_mail', 'smtp'] as const
export type MailWay = (typeof mailWays)[number]

/** One mail to one person. */
export interface Mail {
  /** The same on every try, so that a mail that is sent twice can be told to be one. */
  id: string
  /** An address alone, without a name. */
  to: string
  /** Who is named as the sender, in the place of the installation; the address stays. */
  fromName?: string
  subject: string
  text: string
  html: string
  attachments?: readonly Attachment[]
  /** Further headers, such as `List-Unsubscribe`. */
  headers?: Readonly<Record<string, string>>
  /** By which way it goes out. Default, and where that way is not configured: the first of `ways`. */
  via?: MailWay
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
  /** What is configured, the usual way first. */
  readonly ways: readonly [MailWay, ...MailWay[]]
  /**
   * Hands a mail over, for good once it returns.
   * @returns its `Message-ID`
   * @throws MailError
   */
  send(mail: Mail, signal?: AbortSignal): Promise<string>
  /** Tries the ways out without sending. @returns what it found, in words @throws MailError */
  check(): Promise<string>
  /** Lets connections go; what is being sent ends first. */
  close(): Promise<void>
}

/** One of the ways. */
export interface MailWayOut extends Omit<MailSender, 'ways' | 'send'> {
  send(mail: OutgoingMail, signal?: AbortSignal): Promise<void>
}

/** A mail with its sender and its `Message-ID`. */
export interface OutgoingMail extends Mail {
  from: string
  messageId: string
  date: Date
}

/** The address of a sender with or without a name. */
export const addressIn = (from: string): string => /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from.trim()

/** How long a service knows a mail again that it has taken, milliseconds. */
export const knownAgainMs = 24 * 3_600_000

/** A mail that was not handed over. */
export class MailError extends Error {
  /** True when another try of the same mail would be in vain. */
  readonly final: boolean
  /** True when all of the mail was on its way and no answer came: the server may have taken it. */
  readonly unknown: boolean
  /** True when it may have been taken by a service that knows it again for {@link knownAgainMs}: until then, another try sends no second one. */
  readonly inDoubt: boolean
  /** What the server said of the address of a mail that it did not take. */
  readonly bounce: BounceKind | undefined

  constructor(
    message: string,
    options: {
      final?: boolean
      unknown?: boolean
      inDoubt?: boolean
      bounce?: BounceKind | undefined
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'MailError'
    this.final = options.final ?? false
    this.unknown = options.unknown ?? false
    this.inDoubt = options.inDoubt ?? false
    this.bounce = options.bounce
  }
}

/** Of every mail: holiday replies and the like are not wanted, and a mail that comes back is known by its id. */
export const mailHeaders = ({ id }: Pick<Mail, 'id'>) => ({
  'Auto-Submitted': 'auto-generated',
  [mailIdHeader]: id,
})

/** A mail as nodemailer takes it. Nothing in it makes nodemailer read a file or an address of the web. */
export function toMessage({ from, messageId, date, ...mail }: OutgoingMail) {
  return {
    from,
    to: { name: '', address: mail.to },
    subject: oneLine(mail.subject),
    text: mail.text,
    html: mail.html,
    attachments: (mail.attachments ?? []).map(({ name, type, bytes }) => ({
      filename: name,
      contentType: type,
      content: Readable.from([Buffer.from(bytes)]),
    })),
    messageId,
    date,
    headers: { ...mailHeaders(mail), ...mail.headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
