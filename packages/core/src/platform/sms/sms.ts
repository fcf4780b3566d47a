/** One text message to one person. */
export interface TextMessage {
  /** In the form of E.164, such as `+4930123456`. */
  to: string
  text: string
}

/** The way by which text messages leave. A program that embeds Copydesk may have one of its own. */
export interface SmsSender {
  /** How it is called where people read of it. */
  readonly name: string
  /**
   * Hands a message over, for good once it returns. It is called once for each message, unless an error says that none was taken.
   * @throws SmsError; every other error leaves open whether the message was taken, and it is not sent again
   */
  send(message: TextMessage, signal?: AbortSignal): Promise<void>
  /** Tries the way without sending. @returns what it found, in words @throws Error */
  check(): Promise<string>
}

/**
 * What came of a message that was not handed over: `optedOut`, its reader wants none from this sender; `refused`, and would be again;
 * `transient`, no one has it and another try may do; `unknown`, it may or may not have been taken.
 */
export type SmsOutcome = 'optedOut' | 'refused' | 'transient' | 'unknown'

/** A text message that was not handed over. */
export class SmsError extends Error {
  override readonly name = 'SmsError'
  readonly outcome: SmsOutcome

  constructor(outcome: SmsOutcome, message: string, options: { cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.outcome = outcome
  }
}
