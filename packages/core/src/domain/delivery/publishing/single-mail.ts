import type { PlatformCall } from '../../accounts/channels/platform-call.ts'

/** A mail to one reader. */
export interface SingleMail {
  /** A ULID, the same on every try. */
  key: string
  /** An address alone, without a name. */
  to: string
  subject: string
  text: string
  html: string
  headers: Readonly<Record<string, string>>
}

/** How a platform takes mails to single readers, from a sender that it has verified. */
export interface SingleMails {
  /** How long it knows a mail again by its key, milliseconds. */
  knownMs: number
  /**
   * @returns the `Message-ID` that the platform gives it
   * @throws PlatformError `duplicate` for one that was taken before; `unknown` where the answer was lost
   */
  send(call: PlatformCall, mail: SingleMail): Promise<string>
}
