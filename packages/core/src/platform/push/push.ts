export const pushPlatforms = ['ios', 'android'] as const
export type PushPlatform = (typeof pushPlatforms)[number]

/** What one device is to show. */
export interface PushMessage {
  platform: PushPlatform
  /** Where the device is reached, as its system has said. */
  token: string
  /** A second message with the same id takes the place of the first. */
  id: string
  title: string
  body: string
  /** For the app. */
  data: Readonly<Record<string, string>>
}

/** The way to the devices of one platform. */
export interface PushSender {
  /**
   * Hands a message over; it is with the platform once this returns.
   * @throws PushError
   */
  send(message: PushMessage, signal: AbortSignal): Promise<void>
  /** Tries the way without sending. @returns what it found, in words @throws PushError */
  check(): Promise<string>
  close(): Promise<void>
}

/** The senders of an installation. */
export interface Push {
  /** Those that have one. */
  platforms: readonly PushPlatform[]
  /** @throws PushError */
  send(message: PushMessage, signal: AbortSignal): Promise<void>
  /** @throws PushError */
  check(platform: PushPlatform): Promise<string>
  close(): Promise<void>
}

/**
 * What came of a message that was not handed over: `unregistered`, the token leads nowhere any more; `refused`, and would be
 * again; `transient`, nobody has it and another try may do; `unknown`, it may or may not have arrived.
 */
export type PushOutcome = 'unregistered' | 'refused' | 'transient' | 'unknown'

export class PushError extends Error {
  override readonly name = 'PushError'
  readonly outcome: PushOutcome
  /** Of `unregistered`: since when; a token that was registered later is a good one. */
  readonly since: Date | undefined

  constructor(outcome: PushOutcome, message: string, options: { since?: Date; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.outcome = outcome
    this.since = options.since
  }
}
